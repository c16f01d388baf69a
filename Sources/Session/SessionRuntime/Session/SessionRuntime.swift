package import AudioModel
import CRealtime
import Foundation
package import HostInterface
package import SessionCore
import Synchronization
package import Threading

/// One session with its host: the mailbox, the thread that pumps it, and the poster.
///
/// The only place where they meet.
///
/// Threads: every method says who may call it. API calls, host events and player requests become messages; the session
/// thread applies them one at a time, publishes the new state, and carries out the effects in the machine's order.
/// Waiting is allowed in this order only: application thread, session thread, host; and poster, observers, session
/// thread. The session thread never waits for the poster, and no host or render thread waits for another thread.
package final class SessionRuntime: Sendable {
    package let host: any AudioHost
    package let clock: RuntimeClock
    package let notices: NoticeQueue
    package let recordPermission = RecordPermission()

    /// How often the app has asked for an activation, counted as it asks.
    let activationRequests = Atomic<UInt64>(0)
    package let mailbox = SerialQueue<Message>()
    let replies = Mutex(Replies())
    private let published: Mutex<SessionState>
    private let lastID = Atomic<UInt64>(0)
    private let firstInventory = Latch()
    private let recorders: [any SessionRecorder]

    package enum Message: Sendable {
        case fact(SessionFact)
        case call(CallID, Preparation?, @Sendable (CallID, SessionState) -> SessionFact)
        case work(@Sendable (inout SessionThread) -> Void)
    }

    struct Replies {
        var waiting: [CallID: Answer] = [:]
        var isClosed = false
    }

    /// Takes the reply to one call; nil means success.
    package typealias Answer = @Sendable (SessionError?) -> Void

    /// What only the session thread touches.
    package struct SessionThread {
        package internal(set) var machine: SessionMachine
        var streams: [StreamID: OpenStream] = [:]
        var watchers: [WatchID: Watcher] = [:]
        var lossObservers: [WatchID: LossObserver] = [:]
        var alarms: [Alarm] = []
        /// Messages that were taken from the mailbox.
        package internal(set) var messageCount: UInt64 = 0

        init(_ machine: SessionMachine) { self.machine = machine }

        /// Of all streams of a direction, the longest way between a frame and the air.
        package func latencyFrames(_ direction: PortDirection) -> Int {
            let ids = machine.state.streams.filter { $0.policy.direction == direction }.map(\.id)
            return ids.compactMap { streams[$0]?.stream.latencyFrames }.max() ?? 0
        }

        /// Of all streams, the longest cycle, in seconds; 0 while none is known.
        package var cycleSeconds: Double { streams.values.map(\.stream.cycleSeconds).max() ?? 0 }

        struct OpenStream {
            var stream: any HostStream
            var owner: any StreamOwner
        }
    }

    /// Starts the host and waits, at most 3 s, until it has told which ports there are.
    ///
    /// - Parameters:
    ///   - machine: the session as it begins, with what it takes from its surroundings.
    ///   - recorders: see all events of the session.
    package init(
        host: any AudioHost, machine: SessionMachine = SessionMachine(), recorders: [any SessionRecorder] = []
    ) throws(HostError) {
        self.host = host
        clock = RuntimeClock(host)
        notices = NoticeQueue(hasVirtualTime: host.hasVirtualTime)
        self.recorders = recorders
        published = Mutex(machine.state)
        let thread = Thread { [mailbox, weak self] in
            var context = SessionThread(machine)
            while let message = mailbox.next() {
                guard let self else { return }
                context.messageCount += 1
                switch message {
                case .fact(let fact): self.apply(fact, &context)
                case .call(let call, let prepare, let makeFact):
                    prepare?()
                    self.apply(makeFact(call, context.machine.state), &context)
                case .work(let body): body(&context)
                }
            }
        }
        thread.name = "oav-session"
        thread.start()
        if let error = synchronously({ [self] context in startHost(context) }) ?? nil {
            mailbox.close()
            throw error
        }
        VirtualMachine.add(self)
        // Without this, `currentRoute` would be empty in the first instants of every process.
        firstInventory.wait(timeoutSeconds: 3)
    }

    deinit { mailbox.close() }

    // MARK: Any thread

    /// The session's state after the newest event; a copy.
    package var state: SessionState { published.withLock { $0 } }

    /// How many outputs of the route have left so far; see `FilePlayer.play(at:knownLosses:)`.
    package var outputLosses: UInt64 { state.outputLosses }

    /// What belongs to a request and is no fact of the session.
    package typealias Preparation = @Sendable () -> Void

    /// Applies a fact and waits for the session's reply.
    ///
    /// Application threads and observers; never the session thread.
    ///
    /// - Parameters:
    ///   - prepare: runs before it, on the session thread, in one step with the fact.
    ///   - isDeactivation: a slow server takes its time for it.
    ///   - makeFact: builds the fact from the newest state, on the session thread, so that of two calls at the
    ///     same moment neither undoes the other. It changes nothing.
    package func perform(
        preparing prepare: Preparation? = nil, isDeactivation: Bool = false,
        _ makeFact: @escaping @Sendable (CallID, SessionState) -> SessionFact
    ) throws(SessionError) {
        guard !oav_is_in_app_call() else { throw Self.inCycle }
        let reply = Promise<SessionError?>()
        ask(preparing: prepare, isDeactivation: isDeactivation, makeFact) { reply.fulfil($0) }
        if host.answersSlowly { passTime(until: reply) }
        let error = reply.wait()
        VirtualMachine.waitUntilApplied(host)
        if let error { throw error }
    }

    /// Applies a fact; the session's reply comes later, once.
    ///
    /// Any thread; does not wait.
    ///
    /// - Parameter answer: called on the session thread, or, where that has ended, on the caller's; must not wait.
    package func ask(
        preparing prepare: Preparation? = nil, isDeactivation: Bool = false,
        _ makeFact: @escaping @Sendable (CallID, SessionState) -> SessionFact, _ answer: @escaping Answer
    ) {
        guard let call = expect(answer) else { return answer(Self.ended) }
        let put: @Sendable () -> Void = { [weak self, mailbox] in
            if !mailbox.put(.call(call, prepare, makeFact)) { self?.answer(call, Self.ended) }
        }
        if !isDeactivation || !host.delayDeactivation(put) { put() }
    }

    /// As `ask`, at once.
    ///
    /// Session thread.
    func ask(
        _ context: inout SessionThread, _ makeFact: (CallID, SessionState) -> SessionFact, _ answer: @escaping Answer
    ) {
        guard let call = expect(answer) else { return answer(Self.ended) }
        apply(makeFact(call, context.machine.state), &context)
    }

    /// - Returns: the call that `answer` replies to; nil once the session has ended.
    private func expect(_ answer: @escaping Answer) -> CallID? {
        let call = CallID(number: nextID())
        return replies.withLock { replies in
            if !replies.isClosed { replies.waiting[call] = answer }
            return replies.isClosed ? nil : call
        }
    }

    private static let inCycle = SessionError(
        .isBusy,
        "The session was called in the block of a source or sink node, on the audio device's thread, for which the session may "
            + "have to wait. Call it from another thread, or use activate and deactivate, which do not wait.")

    /// Applies a fact that has no reply, and waits until its effects are carried out.
    ///
    /// Application threads and observers. Does not wait in the cycle.
    package func apply(_ fact: SessionFact) {
        synchronously { [weak self] context in self?.apply(fact, &context) }
    }

    /// Runs `body` on the session thread, between two events, and waits for it.
    ///
    /// Application threads and observers. In a block that a cycle calls, `body` runs soon, and the answer is nil.
    package func synchronously<T: Sendable>(_ body: @escaping @Sendable (inout SessionThread) -> T) -> T? {
        // The session may have to wait for this thread.
        if oav_is_in_app_call() {
            asynchronously { _ = body(&$0) }
            return nil
        }
        let value = Promise<T>()
        guard mailbox.put(.work { context in value.fulfil(body(&context)) }) else { return nil }
        return value.wait()
    }

    /// Runs `body` on the session thread, soon.
    ///
    /// Any thread, the session thread too.
    ///
    /// - Returns: false once the session has ended: `body` does not run then.
    @discardableResult
    package func asynchronously(_ body: @escaping @Sendable (inout SessionThread) -> Void) -> Bool {
        mailbox.put(.work(body))
    }

    /// Ends every stream and the host; calls that wait are answered with `mediaServicesFailed`.
    ///
    /// Idempotent.
    package func shutdown() {
        synchronously { context in
            for entry in context.streams.values { entry.stream.close() }
            context.streams = [:]
            for watcher in context.watchers.values { watcher(nil) }
            context.watchers = [:]
            context.lossObservers = [:]
            context.alarms = []
        }
        waitForReleases()
        synchronously { [host] _ in host.shutdown() }
        mailbox.close()
        for recorder in recorders { recorder.end() }
        let waiting = replies.withLock { replies in
            replies.isClosed = true
            defer { replies.waiting = [:] }
            return Array(replies.waiting.values)
        }
        for answer in waiting { answer(Self.ended) }
    }

    package func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    // MARK: Session thread

    private func startHost(_ context: SessionThread) -> HostError? {
        do throws(HostError) {
            try host.start { [mailbox] event in mailbox.put(.fact(.host(event))) }
            for recorder in recorders { recorder.begin(on: host.name, context.machine.state) }
            return nil
        } catch {
            return error
        }
    }

    func apply(_ fact: SessionFact, _ context: inout SessionThread) {
        let event = SessionEvent(time: host.now(), fact: fact)
        let wasActive = context.machine.state.activation.isActive
        let chosenBefore = context.machine.state.chosenOutputUID
        let lossesBefore = context.machine.state.outputLosses
        let effects = context.machine.apply(event)
        // Readable before observers are called.
        published.withLock { $0 = context.machine.state }
        // Before a stream is linked to what is left.
        if context.machine.state.outputLosses != lossesBefore {
            for observer in context.lossObservers.values { observer() }
        }
        for effect in effects { carryOut(effect, wasActive: wasActive, &context) }
        // A time that only an alarm was set for is no fact of the session.
        if callAlarms(fact, &context), effects.isEmpty { return }
        for recorder in recorders { recorder.record(event, effects, context.machine.state) }
        let isInventory = if case .host(.inventoryChanged) = fact { true } else { false }
        // Who acts on a loss needs the next route: the inventory brings it.
        if case .host(.portLost) = fact { return }
        if isInventory || !effects.isEmpty || context.machine.state.chosenOutputUID != chosenBefore {
            for entry in context.streams.values { entry.owner.eventApplied() }
            for watcher in context.watchers.values { watcher(context.machine.state) }
        }
        if isInventory { firstInventory.raise() }
    }

    package static let ended = SessionError(
        .mediaServicesFailed, "This audio session ended with its simulated machine; use the session of one that runs.")
}

/// Sees what a session does.
///
/// The recorded events replay to the same effects on a new `SessionMachine`: a bug report becomes a test.
package protocol SessionRecorder: Sendable {
    /// The host is connected, and the session begins. Session thread, once; must not wait.
    func begin(on host: String, _ state: SessionState)

    /// An event was applied, and its effects were carried out. Session thread; must not wait.
    func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState)

    /// The session was shut down. The thread that did it, perhaps more than once.
    func end()
}
