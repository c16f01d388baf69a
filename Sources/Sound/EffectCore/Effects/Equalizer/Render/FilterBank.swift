/// Four filters in a row, of which each lane is one: how they are now, and where they slide to.
struct FilterBank: BitwiseCopyable {
    var now: Lanes
    var step: Lanes
    var target: Lanes
    /// Frames until `now` is `target`.
    var rampFrames = 0
    /// Lanes that filter, or slide.
    var activeLanes = 0

    /// One value a lane.
    struct Lanes: BitwiseCopyable {
        var g = SIMD4<Float>(repeating: 0.1)
        var k = SIMD4<Float>(repeating: 1)
        var high = SIMD4<Float>(repeating: 1)
        var band = SIMD4<Float>(repeating: 1)
        var low = SIMD4<Float>(repeating: 1)

        @_noLocks @_noAllocation
        init() {}

        @_noLocks @_noAllocation
        mutating func set(_ value: FilterCoefficients, lane: Int) {
            g[lane] = value.g
            k[lane] = value.k
            high[lane] = value.high
            band[lane] = value.band
            low[lane] = value.low
        }
    }

    @_noLocks @_noAllocation
    init() {
        now = Lanes()
        step = Lanes()
        target = Lanes()
    }

    /// Slides from the present coefficients to the target in so many frames; 0: at once.
    @_noLocks @_noAllocation
    mutating func slide(frames: Int) {
        rampFrames = frames
        guard frames > 0 else {
            now = target
            return
        }
        let share = 1 / Float(frames)
        step.g = (target.g - now.g) * share
        step.k = (target.k - now.k) * share
        step.high = (target.high - now.high) * share
        step.band = (target.band - now.band) * share
        step.low = (target.low - now.low) * share
    }

    /// So many frames of the slide are over.
    @_noLocks @_noAllocation
    mutating func advance(_ frames: Int) {
        rampFrames &-= frames
        guard rampFrames > 0 else {
            (now, rampFrames) = (target, 0)
            return
        }
        let count = Float(frames)
        now.g += step.g * count
        now.k += step.k * count
        now.high += step.high * count
        now.band += step.band * count
        now.low += step.low * count
    }
}

/// What four filters remember of each of two channels: lanes 0 to 3 of the first, 4 to 7 of the second.
struct FilterMemory: BitwiseCopyable {
    var first = SIMD8<Float>(repeating: 0)
    var second = SIMD8<Float>(repeating: 0)

    @_noLocks @_noAllocation
    init() {}

    /// Filters two channels in place.
    ///
    /// Lane 1 works on the frame after lane 0 has, and so on: so four filters in a row take one vector a frame, and three
    /// more for all frames. A filter is, with g and k of `FilterCoefficients` and two integrators s1 and s2 by the trapezoidal
    /// rule,
    ///
    ///     high = (x - s2 - (g + k) s1) / (1 + g (g + k))
    ///     band = s1 + g high, s1 := band + g high
    ///     low = s2 + g band, s2 := low + g band
    ///
    /// of which only the sums are computed, so that a frame does not wait long for the one before (`Derived`). Unlike a
    /// biquad's, what it remembers is as great as the sound, whatever the coefficients: they may move.
    ///
    /// Source: V. Zavalishin, "The Art of VA Filter Design", 2018, chapter 4.
    ///
    /// - Parameters:
    ///   - isSliding: the coefficients of each lane move by a step after each of its frames.
    /// - Returns: the vectors that it took.
    @_noLocks @_noAllocation
    mutating func filter(
        _ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, _ count: Int,
        _ bank: borrowing FilterBank, isSliding: Bool
    ) -> Int {
        var pass = FilterPass(bank, self)
        let lead = FilterPass.lead
        for frame in 0..<lead { pass.edge(a, b, frame, count, isSliding) }
        if isSliding {
            if count > lead { for frame in lead..<count { pass.middle(a, b, frame, isSliding: true) } }
        } else {
            if count > lead { for frame in lead..<count { pass.middle(a, b, frame, isSliding: false) } }
        }
        for frame in max(lead, count)..<(count &+ lead) { pass.edge(a, b, frame, count, isSliding) }
        first = pass.first
        second = pass.second
        return pass.vectors
    }

    /// Before sound is too small for a float's full precision, which processors compute slowly.
    @_noLocks @_noAllocation
    mutating func flush() {
        let magnitude = Float(1e-15)
        first.replace(with: 0, where: (first .< magnitude) .& (first .> -magnitude))
        second.replace(with: 0, where: (second .< magnitude) .& (second .> -magnitude))
    }
}

/// The registers of one pass of `FilterMemory.filter`.
private struct FilterPass {
    /// Frames from the first lane to the last.
    static var lead: Int { @_noLocks @_noAllocation get { 3 } }

