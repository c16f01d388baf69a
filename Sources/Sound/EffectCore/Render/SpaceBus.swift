import CRealtime
import Synchronization

/// One input bus of an environment: where its sound goes, and the memory of what it was.
///
/// Any thread but the render thread sets the target, one at a time; the render thread does the rest.
struct SpaceBus: ~Copyable {
    /// Cells that the control side writes and the render side reads; gains as bits of a Float.
    private let left = Atomic<UInt32>(0)
    private let right = Atomic<UInt32>(0)
    private let room = Atomic<UInt32>(0)
    /// Of the one-pole low pass: 1 lets everything pass.
    private let opening = Atomic<UInt32>(0)
    private let passes = Atomic<Bool>(false)
    /// Which of the three slots has the newest filter; plus 4 when it was not taken.
    private let shared = Atomic<UInt32>(1)
    private let writer = Atomic<UInt32>(0)
    private let usesFilter = Atomic<Bool>(false)

    /// [slot of three][ear][tap].
    private let filters: UnsafeMutablePointer<Float>
    let taps: Int
    /// `taps` frames of the past, then those of a cycle.
    private let history: UnsafeMutablePointer<Float>
    private let maximumFrames: Int

    // Render side.
    private var slot: UInt32 = 2
    private var gains: (left: Float, right: Float, room: Float) = (0, 0, 0)
    private var lowPass: Float = 1
    private var memory: Float = 0
    private var isFiltering = false
    /// The first cycle begins with its target; later ones move towards it.
    private var hasBegun = false

    /// - Parameters:
    ///   - filters: `3 * 2 * taps` floats of silence; `taps` is a multiple of 8, or 0 without filters.
    ///   - history: `taps + maximumFrames` floats of silence.
    @_noLocks @_noAllocation
    init(filters: UnsafeMutablePointer<Float>, taps: Int, history: UnsafeMutablePointer<Float>, maximumFrames: Int) {
        self.filters = filters
        self.taps = taps
        self.history = history
        self.maximumFrames = maximumFrames
    }

    // MARK: Control side

    /// - Parameters:
    ///   - lowPass: the share of each new frame, 0 to 1.
    ///   - filter: [ear][tap], `2 * taps` floats, each eight of them in reverse; nil without a head.
    @_noLocks @_noAllocation
    func set(
        left: Float, right: Float, room: Float, lowPass: Float, passesThrough: Bool, filter: UnsafePointer<Float>?
    ) {
        if let filter, taps > 0 {
            let own = writer.load(ordering: .relaxed)
            let target = filters + Int(own) &* 2 &* taps
            for tap in 0..<(2 &* taps) { target[tap] = filter[tap] }
            writer.store(shared.exchange(own | 4, ordering: .acquiringAndReleasing) & 3, ordering: .relaxed)
        }
        usesFilter.store(filter != nil && taps > 0, ordering: .relaxed)
        self.left.store(left.bitPattern, ordering: .relaxed)
        self.right.store(right.bitPattern, ordering: .relaxed)
        self.room.store(room.bitPattern, ordering: .relaxed)
        opening.store(lowPass.bitPattern, ordering: .relaxed)
        passes.store(passesThrough, ordering: .relaxed)
    }

    // MARK: Render thread

    /// Forgets what was heard.
    @_noLocks @_noAllocation
    mutating func reset() {
        for frame in 0..<taps { history[frame] = 0 }
        memory = 0
        hasBegun = false
    }

