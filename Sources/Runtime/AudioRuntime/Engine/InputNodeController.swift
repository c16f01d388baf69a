package import EngineCore
package import RenderCore
import Synchronization

/// The input node below the public API: plays what is captured, where the output is to hear it.
///
/// Where one clock drives both, the output plays in each cycle what was captured in the one before; else a bridge between the
/// two clocks feeds it.
package final class InputNodeController: EngineSource {
    /// Room for `CaptureBridge`, several times over.
    package let readAheadSeconds = 2.0

    private let operation = Mutex(Operation())

    fileprivate struct Operation {
        var use: SourceBinding?
        /// Nil until the first frames that are to be bridged.
        var bridge: CaptureBridge?
        var newest: (block: CycleBlock, rate: Double)?
    }

    package init() {}

    package func isMadeInCycle(_ shape: SourceShape) -> Bool {
        !shape.hasTimeEffects && !shape.isByHand && shape.format.sampleRate == shape.rate
    }

    package func cycleOrigin(_ shape: SourceShape, in renderer: EngineRenderer) -> SourceFeed.Origin? {
        guard isMadeInCycle(shape) else { return nil }
        return .tap(renderer.makeTap(channels: shape.format.channels.count, capacitySeconds: 0))
    }

    package func sync(for node: NodeController) {
        operation.withLock { operation in
            let place = node.place
            let use = place.flatMap { place in
                place.control.isInputHeard ? place.control.use(of: place.id) : nil
            }
            if let use, use.isSame(as: operation.use) { return }
            if let old = operation.use { old.feed.flush(toFrame: 0) }
            operation.use = use
            operation.bridge = nil
            if let use { begin(use) }
        }
    }

    /// A bridge begins with its first frames; what is not bridged, at once.
    private func begin(_ use: SourceBinding) {
        if use.isManual || use.feed.shared != nil { use.feed.play() }
    }

    func note(_ block: CycleBlock, rate: Double) { operation.withLock { $0.newest = (block, rate) } }

    /// When the newest captured frames came, and their rate.
    package var lastMoment: (block: CycleBlock, rate: Double)? { operation.withLock { $0.newest } }

    /// - Parameter interleaved: captured frames, in the node's format.
    func play(interleaved: UnsafeBufferPointer<Float>, channels: Int) {
        operation.withLock { $0.bridge(for: channels) }?.write(interleaved: interleaved)
    }

    /// Where the app renders by hand: the feed that it renders from.
    var manualFeed: SourceFeed? { operation.withLock { $0.use?.isManual == true ? $0.use?.feed : nil } }

    /// Whether the output hears each frame a cycle after it was captured, and no bridge is needed.
    package var sharesCycles: Bool { operation.withLock { $0.use?.feed.sharesCycles ?? false } }

    /// Also at a start: what waits is from before.
    package func reset() {
        operation.withLock { operation in
            guard let use = operation.use else { return }
            // What was heard last must not decay into what comes next, nor hold it up.
            use.feed.pauseAtOnce()
            use.feed.flush(toFrame: 0)
            operation.bridge = nil
            begin(use)
        }
    }
}

extension InputNodeController.Operation {
    /// Nil where nothing is to be bridged: the app's block is asked for just what is rendered, or one clock drives both streams.
    fileprivate mutating func bridge(for channels: Int) -> CaptureBridge? {
        guard let use, !use.isManual, use.feed.channels == channels, !use.feed.sharesCycles else {
            bridge = nil
            return nil
        }
        if let bridge { return bridge }
        let begun = CaptureBridge(
            source: use.feed, sampleRate: use.renderer.sampleRate,
            converter: RateStage.ifNeeded(
                from: use.format.sampleRate, to: use.renderer.sampleRate, channels: use.feed.channels))
        bridge = begun
        return begun
    }
}