    private var g: SIMD8<Float>
    private var k: SIMD8<Float>
    private var high: SIMD8<Float>
    private var band: SIMD8<Float>
    private var low: SIMD8<Float>
    private let gStep: SIMD8<Float>
    private let kStep: SIMD8<Float>
    private let highStep: SIMD8<Float>
    private let bandStep: SIMD8<Float>
    private let lowStep: SIMD8<Float>
    private var derived: Derived
    private var output = SIMD8<Float>(repeating: 0)
    var first: SIMD8<Float>
    var second: SIMD8<Float>
    var vectors = 0

    @_noLocks @_noAllocation @inline(__always)
    init(_ bank: borrowing FilterBank, _ memory: FilterMemory) {
        g = Self.twice(bank.now.g)
        k = Self.twice(bank.now.k)
        high = Self.twice(bank.now.high)
        band = Self.twice(bank.now.band)
        low = Self.twice(bank.now.low)
        gStep = Self.twice(bank.step.g)
        kStep = Self.twice(bank.step.k)
        highStep = Self.twice(bank.step.high)
        bandStep = Self.twice(bank.step.band)
        lowStep = Self.twice(bank.step.low)
        first = memory.first
        second = memory.second
        derived = Derived(g, k, high, band, low)
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func twice(_ lanes: SIMD4<Float>) -> SIMD8<Float> { SIMD8(lowHalf: lanes, highHalf: lanes) }

    /// A frame that every lane has.
    @_noLocks @_noAllocation @inline(__always)
    mutating func middle(
        _ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, _ frame: Int, isSliding: Bool
    ) {
        let rest = next(a[frame], b[frame]) - second
        output = derived.p * rest + derived.q * first + derived.r * second
        let move = derived.c2 * first + derived.e2 * rest
        first += derived.c2 * rest - derived.c1 * first
        second += move
        if isSliding {
            slide()
            derived = Derived(g, k, high, band, low)
        }
        a[frame &- Self.lead] = output[3]
        b[frame &- Self.lead] = output[7]
        vectors &+= 1
    }

    /// A frame at the edge of the block: lanes that have none keep what they remember.
    @_noLocks @_noAllocation @inline(__always)
    mutating func edge(
        _ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, _ frame: Int, _ count: Int,
        _ isSliding: Bool
    ) {
        let own = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: frame)) &- SIMD8(0, 1, 2, 3, 0, 1, 2, 3)
        let works = (own .>= 0) .& (own .< Int32(truncatingIfNeeded: count))
        let isInside = frame < count
        let rest = next(isInside ? a[frame] : 0, isInside ? b[frame] : 0) - second
        output = derived.p * rest + derived.q * first + derived.r * second
        let move = derived.c2 * first + derived.e2 * rest
        first.replace(with: first + (derived.c2 * rest - derived.c1 * first), where: works)
        second.replace(with: second + move, where: works)
        if isSliding {
            let (g, k, high, band, low) = (self.g, self.k, self.high, self.band, self.low)
            slide()
            self.g.replace(with: g, where: .!works)
            self.k.replace(with: k, where: .!works)
            self.high.replace(with: high, where: .!works)
            self.band.replace(with: band, where: .!works)
            self.low.replace(with: low, where: .!works)
            derived = Derived(self.g, self.k, self.high, self.band, self.low)
        }
        if frame >= Self.lead {
            a[frame &- Self.lead] = output[3]
            b[frame &- Self.lead] = output[7]
        }
        vectors &+= 1
    }

    /// The first lane's input is the sound, that of the others what the lane before gave.
    @_noLocks @_noAllocation @inline(__always)
    private func next(_ a: Float, _ b: Float) -> SIMD8<Float> {
        SIMD8(a, output[0], output[1], output[2], b, output[4], output[5], output[6])
    }

    @_noLocks @_noAllocation @inline(__always)
    private mutating func slide() {
        g += gStep
        k += kStep
        high += highStep
        band += bandStep
        low += lowStep
    }
}

/// The sums of a filter's equations. With d = g + k, c = 1 / (1 + g d) and the rest x - s2:
///
///     y = p rest + q s1 + r s2
///     s1 := s1 + (c2 rest - c1 s1)
///     s2 := s2 + (c2 s1 + e2 rest)
///
/// Coefficients of a low frequency are small, and so keep all their digits.
private struct Derived {
    let c1: SIMD8<Float>
    let c2: SIMD8<Float>
    let e2: SIMD8<Float>
    let p: SIMD8<Float>
    let q: SIMD8<Float>
    let r: SIMD8<Float>

    @_noLocks @_noAllocation @inline(__always)
    init(
        _ g: SIMD8<Float>, _ k: SIMD8<Float>, _ high: SIMD8<Float>, _ band: SIMD8<Float>, _ low: SIMD8<Float>
    ) {
        let d = g + k
        let c = 1 / (1 + g * d)
        c2 = 2 * g * c
        c1 = c2 * d
        e2 = g * c2
        p = c * (high + g * (band + g * low))
        q = c * (band + g * low - d * high)
        r = low
    }
}
