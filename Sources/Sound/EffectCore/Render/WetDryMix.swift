import CRealtime

/// How much of the sound as it came, and how much of the effect's: as strong together as either alone.
///
/// Render thread. The two are as different as echoes and their source, so that their powers add: the shares are a cosine
/// and a sine. Source: SDK header AudioUnitParameters.h, "EqPow Crossfade".
struct WetDryMix: BitwiseCopyable {
    private(set) var dry: Ramp
    private(set) var wet: Ramp

    /// - Parameter percent: 0 is all dry, 100 all wet.
    @_noLocks @_noAllocation
    init(percent: Float) {
        dry = Ramp(Self.share(100 - percent))
        wet = Ramp(Self.share(percent))
    }

    @_noLocks @_noAllocation
    mutating func slide(to percent: Float, frames: Int) {
        dry.slide(to: Self.share(100 - percent), frames: frames)
        wet.slide(to: Self.share(percent), frames: frames)
    }

    @_noLocks @_noAllocation
    private static func share(_ percent: Float) -> Float {
        percent >= 100 ? 1 : oav_sinf(percent * 0.015707963267948967)
    }

    /// Of the next frame.
    @_noLocks @_noAllocation @inline(__always)
    mutating func next(_ dry: Float, _ wet: Float) -> Float { dry * self.dry.next() + wet * self.wet.next() }

    /// After a block of another copy.
    @_noLocks @_noAllocation
    mutating func skip(_ count: Int) {
        dry.skip(count)
        wet.skip(count)
    }
}
