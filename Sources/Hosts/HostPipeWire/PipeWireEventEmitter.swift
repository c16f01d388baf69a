internal import AudioModel
internal import CPipeWireShims
internal import HostInterface
internal import Synchronization
internal import Threading

/// Passes one server's facts to its `PipeWireEventState`, makes the shim carry out the commands, and delivers the events.
///
/// The shim's callbacks keep it alive; it has no reference to a host. After a loss, the next server has another emitter.
///
/// Threads: facts come with the loop locked, one after the other, and every event is delivered there; the session thread
/// reads locations and adds claims. The state's lock is held only for a decision: the shim and the session are called
/// afterwards, the shim first, so that a gate is closed before an event is sent.
final class PipeWireEventEmitter: Sendable {
    private struct State {
        var server: PipeWireEventState
        var host: HostHandle?
        var ranking: WirePlumberRankingReader?
        var delivery: PipeWireDelivery?
        /// Called when the server has read the newest release.
        var waiting: [@Sendable () -> Void] = []

        mutating func takeWaiting() -> [@Sendable () -> Void] {
            defer { waiting = [] }
            return waiting
        }
    }

    /// Rule: used with the loop locked; the connection outlives its last callback.
    private struct HostHandle: @unchecked Sendable { let pointer: OpaquePointer }

    private let state: Mutex<State>
    private let firstProgress = Latch()
    private let onLossReported: @Sendable () -> Void
    private let onProgress: @Sendable () -> Void

