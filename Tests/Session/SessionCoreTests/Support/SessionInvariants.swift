import AudioModel

@testable import SessionCore

/// What must hold over any sequence of events; tests feed it every step of a `SessionMachine`.
///
/// It knows the rules from the outside: it looks at events, effects and the state before and after, and keeps its own
/// account of calls, streams and claims.
struct SessionInvariants: Sendable {
    /// Every violation so far, with the number of the step (from 1).
    private(set) var violations: [String] = []
    private(set) var stepCount = 0
    private(set) var routeChanges: [RouteChange] = []

    private var askedCalls: Set<CallID> = []
    private var answeredCalls: Set<CallID> = []
    /// When a route change told of the loss of a port, by the port's direction.
    private var losses: [PortDirection: HostTime] = [:]
    /// How many changes were told as what follows a loss.
    private(set) var followedLosses = 0
    var streams: [StreamID: StreamAccount] = [:]
    var session = SessionAccount()

    init() {}

    /// Checks one step and returns its violations.
    @discardableResult
    mutating func check(
        _ event: SessionEvent, effects: [SessionEffect], before: SessionState, after: SessionState
    ) -> [String] {
        let known = violations.count
        stepCount += 1
        noteEvent(event, effects)
        checkRouteChanges(effects, before: before, after: after)
        checkLossReasons(event, effects, before: before, after: after)
        checkReplies(event, effects, before: before, after: after)
        checkLosses(event, effects, before: before, after: after)
        checkStreams(event, effects, before: before, after: after)
        checkActivation(event, effects, before: before, after: after)
        checkClaims(event, effects, after: after)
        checkInterruption(event, effects, before: before, after: after)
        checkStanding(after: after)
        checkNews(event, effects, before: before, after: after)
        checkState(before: before, after: after)
        checkMultiRoute(before: before, after: after)
        checkChoice(event, effects, before: before, after: after)
        checkPreferredInput(event, effects, after: after)
        if SessionEffect.inOrder(effects) != effects { fail("the effects are out of order") }
        return Array(violations[known...])
    }

    mutating func fail(_ text: String) { violations.append("step \(stepCount): \(text)") }

    private mutating func noteEvent(_ event: SessionEvent, _ effects: [SessionEffect]) {
        switch event.fact {
        case .configurationRequested(let call, _), .activationRequested(let call),
            .deactivationRequested(let call, notifyOthers: _, isSuperseded: _), .outputOverrideRequested(let call, _),
            .playRequested(let call, _, generation: _, knownLosses: _),
            .routeDisconnectPreferenceRequested(let call, _),
            .channelCountPreferred(let call, _, _), .preferencesStated(let call, _), .inputPreferred(let call, uid: _),
            .outputChosenByApp(let call, _), .inputGainRequested(let call, _), .outputMuteRequested(let call, _),
            .inputMuteRequested(let call, _):
            askedCalls.insert(call)
            // What is wanted again may be lost again.
            if case .playRequested(_, let id, generation: _, knownLosses: _) = event.fact {
                streams[id]?.isPausedForLoss = false
            }
        case .streamOpened(let id, let policy):
            streams[id] = StreamAccount(policy: policy)
        case .streamPolicyChanged(let id, let policy):
            streams[id]?.policy = policy
            if !policy.continuesPrivately { streams[id]?.continuesPrivately = false }
            if policy.onInterruption == .ignore { streams[id]?.mayRunInactive = true }
        case .streamClosed(let id):
            streams[id] = nil
        case .playerStopped(let id):
            streams[id]?.isRunning = false
            streams[id]?.suppression = nil
        case .host(.streamHeld(let id)):
            streams[id]?.isHeld = true
        case .host(.streamReleased(let id)):
            streams[id]?.isHeld = false
        case .host(.inventoryChanged(_, let losses)):
            for loss in losses { streams[loss.stream]?.isHeld = false }
        case .host(.portLost(let loss)):
            if effects.hasPause(of: loss.stream) { streams[loss.stream]?.isHeld = false }
        case .host(.connectionLost), .pauseRequested, .host(.outputChosenByUser), .host(.streamFailed),
            .host(.connectionRestored),
            .host(.claimGranted), .host(.claimRefused), .host(.peerChanged), .host(.peerLeft),
            .host(.foreignStreamsChanged), .host(.sleepAnnounced), .host(.wokeFromSleep), .host(.timeReached):
            break
        }
    }

