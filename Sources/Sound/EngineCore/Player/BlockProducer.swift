import Synchronization

/// Feeds a source from a block that makes frames on request, while the cycle does not call the block.
///
/// No lock is held while the block runs: it may stop, change and release the engine that it feeds.
///
/// `@unchecked Sendable`: only the thread that has the turn uses the `var`s.
package final class BlockProducer: FrameProducer, @unchecked Sendable {
    /// Fills interleaved frames, [frame][channel]; `from` counts the frames that the block has made.
    package typealias Block = (UnsafeMutableBufferPointer<Float>, _ frames: Int, _ from: Int64) -> Void

    private let source: SourceFeed
    private let turn: BlockTurn
    private let block: Block
    private let chunkFrames: Int
    private let converter: (any FrameConverter)?
    /// The read-ahead, unless a cycle needs more.
    private let readAheadFrames: Int
    /// Called when the block was too slow for the cycle.
    private let onLeavingCycle: @Sendable () -> Void
    /// Held while frames are written, not while they are made.
    private let running = Mutex(true)
    private let hasLeftCycle = Atomic<Bool>(false)
    /// Frames at the renderer's rate that are not written yet.
    private var made: FrameQueue
    /// The number of frames that the block has made, at its rate.
    private var madeFrames: Int64 = 0

    /// - Parameters:
    ///   - source: the source; its current read-ahead is kept, or a longer one if a cycle needs it.
    ///   - turn: shared by all callers of the same block.
    ///   - chunkFrames: the largest number of frames of one call of the block.
    ///   - converter: the converter between the block and the renderer; nil if none is needed.
    ///   - onLeavingCycle: called by `pump`, each time the source's block has been too slow for the cycle.
    package init(
        source: SourceFeed, turn: BlockTurn = BlockTurn(), chunkFrames: Int, converter: (any FrameConverter)? = nil,
        block: @escaping Block, onLeavingCycle: @escaping @Sendable () -> Void = {}
    ) {
        precondition(chunkFrames > 0, "a block is asked for at least one frame")
        self.source = source
        self.turn = turn
        self.block = block
        self.chunkFrames = chunkFrames
        self.converter = converter
        self.onLeavingCycle = onLeavingCycle
        readAheadFrames = source.readAheadFrames
        made = FrameQueue(channels: source.channels)
    }

    /// Whether the block is called at all.
    ///
    /// Any thread, also inside of the block; does not wait for a running block. After it is false, nothing more is
    /// written.
    package var isRunning: Bool {
        get { running.withLock { $0 } }
        set { running.withLock { $0 = newValue } }
    }

    package func pump(minimumFrames: Int) -> NextPump {
        guard isRunning else { return .onceChanged }
        // The cycle calls the block.
        if source.isInCycle {
            hasLeftCycle.store(false, ordering: .relaxed)
            return .onceChanged
        }
        guard turn.take() else { return .soon }
        defer { turn.giveBack() }
        if source.call != nil, !hasLeftCycle.exchange(true, ordering: .relaxed) {
            source.flush(toFrame: 0)
            onLeavingCycle()
        }
        if converter?.takeReset() == true { made.removeAll() }
        source.readAheadFrames = max(readAheadFrames, minimumFrames)
        while isRunning, case let wanted = min(source.writableFrames, chunkFrames), wanted > 0, make(wanted) {
            _ = made.consume { frames in running.withLock { $0 ? source.write(interleaved: frames) : 0 } }
        }
        return isRunning ? .soon : .onceChanged
    }

    /// - Returns: false if the converter fails.
    private func make(_ frames: Int) -> Bool {
        guard let converter else {
            made.append(room: frames) { room in
                ask(for: frames, into: room)
                return frames
            }
            return true
        }
        while made.frames < frames {
            let wanted = max(64, Int((Double(frames - made.frames) / converter.takeRatio()).rounded(.up)))
            let input = [Float](unsafeUninitializedCapacity: wanted * source.channels) { input, count in
                count = wanted * source.channels
                ask(for: wanted, into: UnsafeMutableBufferPointer(rebasing: input[..<count]))
            }
            let isConverted = input.withUnsafeBufferPointer {
                converter.convertAll($0, channels: source.channels, into: &made)
            }
            guard isConverted else { return false }
        }
        return true
    }

    private func ask(for frames: Int, into output: UnsafeMutableBufferPointer<Float>) {
        block(output, frames, madeFrames)
        madeFrames += Int64(frames)
    }
}
