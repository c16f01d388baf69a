package import EngineCore
import Synchronization

/// A source node below the public API: an app's block that makes frames.
package final class SourceNodeController: EngineSource {
    /// Short, as what the block makes is heard that much later; ten times the interval of the thread that feeds.
    package let readAheadSeconds = 0.1
    private static let chunkFrames = 512

    private let sampleRate: Double?
    private let makeBlock: @Sendable (StreamFormat) -> BlockProducer.Block
    /// Nil while there is nothing to play on.
    private let bound = Mutex<Bound?>(nil)
    /// Where the node changes, or changes its engine, an old producer may still be in the block.
    private let turn = BlockTurn()

    private struct Bound {
        var producer: BlockProducer
        var use: SourceBinding
    }

    /// - Parameters:
    ///   - sampleRate: of what the block makes; nil for that of the node's bus.
    ///   - makeBlock: returns a block that fills this format, with the channels of the node's bus.
    package init(sampleRate: Double?, makeBlock: @escaping @Sendable (StreamFormat) -> BlockProducer.Block) {
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
            let made = StreamFormat(sampleRate: sampleRate ?? use.format.sampleRate, channels: use.format.channels)
            let (rate, outputRate) = (made.sampleRate, use.renderer.sampleRate)
            let stage = RateStage.ifNeeded(from: rate, to: outputRate, channels: made.channels.count)
            // Silent at a rate that is not converted.
            guard stage != nil || rate == outputRate else { return }
            // Where the caller renders, the block is asked for what the caller asks for.
            use.feed.readAheadFrames = use.isManual ? 1 : use.readAheadFrames(seconds: readAheadSeconds)
            let producer = BlockProducer(
                source: use.feed, turn: turn,
                chunkFrames: use.isManual ? use.renderer.maximumFrames : Self.chunkFrames,
                converter: use.makeConverter(from: rate, stage), block: makeBlock(made))
            bound = Bound(producer: producer, use: use)
            use.feed.play()
            use.control.feeder.add(producer)
        }
    }

    package func reset() { bound.withLock { $0?.use.feed.flush(toFrame: 0) } }
}
