import EngineCore
package import RenderCore
import Synchronization

/// The input node below the public API: plays what is captured, where the output is to hear it.
package final class InputNodeController: EngineSource {
    /// Room for `CaptureBridge`, several times over.
    package let readAheadSeconds = 2.0

    private let operation = Mutex(Operation())

    private struct Operation {
        var use: SourceBinding?
        var bridge: CaptureBridge?
        var newest: (block: CycleBlock, rate: Double)?
    }

    package init() {}

    package func sync(for node: NodeController) {
        operation.withLock { operation in
            let place = node.place
            let use = place.flatMap { place in
                place.control.isInputHeard ? place.control.use(of: place.id) : nil
            }
            if let use, use.isSame(as: operation.use) { return }
            if let old = operation.use { old.feed.flush(toFrame: 0) }
            operation.use = use
            operation.bridge = use.flatMap(bridge)
            if let use, use.isManual { use.feed.play() }
        }
    }

    /// Nil where the app's block is asked for just what is rendered.
    private func bridge(to use: SourceBinding) -> CaptureBridge? {
        use.isManual
            ? nil
            : CaptureBridge(
                source: use.feed, sampleRate: use.renderer.sampleRate,
                converter: RateStage.ifNeeded(
                    from: use.format.sampleRate, to: use.renderer.sampleRate, channels: use.feed.channels))
    }

    func note(_ block: CycleBlock, rate: Double) { operation.withLock { $0.newest = (block, rate) } }

    /// When the newest captured frames came, and their rate.
    package var lastMoment: (block: CycleBlock, rate: Double)? { operation.withLock { $0.newest } }

    /// - Parameter interleaved: captured frames, in the node's format.
    func play(interleaved: UnsafeBufferPointer<Float>, channels: Int) {
        let bridge = operation.withLock { $0.use?.feed.channels == channels ? $0.bridge : nil }
        bridge?.write(interleaved: interleaved)
    }

    /// Where the app renders by hand: the feed that it renders from.
    var manualFeed: SourceFeed? { operation.withLock { $0.use?.isManual == true ? $0.use?.feed : nil } }

    /// Also at a start: what waits is from before.
    package func reset() {
        operation.withLock { operation in
            guard let use = operation.use else { return }
            // What was heard last must not decay into what comes next, nor hold it up.
            use.feed.pauseAtOnce()
            use.feed.flush(toFrame: 0)
            operation.bridge = bridge(to: use)
            // A bridge does it with its first block.
            if use.isManual { use.feed.play() }
        }
    }
}
