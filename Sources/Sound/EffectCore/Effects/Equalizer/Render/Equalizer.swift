import CRealtime

/// What the values of an effect with filters mean.
enum FilterLayout: BitwiseCopyable {
    /// A gain, then five values for each band.
    case bands
    /// One filter.
    case lowPass, highPass, bandPass, lowShelf, highShelf, parametric
}

/// Second-order filters in a row, each with settings that move; and a gain.
///
/// Render thread. The memory belongs to the owner of the processor.
struct Equalizer {
    let layout: FilterLayout
    let shape: EffectShape
    let bands: Int
    /// [bank]: four bands each.
    let banks: UnsafeMutablePointer<FilterBank>
    /// [bank][pair of channels], what the filters remember.
    let memories: UnsafeMutablePointer<FilterMemory>
    /// [band]: those in force.
    let settings: UnsafeMutablePointer<FilterSettings>
    /// As long as the longest block, and silent: the second channel of the last pair where the number is odd.
    let spare: UnsafeMutablePointer<Float>
    private var gain = Ramp(1)
    /// That filtering took, in all.
    private(set) var vectors = 0

    @_noLocks @_noAllocation
    static func banks(of bands: Int) -> Int { (bands &+ 3) / 4 }
    @_noLocks @_noAllocation
    static func pairs(of channels: Int) -> Int { (channels &+ 1) / 2 }

    /// - Parameters:
    ///   - banks: room for `banks(of: bands)`.
    ///   - memories: room for those of each bank.
    ///   - settings: room for one a band.
    ///   - spare: silence.
    @_noLocks @_noAllocation
    init(
        _ layout: FilterLayout, _ shape: EffectShape, bands: Int, banks: UnsafeMutablePointer<FilterBank>,
        memories: UnsafeMutablePointer<FilterMemory>, settings: UnsafeMutablePointer<FilterSettings>,
        spare: UnsafeMutablePointer<Float>
    ) {
        self.layout = layout
        self.shape = shape
        self.bands = bands
        self.banks = banks
        self.memories = memories
        self.settings = settings
        self.spare = spare
        let bankCount = Self.banks(of: bands)
        banks.initialize(repeating: FilterBank(), count: bankCount)
        memories.initialize(repeating: FilterMemory(), count: bankCount &* Self.pairs(of: shape.channels))
        let bypassed = FilterSettings(.parametric, frequency: 1000, width: .octaves(1), isBypassed: true)
        settings.initialize(repeating: bypassed, count: bands)
        take(rampFrames: 0)
    }

    /// Slides to the newest settings.
    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) { take(rampFrames: shape.slideFrames(atOnce: atOnce)) }

    @_noLocks @_noAllocation
    private mutating func take(rampFrames: Int) {
        if case .bands = layout { gain.slide(to: decibels(shape.values.value(0)), frames: rampFrames) }
        for bank in 0..<Self.banks(of: bands) {
            var isChanged = false
            var active = 0
            for band in (bank &* 4)..<min(bands, bank &* 4 &+ 4) {
                let newest = newestSettings(band)
                if !newest.isBypassed { active &+= 1 }
                guard newest.differs(from: settings[band]) else { continue }
                settings[band] = newest
                var coefficients = newest.coefficients(sampleRate: shape.sampleRate)
                if newest.isBypassed, rampFrames > 0 {
                    // It fades out where it is.
                    let now = banks[bank].target
                    let k = Double(now.k[band & 3])
                    coefficients = FilterCoefficients(Double(now.g[band & 3]), k, 1, k, 1)
                }
                banks[bank].target.set(coefficients, lane: band & 3)
                isChanged = true
            }
            banks[bank].activeLanes = active
            if isChanged || rampFrames == 0 { banks[bank].slide(frames: rampFrames) }
        }
    }

    @_noLocks @_noAllocation
    private func newestSettings(_ band: Int) -> FilterSettings {
        switch layout {
        case .bands:
            let first = 1 &+ 5 &* band
            return FilterSettings(
                FilterType(number: Int(shape.values.value(first &+ 1))),
                frequency: shape.values.value(first &+ 2), width: .octaves(shape.values.value(first &+ 4)),
                gain: shape.values.value(first &+ 3), isBypassed: shape.values.value(first) >= 0.5)
        case .lowPass:
            return FilterSettings(
                .resonantLowPass, frequency: shape.values.value(0), width: .quality(decibels(shape.values.value(1))))
        case .highPass:
            return FilterSettings(
                .resonantHighPass, frequency: shape.values.value(0), width: .quality(decibels(shape.values.value(1))))
        case .bandPass:
            return FilterSettings(
                .bandPass, frequency: shape.values.value(0), width: .octaves(shape.values.value(1) / 1200))
        case .lowShelf:
            return FilterSettings(
                .lowShelf, frequency: shape.values.value(0), width: .quality(1), gain: shape.values.value(1))
        case .highShelf:
            return FilterSettings(
                .highShelf, frequency: shape.values.value(0), width: .quality(1), gain: shape.values.value(1))
        case .parametric:
            return FilterSettings(
                .parametric, frequency: shape.values.value(0), width: .quality(shape.values.value(1)),
                gain: shape.values.value(2))
        }
    }

    /// In place; at most as many frames as `spare` has.
    @_noLocks @_noAllocation
    mutating func process(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        for bank in 0..<Self.banks(of: bands) { filter(bank, sound, frames) }
        guard gain.frames > 0 || gain.value != 1 else { return }
        for channel in 0..<shape.channels {
            var ramp = gain
            let samples = sound[channel]
            for i in 0..<frames { samples[i] *= ramp.next() }
        }
        gain.skip(frames)
    }

    @_noLocks @_noAllocation
    private mutating func filter(_ bank: Int, _ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        let pairs = Self.pairs(of: shape.channels)
        let own = memories + bank &* pairs
        var done = 0
        while done < frames {
            let isSliding = banks[bank].rampFrames > 0
            guard isSliding || banks[bank].activeLanes > 0 else { return }
            let count = isSliding ? min(frames &- done, banks[bank].rampFrames) : frames &- done
            for pair in 0..<pairs {
                let second = 2 &* pair &+ 1
                vectors &+= own[pair].filter(
                    sound[2 &* pair] + done, second < shape.channels ? sound[second] + done : spare, count, banks[bank],
                    isSliding: isSliding)
            }
            done &+= count
            guard isSliding else { continue }
            banks[bank].advance(count)
            if banks[bank].rampFrames == 0, banks[bank].activeLanes == 0 {
                own.update(repeating: FilterMemory(), count: pairs)
            }
        }
        for pair in 0..<pairs { own[pair].flush() }
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        memories.update(
            repeating: FilterMemory(), count: Self.banks(of: bands) &* Self.pairs(of: shape.channels))
    }
}

/// The amplitude of a level.
@_noLocks @_noAllocation
func decibels(_ level: Float) -> Float { oav_exp2f(level * 0.16609640474436813) }