    /// Adds a bus to the two outputs, and its share to what is sent into the room.
    ///
    /// - Parameter glide: the share of the way to a new gain that is left after this cycle.
    /// - Returns: whether something may have been sent.
    @_noLocks @_noAllocation
    mutating func add(
        _ bus: oav_bus, to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>,
        room: UnsafeMutablePointer<Float>, frames: Int, glide: Float
    ) -> Bool {
        let channels = Int(bus.channel_count)
        guard channels > 0, frames > 0, frames <= maximumFrames else { return false }
        let target = (
            left: Float(bitPattern: self.left.load(ordering: .relaxed)),
            right: Float(bitPattern: self.right.load(ordering: .relaxed)),
            room: Float(bitPattern: self.room.load(ordering: .relaxed))
        )
        let wantsFilter = usesFilter.load(ordering: .relaxed)
        let lowPassTarget = Float(bitPattern: opening.load(ordering: .relaxed))
        if !hasBegun {
            (gains, lowPass, isFiltering, hasBegun) = (target, lowPassTarget, wantsFilter, true)
            takeFilter()
        }
        let end = (
            left: target.left + (gains.left - target.left) * glide,
            right: target.right + (gains.right - target.right) * glide,
            // So that the room comes to rest.
            room: abs(gains.room - target.room) < 1e-6
                ? target.room : target.room + (gains.room - target.room) * glide
        )
        if passes.load(ordering: .relaxed) {
            addRamp(bus.channels[0], to: left, from: gains.left, to: end.left, frames)
            addRamp(bus.channels[channels > 1 ? 1 : 0], to: right, from: gains.right, to: end.right, frames)
            gains = end
            return false
        }
        let sound = history + taps
        mix(bus, channels, into: sound, frames, lowPassTarget)
        let isSent = gains.room != 0 || end.room != 0
        if isSent { addRamp(sound, to: room, from: gains.room, to: end.room, frames) }
        let hadFilter = isFiltering
        let isNew = shared.load(ordering: .relaxed) & 4 != 0
        if !hadFilter, !wantsFilter {
            addRamp(sound, to: left, from: gains.left, to: end.left, frames)
            addRamp(sound, to: right, from: gains.right, to: end.right, frames)
        } else if hadFilter, wantsFilter, !isNew {
            addFiltered(to: left, ear: 0, from: gains.left, to: end.left, frames)
            addFiltered(to: right, ear: 1, from: gains.right, to: end.right, frames)
        } else {
            // From one to the other within the cycle: the old one goes, the new one comes.
            addOne(hadFilter, to: left, right, from: (gains.left, gains.right), to: (0, 0), frames)
            takeFilter()
            addOne(wantsFilter, to: left, right, from: (0, 0), to: (end.left, end.right), frames)
            isFiltering = wantsFilter
        }
        gains = end
        // The next cycle's past.
        for frame in 0..<taps { history[frame] = history[frame &+ frames] }
        return isSent
    }

    @_noLocks @_noAllocation
    private mutating func takeFilter() {
        guard shared.load(ordering: .relaxed) & 4 != 0 else { return }
        slot = shared.exchange(slot, ordering: .acquiringAndReleasing) & 3
    }

    @_noLocks @_noAllocation
    private func addOne(
        _ isFiltered: Bool, to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>,
        from: (Float, Float), to: (Float, Float), _ frames: Int
    ) {
        if isFiltered {
            addFiltered(to: left, ear: 0, from: from.0, to: to.0, frames)
            addFiltered(to: right, ear: 1, from: from.1, to: to.1, frames)
        } else {
            addRamp(history + taps, to: left, from: from.0, to: to.0, frames)
            addRamp(history + taps, to: right, from: from.1, to: to.1, frames)
        }
    }

    /// The mean of the channels through the low pass.
    @_noLocks @_noAllocation
    private mutating func mix(
        _ bus: oav_bus, _ channels: Int, into sound: UnsafeMutablePointer<Float>, _ frames: Int, _ target: Float
    ) {
        let scale = 1 / Float(channels)
        for frame in 0..<frames { sound[frame] = bus.channels[0][frame] * scale }
        for channel in 1..<max(channels, 1) {
            let row = bus.channels[channel]
            for frame in 0..<frames { sound[frame] += row[frame] * scale }
        }
        guard lowPass < 1 || target < 1 else {
            memory = sound[frames &- 1]
            return
        }
        let step = (target - lowPass) / Float(frames)
        for frame in 0..<frames {
            lowPass += step
            memory += (sound[frame] - memory) * lowPass
            sound[frame] = memory
        }
        lowPass = target
    }

    @_noLocks @_noAllocation
    private func addRamp(
        _ sound: UnsafePointer<Float>, to output: UnsafeMutablePointer<Float>, from: Float, to: Float, _ frames: Int
    ) {
        if from == to {
            for frame in 0..<frames { output[frame] += sound[frame] * to }
            return
        }
        let step = (to - from) / Float(frames)
        for frame in 0..<frames {
            output[frame] += sound[frame] * (from + step * Float(Int32(truncatingIfNeeded: frame &+ 1)))
        }
    }

    /// Convolves the sound with the filter of an ear.
    @_noLocks @_noAllocation
    private func addFiltered(
        to output: UnsafeMutablePointer<Float>, ear: Int, from: Float, to: Float, _ frames: Int
    ) {
        let filter = filters + (Int(slot) &* 2 &+ ear) &* taps
        let step = (to - from) / Float(frames)
        let sound = history + taps
        for frame in 0..<frames {
            var share: Float = 0
            var tap = 0
            while tap < taps {
                // The filter has each eight taps in the order of the sound, so that both are read forwards.
                let (past, part) = (sound + (frame &- tap &- 7), filter + tap)
                let low = past[0] * part[0] + past[1] * part[1] + past[2] * part[2] + past[3] * part[3]
                share += low + past[4] * part[4] + past[5] * part[5] + past[6] * part[6] + past[7] * part[7]
                tap = tap &+ 8
            }
            output[frame] += share * (from + step * Float(Int32(truncatingIfNeeded: frame &+ 1)))
        }
    }
}
