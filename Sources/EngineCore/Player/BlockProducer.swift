import Synchronization

/// Feeds a source from a block that makes frames as they are asked for.
package final class BlockProducer: FrameProducer {
    /// Fills interleaved frames, [frame][channel], all zeros at first, from the given frame of the source on.
    ///
    /// Returns how many of the frames it made; fewer than asked for: there are no more for now.
    package typealias Block = @Sendable (UnsafeMutableBufferPointer<Float>, _ frames: Int, _ from: Int64) -> Int

    private let source: SourceFeed
    private let block: Block
    private let chunkFrames: Int
    private let state: Mutex<State>

    private struct State {
        var scratch: [Float]
        var madeFrames: Int64 = 0
        var isRunning = true
    }

    /// - Parameter chunkFrames: the most frames the block is asked for at once.
    package init(source: SourceFeed, chunkFrames: Int, block: @escaping Block) {
        precondition(chunkFrames > 0, "a block is asked for at least one frame")
        self.source = source
        self.block = block
        self.chunkFrames = chunkFrames
        state = Mutex(State(scratch: [Float](repeating: 0, count: chunkFrames * source.channels)))
    }

    /// Whether the block is asked at all.
    package var isRunning: Bool {
        get { state.withLock { $0.isRunning } }
        set { state.withLock { $0.isRunning = newValue } }
    }

    package func pump(minimumFrames: Int) -> Bool {
        state.withLock { state in
            guard state.isRunning else { return false }
            if source.readAheadFrames < minimumFrames { source.readAheadFrames = minimumFrames }
            while case let wanted = min(source.writableFrames, chunkFrames), wanted > 0 {
                let count = wanted * source.channels
                let made = state.scratch.withUnsafeMutableBufferPointer { scratch in
                    let frames = UnsafeMutableBufferPointer(rebasing: scratch[..<count])
                    frames.update(repeating: 0)
                    return min(max(0, block(frames, wanted, state.madeFrames)), wanted)
                }
                let written = state.scratch.withUnsafeBufferPointer {
                    source.write(interleaved: UnsafeBufferPointer(rebasing: $0[..<(made * source.channels)]))
                }
                state.madeFrames += Int64(written)
                if made < wanted { break }
            }
            return true
        }
    }
}
