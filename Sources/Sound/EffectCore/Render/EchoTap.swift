/// Where an echo is read from lines that are written in turn: a delay, and the next one, which fades in beside it.
///
/// Render thread.
struct EchoTap: BitwiseCopyable {
    /// The length of the lines, a power of two, less one.
    private let mask: Int
    /// Frames in which a new delay fades in; while it does, a newer one waits.
    private let rampFrames: Int
    /// The next frame's place in the lines.
    private var position = 0
    /// Frames in the lines since they were empty: what is older is not read.
    private var filled = 0
    /// Frames of the delay that is heard, and of the one that comes.
    private var delay: Int
    private var next: Int
    /// Frames until `delay` is `next`.
    private var fadeFrames = 0

    /// - Parameter delay: at least one frame: a loop without delay has no answer.
    @_noLocks @_noAllocation
    init(delay: Int, mask: Int, rampFrames: Int) {
        self.delay = delay
        next = delay
        self.mask = mask
        self.rampFrames = rampFrames
    }

    /// Frames of at most `count` that the next calls are about.
    @_noLocks @_noAllocation
    mutating func begin(wanted: Int, count: Int) -> Int {
        if filled == 0 {
            // Neither delay has anything to be heard.
            (delay, next, fadeFrames) = (wanted, wanted, 0)
        } else if fadeFrames == 0 {
            delay = next
            next = wanted
            fadeFrames = next == delay ? 0 : rampFrames
        }
        return fadeFrames > 0 ? min(count, fadeFrames) : count
    }

    /// The echo that frame `i` hears.
    @_noLocks @_noAllocation @inline(__always)
    func late(_ line: UnsafeMutablePointer<Float>, _ i: Int) -> Float {
        let now = position &+ i
        let late = i >= delay &- filled ? line[(now &- delay) & mask] : 0
        guard fadeFrames > 0 else { return late }
        let newer = i >= next &- filled ? line[(now &- next) & mask] : 0
        return late + (newer - late) * (1 - Float(fadeFrames &- i) / Float(rampFrames))
    }

    /// What later frames hear of frame `i`.
    @_noLocks @_noAllocation @inline(__always)
    func write(_ sample: Float, _ line: UnsafeMutablePointer<Float>, _ i: Int) { line[(position &+ i) & mask] = sample }

    @_noLocks @_noAllocation
    mutating func end(_ count: Int) {
        position = (position &+ count) & mask
        filled = min(filled &+ count, mask &+ 1)
        if fadeFrames > 0 { fadeFrames &-= count }
    }

    @_noLocks @_noAllocation
    mutating func reset() { filled = 0 }
}
