import AudioModel
import QueueCore
import SessionCore
import Synchronization

@testable import AudioRuntime
@testable import QueueRuntime
@testable import audiosession

/// The queue of a `FakeBackend`: it carries the machine's steps out as `QueuePlayer` does, at once, with players without sound.
final class FakeQueue: ItemQueue {
    private struct State {
        var machine = QueueMachine()
        var player: FakePlayer?
        var items: [QueueItemID: PlayItem] = [:]
        var lastNumber: UInt64 = 0
        var volume: Float = 1

        var status: FilePlayer.Status? { player?.status }
        var first: PlayItem? { machine.items.first.flatMap { items[$0] } }
        var queueStatus: QueuePlayer.Status {
            .init(
                phase: machine.phase(status?.transport, lack: status?.isWaiting == true ? .sound : nil),
                requestedRate: machine.requestedRate(status?.transport))
        }
        func id(of item: any QueueItem) -> QueueItemID? { machine.items.first { items[$0] === item } }
    }

    private let state = Mutex(State())
    private let backend: FakeBackend
    private let onEvent: @Sendable (QueuePlayer.Event) -> Void

    init(_ backend: FakeBackend, onEvent: @escaping @Sendable (QueuePlayer.Event) -> Void) {
        self.backend = backend
        self.onEvent = onEvent
    }

    var status: QueuePlayer.Status { state.withLock { $0.queueStatus } }

    var position: Double {
        state.withLock { state in
            let isFirst = state.machine.sound.item == state.machine.items.first
            return state.machine.seek?.seconds ?? (isFirst ? state.status?.position : nil) ?? 0
        }
    }

    func setRate(_ rate: Float, knownLosses: UInt64?) -> Bool {
        let isHeard = state.withLock { state in
            let isPaused = state.first?.isPaused(byLossWith: state.status?.transport) ?? true
            if let knownLosses, knownLosses < backend.outputLosses, isPaused { return false }
            state.machine.setRate(rate)
            return true
        }
        proceed()
        return isHeard
    }

    func setSpeed(_ speed: Float) {
        state.withLock {
            $0.machine.setSpeed(speed)
            $0.player?.rate = speed == 1 ? nil : speed
        }
    }

    func setVolume(_ volume: Float) {
        state.withLock {
            $0.volume = volume
            $0.player?.volume = volume
        }
    }

    func changeItems(_ body: (inout [any QueueItem]) -> Void) {
        let unwanted = state.withLock { state in
            var list: [any QueueItem] = state.machine.items.compactMap { state.items[$0] }
            body(&list)
            let ids = list.map { item in
                let id = state.id(of: item) ?? QueueItemID(number: state.lastNumber + 1)
                state.lastNumber = max(state.lastNumber, id.number)
                state.items[id] = item as? PlayItem
                return id
            }
            return state.machine.setItems(ids).unwanted.compactMap { state.items[$0] }
        }
        for item in unwanted { item.cancelOpening() }
        proceed()
    }

    func seek(_ item: any QueueItem, toSeconds seconds: Double, completion: @escaping @Sendable (Bool) -> Void) {
        state.withLock { state in
            guard let id = state.id(of: item) else { return }
            _ = state.machine.add(QueueSeek(number: 0, item: id, seconds: seconds))
        }
        proceed()
    }

    func closeAndWait() { changeItems { $0 = [] } }

    /// An output of the route has left; what was linked to it knows.
    func loseOutput() {
        let (before, after) = state.withLock { state in
            let before = state.queueStatus.rate
            if state.first?.isPaused(byLossWith: state.status?.transport) ?? true { state.machine.loseOutput() }
            return (before, state.queueStatus.rate)
        }
        if before != after { onEvent(.rateChanged(.session)) }
        proceed()
    }

    // MARK: Steps

    private func proceed() {
        while let step = state.withLock({ $0.machine.nextStep($0.status?.transport) }) { carryOut(step) }
    }

    private func carryOut(_ step: QueueMachine.Step) {
        let player = state.withLock { $0.player }
        switch step {
        case .open(let id, _):
            player?.close()
            state.withLock { $0.player = nil }
            guard let id, let item = state.withLock({ $0.items[id] }) else { return }
            if item.item.source.isSlow { backend.aside.post { self.open(item, id) } } else { open(item, id) }
        case .play(let rate):
            player?.rate = rate == 1 ? nil : rate
            state.withLock { $0.machine.carriedOut(.play(rate: rate)) }
            do throws(SessionError) { try player?.play() } catch { onEvent(.refused(error)) }
        case .pause:
            state.withLock { $0.machine.carriedOut(.pause) }
            player?.pause()
        case .seek(let seek):
            player?.seek(toSeconds: seek.seconds)
            state.withLock { $0.machine.carriedOut(seek) }
        case .join(let id): join(id)
        case .separate: player?.takeNextAway()
        case .setEnd: break
        case .tellEnd(let id): tell(id) { .ended($0, isFollowed: false) }
        case .tellFailure(let id, _):
            tell(id) { .failed($0, .playback(player?.status.failure ?? .file("")), wasOpen: true) }
        }
    }

    private func tell(_ id: QueueItemID, _ event: (PlayItem) -> QueuePlayer.Event) {
        if let item = state.withLock({ $0.items[id] }) { onEvent(event(item)) }
    }

    private func open(_ item: PlayItem, _ id: QueueItemID) {
        guard state.withLock({ $0.machine.isOpening(id) }) else { return }
        do throws(QueueFailure) {
            let player = try backend.makePlayer(item, volume: state.withLock { $0.volume }) {
                [weak item] player, report in
                if let item { self.follow(report, of: player, item) }
            }
            do throws(SessionError) { try item.prepare(player as any Player) } catch {
                throw QueueFailure(.playback(.session(error)))
            }
            player.seek(toSeconds: item.startSeconds)
            item.noteOpened(
                player.info, backend.chapters(path: item.item.name), backend.gains(path: item.item.name))
            onEvent(.opened(item))
            state.withLock { state in
                state.player = player
                _ = state.machine.open(id)
            }
        } catch {
            state.withLock { _ = $0.machine.failOpening(id) }
            onEvent(.failed(item, error.error, wasOpen: false))
        }
        proceed()
    }

    private func join(_ id: QueueItemID) {
        guard let (item, player) = state.withLock({ state in state.items[id].map { ($0, state.player) } }) else {
            return
        }
        let number = item.isSeparate ? nil : player?.setNext(path: item.item.name)
        if let seconds = backend.seconds(of: item.item.name) {
            item.noteOpened(
                FakePlayer.info(item.item.name, seconds: seconds), backend.chapters(path: item.item.name),
                backend.gains(path: item.item.name))
        }
        state.withLock { state in
            if let number { _ = state.machine.join(id, file: number) } else { state.machine.keepSeparate(id) }
        }
    }

    private func follow(_ report: FakePlayer.Report, of player: FakePlayer, _ item: PlayItem) {
        switch report {
        case .status(let status): onEvent(.reported(item, status))
        case .channelMapReset(let reset): onEvent(.channelMapReset(reset))
        case .began(let number):
            guard let (old, new, _) = state.withLock({ $0.machine.begin(file: number) }) else { return }
            tell(new) { .opened($0) }
            tell(old) { .ended($0, isFollowed: true) }
        }
        proceed()
    }
}

/// Why an item does not play.
struct QueueFailure: Error {
    let error: QueuePlayer.ItemError

    init(_ error: QueuePlayer.ItemError) { self.error = error }
}
