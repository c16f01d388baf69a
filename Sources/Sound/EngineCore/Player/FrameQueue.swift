/// A queue of interleaved frames that wait to be written; it reuses its memory.
package struct FrameQueue: Sendable {
    private let channels: Int
    private var samples: [Float] = []
    /// The range of the waiting samples in `samples`.
    private var waiting = 0..<0

    package init(channels: Int) { self.channels = channels }

    package var frames: Int { waiting.count / channels }

    /// - Parameter body: fills the room from its start, and returns the number of filled frames.
    package mutating func append(room frames: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Int) {
        let needed = frames * channels
        if waiting.upperBound + needed > samples.count { makeRoom(needed) }
        let (first, end) = (waiting.upperBound, waiting.upperBound + needed)
        let filled = samples.withUnsafeMutableBufferPointer {
            body(UnsafeMutableBufferPointer(rebasing: $0[first..<end]))
        }
        waiting = waiting.lowerBound..<first + filled * channels
    }

    package mutating func append(_ frames: UnsafeBufferPointer<Float>) {
        let count = frames.count / channels
        guard count > 0 else { return }
        append(room: count) { room in
            _ = room.update(fromContentsOf: frames[..<room.count])
            return count
        }
    }

    /// - Parameter body: takes frames from the front, and returns their number.
    package mutating func consume(_ body: (UnsafeBufferPointer<Float>) -> Int) -> Int {
        let taken = samples.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[waiting])) }
        waiting = waiting.lowerBound + taken * channels..<waiting.upperBound
        if waiting.isEmpty { waiting = 0..<0 }
        return taken
    }

    /// Removes and returns `frames` frames from the front; the queue has at least as many.
    package mutating func take(_ frames: Int) -> [Float] {
        let taken = Array(samples[waiting].prefix(frames * channels))
        _ = consume { _ in frames }
        return taken
    }

    package mutating func removeAll() { waiting = 0..<0 }

    private mutating func makeRoom(_ needed: Int) {
        samples.withUnsafeMutableBufferPointer { _ = $0[..<waiting.count].update(fromContentsOf: $0[waiting]) }
        waiting = 0..<waiting.count
        let missing = waiting.count + needed - samples.count
        if missing > 0 { samples += repeatElement(0, count: missing) }
    }
}