    private mutating func checkRouteChanges(_ effects: [SessionEffect], before: SessionState, after: SessionState) {
        let posted = effects.compactMap { if case .postRouteChange(let change) = $0 { change } else { nil } }
        if posted.count > 1 { fail("\(posted.count) route changes for one event") }
        for change in posted {
            if let last = routeChanges.last, last.current.learningRates(from: change.previous) != change.previous {
                fail("previous route \(change.previous) is not the current route \(last.current) of the change before")
            }
            if change.previous != before.route { fail("previous route is not the route before the event") }
            if change.current != after.route { fail("current route is not the route after the event") }
            let isNewCategory =
                change.reason == .categoryChange && before.configuration.category != after.configuration.category
            if change.previous == change.current, !isNewCategory, change.reason != .wakeFromSleep {
                fail("\(change.reason) posted, nothing changed")
            }
            routeChanges.append(change)
        }
        if posted.isEmpty, before.hasInventory, before.route.learningRates(from: after.route) != after.route {
            fail("the route changed and nothing was posted")
        }
    }

    /// What follows a loss within a second is no choice of a person's: the host tells one with an event of its own.
    private mutating func checkLossReasons(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        guard let change = effects.change else { return }
        let isInventory = if case .host(.inventoryChanged) = event.fact { true } else { false }
        let present = Set(after.inventory.ports.map(PortIdentity.init))
        let lost = before.route.ports.filter { !present.contains(PortIdentity($0)) }
        let moved = [PortDirection.input, .output].filter { direction in
            func uids(_ route: Route) -> [String] { route.ports.filter { $0.direction == direction }.map(\.uid) }
            return uids(before.route) != uids(after.route)
        }
        let isRecent = moved.contains { direction in
            losses[direction].map { change.time.seconds(since: $0) <= 1 } ?? false
        }
        switch change.reason {
        case .override where isInventory && isRecent: fail("an override within a second of a loss")
        case .oldDeviceUnavailable where lost.isEmpty:
            followedLosses += 1
            if !isRecent { fail("an old device, and none was lost") }
        case .oldDeviceUnavailable:
            for port in lost { losses[port.direction] = change.time }
        case .unknown, .newDeviceAvailable, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
            .routeConfigurationChange:
            break
        }
    }

    private mutating func checkReplies(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        // The host answers for the volume of a port.
        for case .setPortVolume(let call, uid: _, _) in effects where !answeredCalls.insert(call).inserted {
            fail("a second reply to call \(call.number)")
        }
        for case .reply(let call, let error) in effects {
            if !askedCalls.contains(call) { fail("a reply to call \(call.number), which was not made") }
            if !answeredCalls.insert(call).inserted { fail("a second reply to call \(call.number)") }
            if let error, error.message.isEmpty { fail("an error without a message") }
            if error != nil, case .configurationRequested(call, _) = event.fact, before != after || effects.count > 1 {
                fail("a refused configuration had an effect")
            }
        }
        if askedCalls.subtracting(answeredCalls) != Set(after.waitingCalls) {
            fail("calls without a reply are not those that wait: \(askedCalls.subtracting(answeredCalls))")
        }
    }

    private mutating func checkState(before: SessionState, after: SessionState) {
        if after.override != .none, after.configuration.category != .playAndRecord {
            fail("an override outside playAndRecord")
        }
        let present = Set(after.inventory.ports.map(PortIdentity.init))
        if after.isConnected, !Set(after.route.identities).isSubset(of: present) { fail("a routed port is not there") }
        if after.route.outputs.contains(where: { $0.kind == .builtInReceiver }),
            after.configuration.category != .playAndRecord, !after.isFreshlyReset
        {
            fail("the receiver is routed outside playAndRecord")
        }
        if case .claiming = after.activation { return }
        if !after.waitingCalls.isEmpty { fail("calls wait without a claim") }
    }
}
