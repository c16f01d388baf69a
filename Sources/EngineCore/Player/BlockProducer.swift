import Synchronization

/// Feeds a source from a block that makes frames as they are asked for.
///
/// No lock is held while the block runs: it may stop, change and release the engine that it feeds.
///
/// `@unchecked Sendable`: `scratch` and `madeFrames` belong to the thread that has the turn.
package final class BlockProducer: FrameProducer, @unchecked Sendable {
    /// Fills interleaved frames, [frame][channel], all zeros at first, from the given frame of the source on.
    ///
    /// Returns how many of the frames it made; fewer than asked for: there are no more for now.
    package typealias Block = @Sendable (UnsafeMutableBufferPointer<Float>, _ frames: Int, _ from: Int64) -> Int

    private let source: SourceFeed
    private let turn: BlockTurn
    private let block: Block
    private let chunkFrames: Int
    /// Held while frames are written, not while they are made.
    private let running = Mutex(true)
    private var scratch: [Float]
    private var madeFrames: Int64 = 0

    /// - Parameters:
    ///   - turn: shared with all producers that ask the same block.
    ///   - chunkFrames: the most frames the block is asked for at once.
    package init(source: SourceFeed, turn: BlockTurn = BlockTurn(), chunkFrames: Int, block: @escaping Block) {
        precondition(chunkFrames > 0, "a block is asked for at least one frame")
        self.source = source
        self.turn = turn
        self.block = block
        self.chunkFrames = chunkFrames
        scratch = [Float](repeating: 0, count: chunkFrames * source.channels)
    }

    /// Whether the block is asked at all.
    ///
    /// Any thread, the block too; does not wait for a block that runs. Once it is false, nothing more is written.
    package var isRunning: Bool {
        get { running.withLock { $0 } }
        set { running.withLock { $0 = newValue } }
    }

    package func pump(minimumFrames: Int) -> NextPump {
        guard isRunning else { return .onceChanged }
        guard turn.take() else { return .soon }
        defer { turn.giveBack() }
        if source.readAheadFrames < minimumFrames { source.readAheadFrames = minimumFrames }
        while isRunning, case let wanted = min(source.writableFrames, chunkFrames), wanted > 0 {
            let made = scratch.withUnsafeMutableBufferPointer { scratch in
                let frames = UnsafeMutableBufferPointer(rebasing: scratch[..<(wanted * source.channels)])
                frames.update(repeating: 0)
                return min(max(0, block(frames, wanted, madeFrames)), wanted)
            }
            let written = scratch.withUnsafeBufferPointer { scratch in
                running.withLock { isRunning in
                    isRunning
                        ? source.write(interleaved: UnsafeBufferPointer(rebasing: scratch[..<(made * source.channels)]))
                        : 0
                }
            }
            madeFrames += Int64(written)
            if made < wanted { break }
        }
        return isRunning ? .soon : .onceChanged
    }
}

/// Keeps an app's block to one call at a time, without a lock that would be held while it runs.
///
/// A thread that comes while another is in the block, or that the block itself sent, does not wait: the block is asked by
/// the next pump.
package final class BlockTurn: Sendable {
    private let isTaken = Atomic(false)

    package init() {}

    /// False where the block is running.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

    func giveBack() { isTaken.store(false, ordering: .releasing) }
}
