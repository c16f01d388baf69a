internal import AudioModel

/// What must hold over any sequence of events; tests feed it every step of a `SessionMachine`.
///
/// It knows the rules from the outside: it looks at events, effects and the state before and after, and keeps its own
/// account of calls and streams.
package struct SessionInvariants: Sendable {
    /// Every violation so far, with the number of the step (from 1).
    package private(set) var violations: [String] = []
    package private(set) var stepCount = 0
    package private(set) var routeChanges: [RouteChange] = []

    private var askedCalls: Set<CallID> = []
    private var answeredCalls: Set<CallID> = []
    private var streams: [StreamID: Account] = [:]

    /// The checker's own record of a stream.
    private struct Account {
        var policy: StreamPolicy
        var ports: [Port] = []
        /// Paused by the session and not linked since.
        var isPaused = false
    }

    package init() {}

    /// Checks one step and returns its violations.
    @discardableResult
    package mutating func check(
        _ event: SessionEvent, effects: [SessionEffect], before: SessionState, after: SessionState
    ) -> [String] {
        let known = violations.count
        stepCount += 1
        noteEvent(event)
        checkRouteChanges(effects, before: before, after: after)
        checkReplies(event, effects, before: before, after: after)
        checkStreams(effects, before: before, after: after)
        checkActivation(effects, before: before, after: after)
        checkState(before: before, after: after)
        if before == after, effects.contains(where: \.isNotification) { fail("a notification without a change") }
        return Array(violations[known...])
    }

    private mutating func fail(_ text: String) { violations.append("step \(stepCount): \(text)") }

    private mutating func noteEvent(_ event: SessionEvent) {
        switch event.fact {
        case .configurationRequested(let call, _), .activationRequested(let call),
            .deactivationRequested(let call, notifyOthers: _, isSuperseded: _), .outputOverrideRequested(let call, _),
            .playRequested(let call, _, era: _), .routeDisconnectPreferenceRequested(let call, _):
            askedCalls.insert(call)
        case .streamOpened(let id, let policy):
            streams[id] = Account(policy: policy)
        case .streamPolicyChanged(let id, let policy):
            streams[id]?.policy = policy
        case .streamClosed(let id):
            streams[id] = nil
        case .inventoryChanged, .outputChosenByUser, .streamSilenced, .streamFailed, .connectionLost,
            .connectionRestored, .claimGranted, .claimRefused, .pauseRequested, .playerStopped, .streamHeld,
            .streamReleased, .peerChanged, .peerLeft, .foreignStreamsChanged, .sleepAnnounced, .wokeFromSleep,
            .timeReached:
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
            let isNewCategory = before.configuration.category != after.configuration.category
            if change.previous == change.current, !isNewCategory { fail("\(change.reason) posted, nothing changed") }
            routeChanges.append(change)
        }
        if posted.isEmpty, before.hasInventory, before.route.learningRates(from: after.route) != after.route {
            fail("the route changed and nothing was posted")
        }
    }

    private mutating func checkReplies(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        for case .reply(let call, let error) in effects {
            if !askedCalls.contains(call) { fail("a reply to call \(call.number), which nobody made") }
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

    private mutating func checkStreams(_ effects: [SessionEffect], before: SessionState, after: SessionState) {
        for effect in effects {
            switch effect {
            case .linkStream(let id, let ports):
                checkLink(of: id, to: ports, effects, after: after)
                streams[id]?.ports = ports
                streams[id]?.isPaused = false
            case .unlinkStream(let id):
                if streams[id] == nil { fail("unlinked the unknown stream \(id.number)") }
                streams[id]?.ports = []
            case .pausePlayer(let id, _):
                if streams[id] == nil { fail("paused the unknown stream \(id.number)") }
                if streams[id]?.isPaused == true { fail("paused stream \(id.number) twice for one loss") }
                streams[id]?.isPaused = true
            case .failPlayer(let id, _):
                if streams.removeValue(forKey: id) == nil { fail("failed the unknown stream \(id.number)") }
            case .reply, .claim, .release, .startPlayer, .suppressPlayer, .setGain, .postRouteChange,
                .postAvailableInputsChange, .postInterruptionBegan, .postInterruptionEnded, .postBecameActive,
                .postBecameInactive, .postResumptionRecommendation, .postSilenceSecondaryAudioHint,
                .postMediaServicesLost, .postMediaServicesReset, .allowSleep, .wake:
                break
            }
        }
        if Set(streams.keys) != Set(after.streams.map(\.id)) {
            fail("the session's streams are not the open ones")
        }
    }

    private mutating func checkLink(
        of id: StreamID, to ports: [Port], _ effects: [SessionEffect], after: SessionState
    ) {
        guard let account = streams[id] else { return fail("linked the unknown stream \(id.number)") }
        if ports.isEmpty { fail("linked stream \(id.number) to nothing") }
        let present = Set(after.inventory.outputs.map(\.uid))
        for port in ports where !present.contains(port.uid) { fail("linked to \(port.uid), which is not there") }
        if !after.isConnected { fail("linked stream \(id.number) without a connection") }
        if case .port(let uid) = account.policy.target, ports.map(\.uid) != [uid] {
            fail("re-routed stream \(id.number), which is bound to \(uid)")
        }
        let lost = account.ports.filter { !present.contains($0.uid) }
        let isArrival = effects.contains {
            if case .postRouteChange(let change) = $0 { change.reason == .newDeviceAvailable } else { false }
        }
        let wasRoomSpeaker = lost.allSatisfy(\.isPartOfMachine)
        if !lost.isEmpty, account.policy.onDeviceLoss == .pause, !account.isPaused, !(isArrival && wasRoomSpeaker) {
            fail("linked stream \(id.number) on after the loss of \(lost.map(\.uid)) without a pause")
        }
    }

    private mutating func checkActivation(_ effects: [SessionEffect], before: SessionState, after: SessionState) {
        switch (before.activation, after.activation) {
        case (.inactive, .active), (.active, .claiming): fail("activation skipped a state")
        case (.claiming(let old), .claiming(let new)), (.active(let old), .active(let new)),
            (.claiming(let old), .active(let new)):
            if old != new { fail("the claim changed under an activation") }
        case (.inactive, .claiming(let id)):
            if !effects.contains(.claim(id, after.configuration)) { fail("claiming without a claim") }
        case (.claiming(let id), .inactive), (.active(let id), .inactive):
            if after.isConnected, before.activation.isActive, !effects.contains(.release(id, notifyOthers: false)),
                !effects.contains(.release(id, notifyOthers: true))
            {
                fail("inactive without a release")
            }
        case (.inactive, .inactive):
            break
        }
    }

    private mutating func checkState(before: SessionState, after: SessionState) {
        if after.override != .none, after.configuration.category != .playAndRecord {
            fail("an override outside playAndRecord")
        }
        let present = Set(after.inventory.ports.map(PortIdentity.init))
        if after.isConnected, !Set(after.route.identities).isSubset(of: present) { fail("a routed port is not there") }
        if after.route.outputs.contains(where: { $0.kind == .builtInReceiver }),
            after.configuration.category != .playAndRecord
        {
            fail("the receiver is routed outside playAndRecord")
        }
        if case .claiming = after.activation { return }
        if !after.waitingCalls.isEmpty { fail("calls wait without a claim") }
    }
}

extension SessionEffect {
    fileprivate var isNotification: Bool {
        switch self {
        case .postRouteChange, .postAvailableInputsChange, .postInterruptionBegan, .postInterruptionEnded,
            .postBecameActive, .postBecameInactive, .postResumptionRecommendation, .postSilenceSecondaryAudioHint,
            .postMediaServicesLost, .postMediaServicesReset:
            true
        case .reply, .claim, .release, .linkStream, .unlinkStream, .startPlayer, .pausePlayer, .suppressPlayer,
            .setGain,
            .failPlayer, .allowSleep, .wake:
            false
        }
    }
}
