package import EngineCore
import Synchronization

/// A source node below the public API: an app's block that makes frames.
///
/// The block is called in the cycle where it makes planes, at the renderer's rate or at one that is converted there; else, and once it was too slow for that, on the
/// thread that feeds.
package final class SourceNodeController: EngineSource {
    /// Short, as what the block makes is heard that much later; ten times the interval of the thread that feeds.
    package let readAheadSeconds = 0.1
    private static let chunkFrames = 512

    private let block: SourceBlock
    /// Nil while there is nothing to play on.
    private let bound = Mutex<Bound?>(nil)
    /// Where the node changes, or changes its engine, an old producer may still be in the block.
    private let turn = BlockTurn()

    private struct Bound {
        var producer: BlockProducer
        var use: SourceBinding
    }

    package init(_ block: SourceBlock) { self.block = block }

    // MARK: In the cycle

    package func isMadeInCycle(_ shape: SourceShape) -> Bool {
        let rate = block.sampleRate ?? shape.format.sampleRate
        return !shape.hasTimeEffects && block.canMakeInCycle(shape.format.channels.count)
            && (rate == shape.rate || CycleConverter.isPossible(from: rate, to: shape.rate))
    }

    package func cycleOrigin(_ shape: SourceShape, in renderer: EngineRenderer) -> SourceFeed.Origin? {
        guard isMadeInCycle(shape) else { return nil }
        let made = StreamFormat(
            sampleRate: block.sampleRate ?? shape.format.sampleRate, channels: shape.format.channels)
        let body = block.makeBody(made)
        let converter =
            made.sampleRate == shape.rate
            ? nil
            : CycleConverter(
                body, from: made.sampleRate, to: shape.rate, channels: made.channels.count,
                maximumFrames: renderer.maximumFrames)
        return .block(BlockCall(turn: turn, isWatched: shape.isWatched, body: converter?.process ?? body))
    }

    /// Whether the block is called in the cycle; false also while nothing plays it.
    package var isInCycle: Bool { bound.withLock { $0?.use.feed.isInCycle ?? false } }

    /// How often the block has taken more than half of its cycle, since its engine's renderer or the node's format is new.
    package var slowCalls: Int { bound.withLock { $0?.use.feed.slowCalls ?? 0 } }

    package func willStart() {
        bound.withLock { bound in
            guard let feed = bound?.use.feed, feed.call != nil else { return }
            if !feed.isInCycle {
                feed.flush(toFrame: 0)
                feed.forgiveBlock()
            }
            feed.play()
        }
    }

    package func hold() {
        bound.withLock { bound in
            bound?.use.feed.pause()
            bound?.producer.isRunning = false
        }
    }

    // MARK: EngineSource

    package func sync(for node: NodeController) {
        bound.withLock { bound in
            let use = node.place.flatMap { $0.control.use(of: $0.id) }
            if let use, use.isSame(as: bound?.use) {
                bound?.producer.isRunning = true
                return
            }
            if let old = bound {
                old.use.feeder.remove(old.producer)
                old.producer.isRunning = false
                if old.use.feed !== use?.feed { old.use.feed.call?.close() }
                // What it made is for another chain of effects, or another rate.
                if let use, old.use.feed === use.feed { use.feed.flush(toFrame: 0) }
            }
            bound = nil
            guard let use else { return }
            let made = StreamFormat(
                sampleRate: block.sampleRate ?? use.format.sampleRate, channels: use.format.channels)
            let (rate, outputRate) = (made.sampleRate, use.renderer.sampleRate)
            let stage = RateStage.ifNeeded(from: rate, to: outputRate, channels: made.channels.count)
            // Silent at a rate that is not converted.
            guard stage != nil || rate == outputRate else { return }
            // Where the caller renders, the block is asked for what the caller asks for.
            use.feed.readAheadFrames = use.isManual ? 1 : use.readAheadFrames(seconds: readAheadSeconds)
            let producer = BlockProducer(
                source: use.feed, turn: turn,
                chunkFrames: use.isManual ? use.renderer.maximumFrames : Self.chunkFrames,
                converter: use.makeConverter(from: rate, stage), block: block.makeBlock(made)
            ) { [name = node.name] in
                tellSlowBlock(of: name, called: "ahead of", "its sound is up to 0.1 s late")
            }
            bound = Bound(producer: producer, use: use)
            use.feed.play()
            use.feeder.add(producer)
        }
    }

    package func reset() {
        bound.withLock {
            guard let feed = $0?.use.feed, !feed.isInCycle else { return }
            feed.flush(toFrame: 0)
        }
    }
}

/// An app's block that makes frames, as the runtime calls it.
package struct SourceBlock: Sendable {
    /// Of what the block makes; nil for that of the node's bus.
    package var sampleRate: Double?
    /// Returns a block that fills this format, with the channels of the node's bus, ahead of the cycle.
    package var makeBlock: @Sendable (StreamFormat) -> BlockProducer.Block
    /// The same for the cycle.
    package var makeBody: @Sendable (StreamFormat) -> BlockCall.Body
    /// Whether `makeBody` does for a bus of so many channels.
    package var canMakeInCycle: @Sendable (Int) -> Bool

    package init(
        sampleRate: Double?, makeBlock: @escaping @Sendable (StreamFormat) -> BlockProducer.Block,
        makeBody: @escaping @Sendable (StreamFormat) -> BlockCall.Body,
        canMakeInCycle: @escaping @Sendable (Int) -> Bool
    ) {
        self.sampleRate = sampleRate
        self.makeBlock = makeBlock
        self.makeBody = makeBody
        self.canMakeInCycle = canMakeInCycle
    }
}