    /// - Parameters:
    ///   - followsALoss: whether the first event is `connectionRestored`, together with the first inventory.
    ///   - onLossReported: called on the loop thread, after the delivery.
    ///   - onProgress: called on the loop thread when `progress` or `hasReported` has changed.
    init(
        followsALoss: Bool, onLossReported: @escaping @Sendable () -> Void, onProgress: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(server: PipeWireEventState(followsALoss: followsALoss)))
        self.onLossReported = onLossReported
        self.onProgress = onProgress
    }

    // MARK: Any thread

    var hasReported: Bool { state.withLock { $0.server.hasReported } }
    var hasReportedLoss: Bool { state.withLock { $0.server.life == .lossReported } }
    var progress: PipeWireEventState.Progress { state.withLock { $0.server.progress } }

    /// Waits until the server has reported its state or is lost.
    func waitForProgress(seconds: Double) -> PipeWireEventState.Progress {
        firstProgress.wait(timeoutSeconds: seconds)
        return progress
    }

    // MARK: Session thread

    var facts: PipeWireInventory { state.withLock { $0.server.facts } }
    var clients: PipeWireClients { state.withLock { $0.server.clients } }
    var smallestQuantum: Int? { state.withLock { $0.server.smallestQuantum } }
    var isLost: Bool { state.withLock { $0.server.isLost } }
    /// The server's words about a loss that was not reported.
    var lossWords: String { state.withLock { if case .lost(let words, _) = $0.server.life { words } else { "" } } }

    /// Delivers events from the first report on.
    func begin(_ delivery: PipeWireDelivery) { state.withLock { $0.delivery = delivery } }

    /// Delivers nothing after this call.
    func end() {
        let waiting = state.withLock { state in
            state.delivery = nil
            state.server.forgetRelease()
            return state.takeWaiting()
        }
        for body in waiting { body() }
    }

    /// Calls `body` when the server has read the newest release; at once if it already has.
    func whenRead(_ body: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            if state.server.awaitsReading { state.waiting.append(body) }
            return state.server.awaitsReading
        }
        if !waits { body() }
    }

    /// Delivers the event with the next report.
    func answer(_ event: HostEvent) { state.withLock { $0.server.send(event) } }

    /// Records a port that was gone when a stream was to be linked: the next report lists it like any other loss.
    func missed(_ uid: String, by stream: StreamID) { state.withLock { $0.server.missed(uid, by: stream) } }

    func targets(of id: StreamID) -> [PipeWireStreamTracker.Target] { state.withLock { $0.server.targets(of: id) } }

    // MARK: Any thread, with the loop locked

    /// Must be called before the loop runs.
    func attach(_ host: OpaquePointer, _ ranking: WirePlumberRankingReader) {
        let handle = HostHandle(pointer: host)
        state.withLock { ($0.host, $0.ranking) = (handle, ranking) }
        update { $0.begin() }
    }

    /// Applies a fact or a call, makes the shim carry out the commands, and delivers the events.
    @discardableResult
    func update<R: Sendable>(_ change: (inout PipeWireEventState) -> R) -> R {
        let (result, commands, host, before, after) = state.withLock { state in
            let before = Reached(state.server)
            let (result, commands) = state.server.update(at: .monotonic, change)
            return (result, commands, state.host, before, Reached(state.server))
        }
        guard let host = host?.pointer else { return result }
        for command in commands { carryOut(command, host) }
        // An event must not interrupt a call of the session's: only the loop thread delivers.
        if oav_pw_host_is_calling(host) {
            let (events, delivery) = state.withLock { state -> ([HostEvent], PipeWireDelivery?) in
                guard let delivery = state.delivery else { return ([], nil) }
                return (state.server.takeEvents(), delivery)
            }
            if !events.isEmpty { delivery?.deliver(events) }
        }
        if after.hasReportedLoss, !before.hasReportedLoss { onLossReported() }
        if after != before {
            firstProgress.raise()
            onProgress()
        }
        return result
    }

    /// The milestones for which other threads wait.
    private struct Reached: Equatable {
        let progress: PipeWireEventState.Progress
        let hasReported: Bool
        let hasReportedLoss: Bool

        init(_ server: PipeWireEventState) {
            (progress, hasReported) = (server.progress, server.hasReported)
            hasReportedLoss = server.life == .lossReported
        }
    }

    private func carryOut(_ command: PipeWireEventState.Command, _ host: OpaquePointer) {
        switch command {
        case .sync:
            let seq = oav_pw_host_sync(host)
            state.withLock { $0.server.asked(seq) }
        case .syncDeparture(let serial):
            let seq = oav_pw_host_sync(host)
            state.withLock { $0.server.askedForDeparture(of: serial, seq) }
        case .syncClaims:
            let seq = oav_pw_host_sync(host)
            state.withLock { $0.server.askedForClaims(seq) }
        case .arm(let time): oav_pw_host_arm(host, time.map { max($0.nanoseconds, 1) } ?? 0)
        case .closeGate(let stream): oav_pw_stream_set_gate(stream.pointer, false)
        case .openGate(let stream): oav_pw_stream_set_gate(stream.pointer, true)
        case .destroyLink(let id): oav_pw_host_destroy_link(host, id)
        case .breakNode(let stream): oav_pw_stream_unlink(stream.pointer, true)
        case .unlink(let stream): oav_pw_stream_unlink(stream.pointer, false)
        case .watch(let stream, let targets): stream.watch(targets)
        case .setRoute(let id, let device, let cardDevice, let route):
            // Not saved: a session's route is not the user's preference for later logins.
            let isSet = oav_pw_host_set_route(host, device, cardDevice, route, nil, false)
            if !isSet { update { $0.abandon(id, "the card's route could not be set") } }
        case .makeNode(let id, let stream, let channels):
            let (status, words) = stream.makeNode(channels: channels, makesPorts: !clients.hasManager)
            if status != OAV_PW_OK { update { $0.abandon(id, words, hasNode: false) } }
        case .addLink(let id, let stream, let target, let ours, let theirs):
            guard !oav_pw_stream_add_link(stream.pointer, UInt32(target), ours, theirs) else { break }
            update { $0.abandon(id, "a link could not be made") }
        case .setProfile(let device, let index): _ = oav_pw_host_set_profile(host, device, index)
        case .readMetadata:
            if !oav_pw_host_read_metadata(host) { update { $0.receive(.metadataRead(isComplete: false)) } }
        case .readRanking(let process): state.withLock { $0.ranking }?.read(ofProcess: process)
        case .look(let streams):
            let progress = streams.mapValues { PipeWireManagerStart.Progress(oav_pw_stream_progress($0.pointer)) }
            update { $0.linkStandingStreams(progress) }
        case .endRelease: for body in state.withLock({ $0.takeWaiting() }) { body() }
        }
    }
}

extension HostTime {
    func advanced(byMilliseconds milliseconds: UInt64) -> HostTime {
        HostTime(nanoseconds: nanoseconds + milliseconds * 1_000_000)
    }
}
