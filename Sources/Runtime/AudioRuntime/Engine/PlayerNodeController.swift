import EngineCore
internal import SessionRuntime
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
        var intent = Intent.paused
        /// Nil while there is nothing to play on.
        var bound: Bound?

        var isPlaying: Bool { if case .playing = intent { true } else { false } }
        /// Nil while it is paused, and while there is nothing to play on.
        var playing: Bound? { isPlaying ? bound : nil }
    }

    /// What the app has asked for; it holds from one player to the next.
    private enum Intent {
        case paused
        /// From a time on, if `play` said.
        case playing(from: NodeTime?)
    }

    private struct Bound {
        var player: EnginePlayer
        var use: SourceBinding
    }

    package init() {}

    // MARK: App threads

    package var isPlaying: Bool { operation.withLock { $0.isPlaying } }

    package func schedule(_ item: PlayerItem) {
        change { operation in
            let id = items.add(item)
            if let bound = operation.bound {
                schedule(item, id, on: bound)
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

    private func schedule(_ item: PlayerItem, _ id: UInt64, on bound: Bound) {
        let (player, control) = (bound.player, bound.use.control)
        let rate = bound.use.format.sampleRate
        player.schedule(
            ScheduledItem(
                id: id, frames: item.content.frames(at: rate),
                time: item.time?.frames(at: rate) { hostTime in
                    // While the player's own time is not known, a host time means nothing.
                    control.sampleTime(atHostTime: hostTime).flatMap { player.playerFrames(atSampleTime: $0) }
                },
                loops: item.loops ? -1 : 0, callback: item.callback),
            interrupting: item.interruption)
    }

    package func play(at time: NodeTime?) {
        operation.withLock { operation in
            operation.intent = .playing(from: time)
            start(operation)
        }
        operation.withLock { $0.bound?.use.control }?.resumeOutput()
        wake()
    }

    private func start(_ operation: Operation) {
        guard case .playing(let time) = operation.intent, let bound = operation.bound else { return }
        bound.player.source.play(at: time.flatMap(bound.use.sampleTime) ?? .min)
    }

    package func pause() {
        operation.withLock {
            $0.intent = .paused
            $0.bound?.player.source.pause()
        }
    }

    /// No frame of it is heard elsewhere before the next `play`.
    package func pauseForLoss() -> Bool {
        operation.withLock { operation in
            defer { operation.intent = .paused }
            operation.bound?.player.source.pauseAtOnce()
            return operation.isPlaying
        }
    }

    package func stop() {
        change {
            $0.intent = .paused
            $0.bound?.player.stop()
            items.completeAll()
        }
    }

    package func reset() { stop() }

    /// The player's time at a time of the renderer, which has a rate; nil while it does not play.
    package func playerTime(at time: NodeTime) -> (frames: Int64, rate: Double)? {
        operation.withLock { operation in
            guard let bound = operation.playing, let sampleTime = bound.use.sampleTime(at: time),
                let frames = bound.player.playerFrames(atSampleTime: sampleTime)
            else { return nil }
            return (frames, bound.use.format.sampleRate)
        }
    }

    /// The renderer's time at a time of the player; nil while it does not play.
    package func rendererTime(atPlayerTime frames: Double, rate: Double) -> (sampleTime: Int64, rate: Double)? {
        operation.withLock { operation in
            guard let bound = operation.playing, rate > 0,
                let time = bound.player.sampleTime(
                    atPlayerFrames: Int64(nearest: frames * bound.use.format.sampleRate / rate))
            else { return nil }
            return (time, bound.use.renderer.sampleRate)
        }
    }

    private func wake() { operation.withLock { $0.bound?.use.control }?.reading.wake() }

    // MARK: EngineSource

    package func sync(for node: NodeController) {
        change { operation in
            let place = node.place
            items.setCalls(place?.control.handlers.completions)
            let use = place.flatMap { $0.control.use(of: $0.id) }
            if let use, use.isSame(as: operation.bound?.use) {
                operation.bound?.use = use
                operation.bound?.player.latencyFrames = use.latencyFrames
                return
            }
            if let old = operation.bound {
                old.use.feeder.remove(old.player)
                old.player.retire()
            }
            let bound = use.map { Bound(player: makePlayer($0), use: $0) }
            operation.bound = bound
            guard let bound else { return }
            for (id, item) in items.all { schedule(item, id, on: bound) }
            start(operation)
            bound.use.feeder.add(bound.player)
        }
    }

    package func noteRendered() { _ = operation.withLock { $0.bound?.player }?.pump(minimumFrames: 0) }

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
