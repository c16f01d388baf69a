internal import AudioModel
internal import CPipeWireShims
internal import Threading

/// Passes one server's facts to its `PipeWireEventState`, makes the shim carry out the commands, and delivers the events.
///
/// The shim's callbacks keep it alive; it has no reference to a host. After a loss, the next server has another emitter.
///
/// Rule: everything but `waitForProgress` is used with the loop locked, which is the only lock of its state. The shim is called
/// before the session, so that a gate is closed before an event is sent. Events are delivered on the loop thread.
final class PipeWireEventEmitter: @unchecked Sendable {
    private(set) var state: PipeWireEventState
    /// Delivers events from the first report on; nil before, and after `end`.
    var delivery: PipeWireDelivery?
    /// Called when the server has read the newest release.
    private var waiting: [@Sendable () -> Void] = []
    private let calls: PipeWireServerCalls
    private let firstProgress = Latch()
    private let observer: PipeWireConnection.Observer

    /// - Parameter followsALoss: whether the first event is `connectionRestored`, together with the first inventory.
    init(_ calls: PipeWireServerCalls, followsALoss: Bool, observer: PipeWireConnection.Observer) {
        self.calls = calls
        self.observer = observer
        state = PipeWireEventState(followsALoss: followsALoss)
    }

    /// Waits until the server has reported its state or is lost.
    ///
    /// Any thread, with the loop not locked.
    func waitForProgress(seconds: Double) { firstProgress.wait(timeoutSeconds: seconds) }

    /// Delivers nothing after this call.
    ///
    /// - Returns: what waits for the server, to be called.
    func end() -> [@Sendable () -> Void] {
        delivery = nil
        state.forgetRelease()
        return takeWaiting()
    }

    /// Calls `body` when the server has read the newest release.
    ///
    /// - Returns: false if it already has: `body` is not called then.
    func whenRead(_ body: @escaping @Sendable () -> Void) -> Bool {
        if state.awaitsReading { waiting.append(body) }
        return state.awaitsReading
    }

    private func takeWaiting() -> [@Sendable () -> Void] {
        defer { waiting = [] }
        return waiting
    }

    /// Applies a fact or a call, makes the shim carry out the commands, and delivers the events.
    @discardableResult
    func update<R>(_ change: (inout PipeWireEventState) -> R) -> R {
        let before = Reached(state)
        let (result, commands) = state.update(at: .monotonic, change)
        let after = Reached(state)
        for command in commands { carryOut(command) }
        // An event must not interrupt a call of the session's: only the loop thread delivers.
        if let delivery, oav_pw_host_is_calling(calls.host) {
            let events = state.takeEvents()
            if !events.isEmpty { delivery.deliver(events) }
        }
        if after.hasReportedLoss, !before.hasReportedLoss { observer.onLossReported() }
        if after != before {
            firstProgress.raise()
            observer.onProgress()
        }
        return result
    }

    /// The milestones for which other threads wait.
    private struct Reached: Equatable {
        let progress: PipeWireEventState.Progress
        let hasReported: Bool
        let hasReportedLoss: Bool

        init(_ state: PipeWireEventState) {
            (progress, hasReported) = (state.progress, state.hasReported)
            hasReportedLoss = state.life == .lossReported
        }
    }

    private func carryOut(_ command: PipeWireEventState.Command) {
        let host = calls.host
        switch command {
        case .server(let request): if let answer = calls.carryOut(request) { update { $0.receive(answer) } }
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
            let (status, words) = stream.makeNode(channels: channels, makesPorts: !state.clients.hasManager)
            if status != OAV_PW_OK { update { $0.abandon(id, words, hasNode: false) } }
        case .addLink(let id, let stream, let target, let ours, let theirs):
            guard !oav_pw_stream_add_link(stream.pointer, UInt32(target), ours, theirs) else { break }
            update { $0.abandon(id, "a link could not be made") }
        case .setProfile(let device, let index): _ = oav_pw_host_set_profile(host, device, index)
        case .look(let streams):
            let progress = streams.mapValues { PipeWireManagerStart.Progress(oav_pw_stream_progress($0.pointer)) }
            update { $0.linkStandingStreams(progress) }
        case .endRelease: for body in takeWaiting() { body() }
        }
    }
}

extension HostTime {
    func advanced(byMilliseconds milliseconds: UInt64) -> HostTime {
        HostTime(nanoseconds: nanoseconds + milliseconds * 1_000_000)
    }
}
