package import EngineCore
import Synchronization

/// A source node below the public API: an app's block that makes frames.
package final class SourceNodeController: EngineSource {
    /// Short, as what the block makes is heard that much later; ten times the interval of the thread that feeds.
    package let readAheadSeconds = 0.1
    private static let chunkFrames = 512

    private let sampleRate: Double?
    private let makeBlock: @Sendable (StreamFormat) -> Block
    /// Nil while there is nothing to play on.
    private let bound = Mutex<Bound?>(nil)
    /// Where the node changes, or changes its engine, an old producer may still be in the block.
    private let turn = BlockTurn()

    private struct Bound {
        var producer: BlockProducer
        var use: SourceBinding
    }

    /// Fills interleaved frames; `sampleTime` counts what it has made.
    ///
    /// The thread that feeds.
    package typealias Block = (UnsafeMutableBufferPointer<Float>, _ frames: Int, _ sampleTime: Int64) -> Void

    /// - Parameters:
    ///   - sampleRate: of what the block makes; nil for that of the node's bus.
    ///   - makeBlock: returns a block that fills this format, with the channels of the node's bus.
    package init(sampleRate: Double?, makeBlock: @escaping @Sendable (StreamFormat) -> Block) {
        self.sampleRate = sampleRate
        self.makeBlock = makeBlock
    }

    package func sync(for node: NodeController) {
        bound.withLock { bound in
            let use = node.place.flatMap { $0.control.use(of: $0.id) }
            if let use, use.isSame(as: bound?.use) { return }
            if let old = bound {
                old.use.control.feeder.remove(old.producer)
                old.producer.isRunning = false
                // What it made is for another chain of effects, or another rate.
                if let use, old.use.feed === use.feed { use.feed.flush(toFrame: 0) }
            }
            bound = nil
            guard let use else { return }
            // Where the caller renders, the block is asked for what the caller asks for.
            use.feed.readAheadFrames = use.isManual ? 1 : use.readAheadFrames(seconds: readAheadSeconds)
            let maker = SourceBlockMaker(use, sampleRate: sampleRate, makeBlock)
            let producer = BlockProducer(
                source: use.feed, turn: turn, chunkFrames: use.isManual ? use.renderer.maximumFrames : Self.chunkFrames
            ) { output, frames, from in maker.make(output, frames, from: from) }
            bound = Bound(producer: producer, use: use)
            use.feed.play()
            use.control.feeder.add(producer)
        }
    }

    package func reset() { bound.withLock { $0?.use.feed.flush(toFrame: 0) } }
}

/// Asks an app's block for frames, and brings them to the renderer's rate.
///
/// `@unchecked Sendable`: one thread at a time uses it, the one that has the producer's turn.
private final class SourceBlockMaker: @unchecked Sendable {
    private let block: SourceNodeController.Block
    private let channels: Int
    private let stage: (any FrameConverter)?
    private let isConvertible: Bool
    private var madeFrames: Int64 = 0
    /// Converted and not asked for yet; interleaved.
    private var waiting: [Float] = []

    init(_ use: SourceBinding, sampleRate: Double?, _ makeBlock: (StreamFormat) -> SourceNodeController.Block) {
        let made = StreamFormat(sampleRate: sampleRate ?? use.format.sampleRate, channels: use.format.channels)
        block = makeBlock(made)
        channels = made.channels.count
        let rateStage = RateStage.ifNeeded(
            from: made.sampleRate, to: use.renderer.sampleRate, channels: channels)
        isConvertible = rateStage != nil || made.sampleRate == use.renderer.sampleRate
        stage = use.makeConverter(from: made.sampleRate, rateStage)
    }

    /// - Returns: the frames made; 0 from formats that cannot be converted.
    func make(_ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, from: Int64) -> Int {
        guard isConvertible else { return 0 }
        guard let stage else {
            ask(for: frames, into: output)
            return frames
        }
        while waiting.count < frames * channels {
            let missing = frames - waiting.count / channels
            let wanted = max(64, Int((Double(missing) / stage.takeRatio()).rounded(.up)))
            let input = [Float](unsafeUninitializedCapacity: wanted * channels) { input, count in
                count = wanted * channels
                ask(for: wanted, into: UnsafeMutableBufferPointer(rebasing: input[..<count]))
            }
            let converted = input.withUnsafeBufferPointer { stage.convertAll($0, channels: channels) }
            guard let converted else { return 0 }
            waiting += converted
        }
        let count = frames * channels
        for index in 0..<count { output[index] = waiting[index] }
        waiting.removeFirst(count)
        return frames
    }

    private func ask(for frames: Int, into output: UnsafeMutableBufferPointer<Float>) {
        block(output, frames, madeFrames)
        madeFrames += Int64(frames)
    }
}
