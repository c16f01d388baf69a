import AudioModel
import SessionCore
import Testing

/// A machine on the bench: every event goes through the invariants, and the whole history is kept.
struct Bench {
    private(set) var machine: SessionMachine
    private(set) var events: [SessionEvent] = []
    private(set) var effects: [[SessionEffect]] = []
    private(set) var invariants = SessionInvariants()
    /// Virtual time, in seconds; goes on by 10 s with each event unless `at` says otherwise, so that ports get old.
    private(set) var seconds = 0.0
    /// The last serial that the claim registry has assigned.
    var serialCount: UInt64 = 0
    private var callCount: UInt64 = 0
    private var streamCount: UInt64 = 0

    var state: SessionState { machine.state }
    var routeChanges: [RouteChange] { invariants.routeChanges }
    var reasons: [RouteChangeReason] { routeChanges.map(\.reason) }
    var allEffects: [SessionEffect] { effects.flatMap { $0 } }

    init(multiRouteSpeaker: MultiRouteSpeaker = .onlyWhenAlone) {
        machine = SessionMachine(multiRouteSpeaker: multiRouteSpeaker)
    }

    /// With a first inventory and a category, both before the history that a test looks at.
    init(
        _ ports: [Port], output: Port? = nil, input: Port? = nil, category: SessionCategory = .playback,
        multiRouteSpeaker: MultiRouteSpeaker = .onlyWhenAlone
    ) {
        self.init(multiRouteSpeaker: multiRouteSpeaker)
        plug(ports, output: output, input: input)
        configure(SessionConfiguration(category: category))
        let (configured, now) = (machine, seconds)
        self.init()
        machine = configured
        seconds = now
        invariants = SessionInvariants()
    }

    @discardableResult
    mutating func feed(
        _ fact: SessionFact, after wait: Double = 10, sourceLocation: SourceLocation = #_sourceLocation
    ) -> [SessionEffect] {
        seconds += wait
        let event = SessionEvent(time: HostTime.zero.advanced(bySeconds: seconds), fact: fact)
        let before = machine.state
        let result = machine.apply(event)
        events.append(event)
        effects.append(result)
        let violations = invariants.check(event, effects: result, before: before, after: machine.state)
        if !violations.isEmpty {
            Issue.record("\(violations.joined(separator: "\n"))\n\(log(last: 12))", sourceLocation: sourceLocation)
        }
        return result
    }

    /// The newest steps, for a failure's message.
    func log(last count: Int) -> String {
        zip(events, effects).suffix(count).map { event, effects in
            "\(event.time.seconds) s  \(event.fact)\n" + effects.map { "    -> \($0)\n" }.joined()
        }.joined()
    }

    // MARK: Facts in short

    @discardableResult
    mutating func plug(
        _ ports: [Port], output: Port? = nil, input: Port? = nil, losses: [PortLoss] = [], after wait: Double = 10
    ) -> [SessionEffect] {
        let inventory = Inventory(ports: ports, defaultOutputUID: output?.uid, defaultInputUID: input?.uid)
        return feed(.host(.inventoryChanged(inventory, losses: losses)), after: wait)
    }

    mutating func call() -> CallID {
        callCount += 1
        return CallID(number: callCount)
    }

    @discardableResult
    mutating func configure(_ configuration: SessionConfiguration) -> [SessionEffect] {
        feed(.configurationRequested(call(), configuration))
    }

    @discardableResult
    mutating func override(_ override: OutputOverride) -> [SessionEffect] {
        feed(.outputOverrideRequested(call(), override))
    }

    @discardableResult
    mutating func choose(_ choice: OutputChoice) -> [SessionEffect] { feed(.outputChosenByApp(call(), choice)) }

    mutating func open(_ policy: StreamPolicy = .resuming) -> StreamID {
        streamCount += 1
        let id = StreamID(number: streamCount)
        feed(.streamOpened(id, policy))
        return id
    }
}

extension StreamPolicy {
    /// Of a player that starts again by itself after an interruption.
    static let resuming = StreamPolicy(onInterruption: .pauseAndResume)
}

extension [SessionEffect] {
    /// The error of the one reply among the effects; nil where it is a success.
    ///
    /// Fails where there is not exactly one reply.
    func replyError(sourceLocation: SourceLocation = #_sourceLocation) -> SessionError? {
        let replies = compactMap { if case .reply(_, let error) = $0 { Optional.some(error) } else { nil } }
        #expect(replies.count == 1, "effects: \(self)", sourceLocation: sourceLocation)
        return replies.first ?? nil
    }

    /// Without the release of the waiting claim; the invariants check that.
    var withoutWaitingClaim: [SessionEffect] {
        filter {
            switch $0 {
            case .suspendClaim, .release, .wake: false
            default: true
            }
        }
    }

    /// Without replies, for tests that look at what happened to streams and route.
    var silent: [SessionEffect] {
        filter { if case .reply = $0 { false } else { true } }
    }

    var change: RouteChange? {
        compactMap { if case .postRouteChange(let change) = $0 { change } else { nil } }.first
    }
}
