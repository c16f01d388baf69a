import Synchronization

/// Feeds a source from a block that makes frames as they are asked for, while the cycle does not ask it.
///
/// No lock is held while the block runs: it may stop, change and release the engine that it feeds.
///
/// `@unchecked Sendable`: every `var` belongs to the thread that has the turn.
package final class BlockProducer: FrameProducer, @unchecked Sendable {
    /// Fills interleaved frames, [frame][channel], from the given frame of the block's own on.
    package typealias Block = (UnsafeMutableBufferPointer<Float>, _ frames: Int, _ from: Int64) -> Void

    private let source: SourceFeed
    private let turn: BlockTurn
    private let block: Block
    private let chunkFrames: Int
    private let converter: (any FrameConverter)?
    /// As long as no cycle needs more.
    private let readAheadFrames: Int
    /// Called where the block does not keep up with the cycle.
    private let onLeavingCycle: @Sendable () -> Void
    /// Held while frames are written, not while they are made.
    private let running = Mutex(true)
    private let hasLeftCycle = Atomic<Bool>(false)
    /// At the renderer's rate, and not written yet.
    private var made: FrameQueue
    /// By the block, at its rate.
    private var madeFrames: Int64 = 0

    /// - Parameters:
    ///   - source: read ahead as far as it says now, and as far as a cycle needs.
    ///   - turn: shared with all producers that ask the same block.
    ///   - chunkFrames: the most frames the block is asked for at once.
    ///   - converter: between the block and the renderer; nil where nothing is.
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

    /// Whether the block is asked at all.
    ///
    /// Any thread, the block too; does not wait for a block that runs. Once it is false, nothing more is written.
    package var isRunning: Bool {
        get { running.withLock { $0 } }
        set { running.withLock { $0 = newValue } }
    }

    package func pump(minimumFrames: Int) -> NextPump {
        guard isRunning else { return .onceChanged }
        // The cycle asks the block itself.
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

    /// - Returns: false where what the block makes cannot be converted.
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
