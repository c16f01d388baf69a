import AudioModel
import EngineCore
import Synchronization

/// The part of a graph in front of a time effect: rendered ahead, with as many frames as the effect asks for.
struct EngineIsland {
    let renderer: EngineRenderer
    /// What feeds the part's sources, when the part is rendered.
    let feeder = ReadAheadScheduler()
}

/// A time effect as a source: feeds the renderer behind it with what its island makes.
///
/// It does nothing for an effect with one player or source node before it, which feeds that effect itself.
package final class IslandSource: EngineSource {
    /// Short, as a change is heard that much later.
    package let readAheadSeconds = 0.08
    private static let chunkFrames = 512

    /// Nil while there is no island.
    private let bound = Mutex<Bound?>(nil)
    /// An old producer may still render.
    private let turn = BlockTurn()

    private struct Bound {
        var producer: BlockProducer
        var use: SourceBinding
        var island: EngineIsland
    }

    package init() {}

    package func sync(for node: NodeController) {
        bound.withLock { bound in
            let place = node.place
            let island = place.flatMap { place in place.control.state.withLock { $0.islands[place.id] } }
            let use = island == nil ? nil : place.flatMap { $0.control.use(of: $0.id) }
            if let use, let island, use.isSame(as: bound?.use), island.renderer === bound?.island.renderer { return }
            if let old = bound {
                old.use.feeder.remove(old.producer)
                old.producer.isRunning = false
                if let use, old.use.feed === use.feed { use.feed.flush(toFrame: 0) }
            }
            bound = nil
            guard let use, let island else { return }
            use.feed.readAheadFrames = use.readAheadFrames(seconds: readAheadSeconds)
            let producer = BlockProducer(
                source: use.feed, turn: turn, chunkFrames: Self.chunkFrames,
                converter: use.makeConverter(from: use.renderer.sampleRate, nil),
                block: Self.block(rendering: island, for: use))
            bound = Bound(producer: producer, use: use, island: island)
            use.feed.play()
            use.feeder.add(producer)
        }
    }

    package func reset() { bound.withLock { $0?.use.feed.flush(toFrame: 0) } }

    /// Renders a cycle of the island, or several, at the time when they will be heard as far as is known.
    private static func block(rendering island: EngineIsland, for use: SourceBinding) -> BlockProducer.Block {
        let (channels, renderer) = (use.feed.channels, island.renderer)
        let cuts = use.isManual
        return { [weak control = use.control, feed = use.feed, outer = use.renderer] output, frames, _ in
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: channels * renderer.maximumFrames)
            defer { memory.deallocate() }
            let planes = (0..<channels).map { memory + $0 * renderer.maximumFrames }
            var done = 0
            while done < frames {
                let count = min(frames - done, renderer.maximumFrames)
                control?.feed(island, frames: count)
                let ahead = Double(feed.capacityFrames - feed.writableFrames) / outer.sampleRate
                renderer.renderByHand(
                    count, into: planes,
                    at: HostTime(nanoseconds: outer.lastCycle?.hostTimeNanoseconds ?? 0).advanced(bySeconds: ahead),
                    cuts: cuts)
                for (channel, plane) in planes.enumerated() {
                    for frame in 0..<count { output[(done + frame) * channels + channel] = plane[frame] }
                }
                done += count
            }
            renderer.reclaim()
        }
    }
}

extension EngineController {
    /// Feeds what an island's next cycle needs; by hand the input too.
    fileprivate func feed(_ island: EngineIsland, frames: Int) {
        let isInput = state.withLock { state in
            state.manual != nil && state.input.map { state.nodes[$0.node]?.renderer === island.renderer } == true
        }
        if isInput { _ = takeManualInput(frames, rate: island.renderer.sampleRate) }
        island.feeder.pump(minimumFrames: frames)
    }
}
