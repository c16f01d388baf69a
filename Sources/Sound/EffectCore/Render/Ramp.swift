/// A number that slides to its newest value in a straight line.
struct Ramp: BitwiseCopyable {
    private(set) var value: Float
    private(set) var target: Float
    private var step: Float = 0
    private(set) var frames = 0

    @_noLocks @_noAllocation
    init(_ value: Float) { (self.value, target) = (value, value) }

    /// - Parameter frames: 0: it is there at once, also where it slides already.
    @_noLocks @_noAllocation
    mutating func slide(to target: Float, frames: Int) {
        guard target != self.target || frames <= 0 else { return }
        self.target = target
        self.frames = frames
        step = frames > 0 ? (target - value) / Float(frames) : 0
        if frames <= 0 { value = target }
    }

    /// The value of the next frame.
    @_noLocks @_noAllocation @inline(__always)
    mutating func next() -> Float {
        guard frames > 0 else { return value }
        frames &-= 1
        value = frames == 0 ? target : value + step
        return value
    }

    /// The value so many frames later.
    @_noLocks @_noAllocation
    mutating func skip(_ count: Int) {
        guard count < frames else {
            (value, frames) = (target, 0)
            return
        }
        frames &-= count
        value += step * Float(count)
    }
}
