import EngineCore
import Synchronization

/// A player node below the public API: its queue, and what becomes of it where there is something to play on.
///
/// What is scheduled while nothing has been prepared waits in `items`, and so does what has not been completed when the
/// node's format changes: it is then scheduled again, from the beginning.
package final class PlayerNodeController: EngineSource {
    package let readAheadSeconds = 0.5
    private let items = PlayerItems()
    private let operation = Mutex(Operation())

    private struct Operation {
        var player: EnginePlayer?
        var use: SourceBinding?
        var control: EngineController?
        var isPlaying = false
        /// When it is to begin, if `play` said.
        var start: NodeTime?

        func rendererTime(_ time: NodeTime) -> Int64? {
            use.flatMap { time.frames(at: $0.renderer.sampleRate) { control?.sampleTime(atHostTime: $0) } }
        }
    }

    package init() {}

    // MARK: App threads

    package var isPlaying: Bool { operation.withLock { $0.isPlaying } }

    package func schedule(_ item: PlayerItem) {
        change { operation in
            let id = items.add(item)
            if let player = operation.player, let use = operation.use {
                schedule(item, id, on: player, use, operation.control)
            } else if item.interruption == .atOnce {
                for (older, _) in items.all where older != id { items.complete(older) }
            }
        }
        wake()
    }

    /// Changes what may complete items.
    private func change(_ body: (inout Operation) -> Void) {
        operation.withLock { body(&$0) }
        items.releaseCompleted()
    }

    private func schedule(
        _ item: PlayerItem, _ id: UInt64, on player: EnginePlayer, _ use: SourceBinding, _ control: EngineController?
    ) {
        let rate = use.format.sampleRate
        player.schedule(
            ScheduledItem(
                id: id, frames: item.content.frames(at: rate),
                time: item.time?.frames(at: rate) { hostTime in
                    // While the player's own time is not known, a host time means nothing.
                    control?.sampleTime(atHostTime: hostTime).flatMap { player.playerFrames(atSampleTime: $0) }
                },
                loops: item.loops ? -1 : 0, callback: item.callback),
            interrupting: item.interruption)
    }

    package func play(at time: NodeTime?) {
        operation.withLock { operation in
            operation.isPlaying = true
            operation.start = time
            start(operation)
        }
        operation.withLock { $0.control }?.resumeOutput()
        wake()
    }

    private func start(_ operation: Operation) {
        guard operation.isPlaying, let player = operation.player else { return }
        player.play(at: operation.start.flatMap(operation.rendererTime) ?? .min)
    }

    package func pause() {
        operation.withLock {
            $0.isPlaying = false
            $0.player?.pause()
        }
    }

    /// No frame of it is heard elsewhere before the next `play`.
    package func pauseForLoss() {
        operation.withLock {
            $0.isPlaying = false
            $0.player?.pauseAtOnce()
        }
    }

    package func stop() {
        change {
            $0.isPlaying = false
            $0.start = nil
            $0.player?.stop()
            items.completeAll()
        }
    }

    package func reset() { stop() }

    /// The player's time at a time of the renderer, which has a rate; nil while it does not play.
    package func playerTime(at time: NodeTime) -> (frames: Int64, rate: Double)? {
        operation.withLock { operation in
            guard operation.isPlaying, let player = operation.player, let use = operation.use,
                let sampleTime = operation.rendererTime(time),
                let frames = player.playerFrames(atSampleTime: sampleTime)
            else { return nil }
            return (frames, use.format.sampleRate)
        }
    }

    /// The renderer's time at a time of the player; nil while it does not play.
    package func rendererTime(atPlayerTime frames: Double, rate: Double) -> (sampleTime: Int64, rate: Double)? {
        operation.withLock { operation in
            guard operation.isPlaying, let player = operation.player, let use = operation.use, rate > 0,
                let time = player.sampleTime(
                    atPlayerFrames: Int64(nearest: frames * use.format.sampleRate / rate))
            else { return nil }
            return (time, use.renderer.sampleRate)
        }
    }

    private func wake() { operation.withLock { $0.control }?.reading.wake() }

    // MARK: EngineSource

    package func sync(for node: NodeController) {
        change { operation in
            let place = node.place
            items.setCalls(place?.control.handlers.completions)
            let use = place.flatMap { $0.control.use(of: $0.id) }
            if let use, use.isSame(as: operation.use) {
                operation.use = use
                operation.player?.latencyFrames = use.latencyFrames
                return
            }
            guard use != nil || operation.use != nil else { return }
            if let old = operation.player {
                operation.control?.feeder.remove(old)
                old.retire()
            }
            operation.player = nil
            operation.use = use
            operation.control = place?.control
            guard let use, let control = place?.control else { return }
            let player = makePlayer(use)
            operation.player = player
            for (id, item) in items.all { schedule(item, id, on: player, use, control) }
            start(operation)
            control.feeder.add(player)
        }
    }

    package func noteRendered() { _ = operation.withLock { $0.player }?.pump(minimumFrames: 0) }

    private func makePlayer(_ use: SourceBinding) -> EnginePlayer {
        let (items, format) = (items, use.format)
        use.feed.readAheadFrames = use.readAheadFrames(seconds: readAheadSeconds)
        let stage = RateStage.ifNeeded(
            from: format.sampleRate, to: use.renderer.sampleRate, channels: format.channels.count)
        let player = EnginePlayer(
            engine: use.renderer, source: use.feed, converter: use.makeConverter(from: format.sampleRate, stage),
            items: FormattedItems(items, format),
            onCompletion: { items.complete($0.item) })
        player.latencyFrames = use.latencyFrames
        return player
    }
}

/// The items of a player node, in the format that the node feeds.
private final class FormattedItems: ItemReader {
    private let items: PlayerItems
    private let format: StreamFormat
    /// Those that are being read, which may be completed meanwhile.
    private let kept = Mutex<[UInt64: PlayerItem]>([:])

    init(_ items: PlayerItems, _ format: StreamFormat) {
        self.items = items
        self.format = format
    }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        let content = items.item(item)
        kept.withLock { $0[item] = content }
        return content?.content.read(from: frame, room, frames, as: format) ?? 0
    }

    func endReading() {
        kept.change { $0 = [:] }
        items.releaseCompleted()
    }
}
