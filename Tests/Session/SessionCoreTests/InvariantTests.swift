import AudioModel
import Testing

@testable import SessionCore

/// The checker must be able to fire: each rule is broken once, with the effects of a machine that has that fault.
struct InvariantTests {
    private let call = CallID(number: 1)
    private let stream = StreamID(number: 1)

    /// Runs `facts` through a true machine, lets `tamper` change the last effects, and returns the violations.
    private func violations(
        _ facts: [SessionFact], tamper: (inout [SessionEffect]) -> Void = { _ in }
    ) -> [String] {
        var machine = SessionMachine()
        var invariants = SessionInvariants()
        for (index, fact) in facts.enumerated() {
            let event = SessionEvent(time: HostTime(nanoseconds: UInt64(index) * 10_000_000_000), fact: fact)
            let before = machine.state
            var effects = machine.apply(event)
            if index == facts.count - 1 { tamper(&effects) }
            invariants.check(event, effects: effects, before: before, after: machine.state)
        }
        #expect(invariants.stepCount == facts.count)
        return invariants.violations
    }

    private func inventory(_ ports: [Port]) -> SessionFact {
        .host(.inventoryChanged(Inventory(ports: ports, defaultOutputUID: ports.first?.uid)))
    }

    private var unplugged: [SessionFact] {
        [
            inventory([Ports.headphones, Ports.speaker]), .streamOpened(stream, StreamPolicy()),
            inventory([Ports.speaker]),
        ]
    }

    @Test func invariants_forATrueMachine_holdTheirPeace() {
        #expect(violations(unplugged) == [])
    }

    @Test func missingRouteChange_isFound() {
        let found = violations(unplugged) { $0.removeAll { if case .postRouteChange = $0 { true } else { false } } }
        #expect(found == ["step 3: the route changed and nothing was posted"])
    }

    @Test func secondRouteChange_isFound() {
        let found = violations(unplugged) { $0.append($0.last!) }
        #expect(found.first == "step 3: 2 route changes for one event")
    }

    @Test func wrongPreviousRoute_isFound() {
        let found = violations(unplugged) { effects in
            guard case .postRouteChange(var change) = effects.last else { return }
            change.previous = .empty
            effects[effects.count - 1] = .postRouteChange(change)
        }
        #expect(found == ["step 3: previous route is not the route before the event"])
    }

    @Test func brokenChain_isFound() {
        let found = violations(unplugged + [inventory([Ports.usb, Ports.speaker])]) { effects in
            guard case .postRouteChange(var change) = effects.last else { return }
            change.previous = .empty
            effects[effects.count - 1] = .postRouteChange(change)
        }
        #expect(found.count == 2)
        #expect(found.first?.contains("is not the current route") == true)
    }

    @Test func eventForNothing_isFound() {
        let route = Route(outputs: [Ports.speaker])
        let change = RouteChange(time: .zero, reason: .override, previous: route, current: route)
        let found = violations([inventory([Ports.speaker]), inventory([Ports.speaker])]) {
            $0.append(.postRouteChange(change))
        }
        #expect(found == ["step 2: override posted, nothing changed", "step 2: a notification without a change"])
    }

    @Test func linkToWhatWasNotChosen_orTwiceToOnePort_isFound() {
        let policy = StreamPolicy(target: .ports(uids: [Ports.usb.uid]))
        let facts = [inventory([Ports.usb, Ports.speaker]), .streamOpened(stream, policy)]
        let foreign = violations(facts) { $0 = [.linkStream(stream, [Ports.usb, Ports.speaker])] }
        #expect(foreign == ["step 2: linked stream 1 to [\"usb\", \"speaker\"], of which it has chosen [\"usb\"]"])
        let twice = violations(facts) { $0 = [.linkStream(stream, [Ports.usb, Ports.usb])] }
        #expect(twice == ["step 2: linked stream 1 twice to one port"])
    }

    /// What a machine with the other reading of the speaker, another order or another category routes to.
    @Test func routeThatMultiRouteDoesNotHave_isFound() {
        func state(
            _ category: SessionCategory, speaker: MultiRouteSpeaker = .onlyWhenAlone, _ inventories: [Inventory]
        ) -> SessionState {
            var machine = SessionMachine(multiRouteSpeaker: speaker)
            _ = machine.apply(
                SessionEvent(
                    time: .zero, fact: .configurationRequested(call, SessionConfiguration(category: category))))
            for inventory in inventories {
                _ = machine.apply(SessionEvent(time: .zero, fact: .host(.inventoryChanged(inventory))))
            }
            return machine.state
        }
        func found(before: SessionState, after: SessionState) -> [String] {
            var invariants = SessionInvariants()
            invariants.checkMultiRoute(before: before, after: after)
            return invariants.violations
        }
        let (usb, hdmi) = (Inventory(ports: [Ports.usb, Ports.hdmi]), Inventory(ports: [Ports.hdmi, Ports.usb]))
        let one = state(.multiRoute, [usb])
        #expect(found(before: one, after: one) == [])
        let other = state(.multiRoute, [hdmi])
        #expect(found(before: one, after: other) == ["step 0: the outputs that stay have changed places"])
    }

    @Test func missingReply_isFound() {
        let found = violations([.configurationRequested(call, SessionConfiguration())]) { $0 = [] }
        #expect(found.first?.contains("calls without a reply") == true)
    }

    @Test func secondReply_isFound() {
        let found = violations([.configurationRequested(call, SessionConfiguration())]) { $0 += $0 }
        #expect(found == ["step 1: a second reply to call 1"])
    }

    @Test func replyToNobody_isFound() {
        let found = violations([inventory([])]) { $0.append(.reply(CallID(number: 9), nil)) }
        #expect(found.first == "step 1: a reply to call 9, which was not made")
    }

    @Test func linkToAMissingPort_isFound() {
        let found = violations([inventory([Ports.speaker]), .streamOpened(stream, StreamPolicy())]) {
            $0 = [.linkStream(stream, [Ports.usb])]
        }
        #expect(found == ["step 2: linked to usb, which is not there"])
    }

    @Test func linkAfterALossWithoutAPause_isFound() {
        let found = violations(unplugged) { $0.removeFirst() }
        #expect(found == ["step 3: linked stream 1 on after the loss of [\"headphones\"] without a pause"])
    }

    @Test func linkBeforeThePause_isFound() {
        let found = violations(unplugged) { $0.swapAt(0, 1) }
        #expect(
            found == [
                "step 3: linked stream 1 on after the loss of [\"headphones\"] without a pause",
                "step 3: the effects are out of order",
            ])
    }

    @Test func secondPause_isFound() {
        let losses = [PortLoss(stream, portUID: "headphones")]
        let facts =
            unplugged.dropLast() + [
                .host(.inventoryChanged(Inventory(ports: [Ports.headphones, Ports.speaker]), losses: losses))
            ]
        #expect(
            violations(Array(facts)) { $0.insert($0[0], at: 0) } == ["step 3: paused stream 1 twice for one loss"])
    }

    @Test func loss_thatPausesNothing_orIsLinkedTo_isFound() {
        let ports = inventory([Ports.headphones, Ports.speaker])
        let losses = [PortLoss(stream, portUID: "headphones")]
        let playing: [SessionFact] = [
            ports, .streamOpened(stream, StreamPolicy(onInterruption: .ignore)),
            .playRequested(call, stream, generation: 0),
            .host(.inventoryChanged(Inventory(ports: [Ports.speaker]), losses: losses)),
        ]
        #expect(violations(playing) == [])
        let unpaused = violations(playing) { $0.removeAll { $0 == .pausePlayer(stream, .oldDeviceUnavailable) } }
        #expect(unpaused.contains("step 4: stream 1 was not paused for the loss of headphones"))
        let second = StreamID(number: 2)
        let opened = playing + [.streamOpened(second, StreamPolicy())]
        #expect(violations(opened) == [])
        #expect(
            violations(opened) { $0 = [.linkStream(second, [Ports.headphones])] }
                == ["step 5: linked to headphones, which is not there"])
    }

    /// The port is there, so that only the loss says that the links are gone.
    @Test func lostLinks_thatAreNotMadeAgain_areFound() {
        let ports = Inventory(ports: [Ports.headphones, Ports.speaker])
        let facts: [SessionFact] = [
            .host(.inventoryChanged(ports)), .streamOpened(stream, StreamPolicy()),
            .host(.inventoryChanged(ports, losses: [PortLoss(stream, portUID: "headphones")])),
        ]
        #expect(violations(facts) == [])
        #expect(
            violations(facts) { $0 = [] } == ["step 3: stream 1 lost its links and was not linked again"])
    }

    @Test func reroutedBoundStream_isFound() {
        let bound = StreamPolicy(target: .port(uid: "usb"))
        let found = violations([inventory([Ports.speaker, Ports.usb]), .streamOpened(stream, bound)]) {
            $0 = [.linkStream(stream, [Ports.speaker])]
        }
        #expect(found == ["step 2: re-routed stream 1, which is bound to usb"])
    }

    @Test func refusalWithAnEffect_isFound() {
        let refused = SessionConfiguration(category: .playback, options: .defaultToSpeaker)
        let found = violations([.configurationRequested(call, refused)]) {
            $0.append(.release(ClaimID(number: 1), notifyOthers: false))
        }
        #expect(found.first == "step 1: a refused configuration had an effect")
    }

    @Test func missingClaimAndRelease_areFound() {
        let silent = violations([.activationRequested(call)]) { $0 = [] }
        #expect(silent.first == "step 1: claiming without a claim")
        #expect(silent.last?.hasPrefix("step 1: claims in the registry: []") == true)
        let off: [SessionFact] = [
            .activationRequested(call), .host(.claimGranted(ClaimID(number: 1), ClaimSerial(number: 1))),
            .deactivationRequested(CallID(number: 2), notifyOthers: false),
        ]
        #expect(violations(off) { $0.removeFirst() }.first?.hasPrefix("step 3: claims in the registry: [A") == true)
    }

    // MARK: Sessions

    private var playing: [SessionFact] {
        [
            inventory([Ports.speaker]), .streamOpened(stream, .resuming),
            .playRequested(call, stream, generation: 0),
            .host(.claimGranted(ClaimID(number: 1), ClaimSerial(number: 1))),
        ]
    }

    private func peer(_ serial: UInt64, _ configuration: SessionConfiguration = Bench.music) -> SessionFact {
        .host(.peerChanged(Peer(serial: ClaimSerial(number: serial), configuration: configuration)))
    }

    private func gone(_ serial: UInt64) -> SessionFact {
        .host(.peerLeft(ClaimSerial(number: serial), notifiesOthers: true))
    }

    @Test func missingAndWrongNews_areFound() {
        let begun = playing + [peer(2)]
        #expect(violations(begun) == [])
        #expect(
            violations(begun) { $0.removeAll { $0 == .postInterruptionBegan(.default) } }
                == ["step 5: inactive without a word", "step 5: the app does not know of the interruption"])
        #expect(
            violations(begun) { $0.append(.postInterruptionBegan(.default)) } == ["step 5: a second interruption began"]
        )
        #expect(
            violations(playing) { $0.insert(.postInterruptionEnded(shouldResume: false), at: 1) }
                == ["step 4: an interruption ended that had not begun"])
        #expect(violations(playing) { $0.removeAll { $0 == .postBecameActive } } == ["step 4: active without a word"])
        #expect(
            violations(playing + [peer(2, Bench.mixing)]) { $0.append(.postResumptionRecommendation) }.first
                == "step 5: a recommendation, and nothing was refused")
        #expect(
            violations(playing + [peer(2, Bench.mixing)]) { $0.append(.postSilenceSecondaryAudioHint(begins: true)) }
                .first?.hasPrefix("step 5: hints") == true)
        #expect(
            violations(playing + [.host(.connectionLost("gone"))]) { $0.removeAll { $0 == .postMediaServicesLost } }
                .count == 2)
    }

    @Test func endOfALostDevice_isFound() {
        let playback = SessionFact.configurationRequested(CallID(number: 2), Bench.music)
        let facts = [playback] + playing + [inventory([]), peer(2)]
        let found = violations(facts) { $0.append(.postInterruptionEnded(shouldResume: false)) }
        #expect(found.first == "step 7: an interruption ended that has no end")
    }

    @Test func claimLeftBehind_isFound() {
        let deactivation = SessionFact.deactivationRequested(
            CallID(number: 9), notifyOthers: false, isSuperseded: false)
        let found = violations(playing + [deactivation]) {
            $0.removeAll { if case .release = $0 { true } else { false } }
        }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("step 5: claims in the registry: [A") == true)
    }

    @Test func soundWithoutASession_isFound() {
        let begun = playing + [peer(2)]
        let started = violations(begun) { $0.append(.startPlayer(stream)) }
        #expect(started.first == "step 5: started stream 1 without a session")
        let unsuppressed = violations(begun) { $0.removeFirst() }
        #expect(
            unsuppressed == [
                "step 5: stream 1 does not know its suppression", "step 5: stream 1 does not know whether it runs",
                "step 5: stream 1 runs without a session",
            ])
        #expect(violations(playing) { $0.removeFirst() } == ["step 4: stream 1 does not know whether it runs"])
    }

    @Test func secondSuppressionAndStart_areFound() {
        #expect(
            violations(playing + [peer(2)]) { $0.insert($0[0], at: 0) } == ["step 5: suppressed stream 1 twice"])
        #expect(violations(playing) { $0.insert($0[0], at: 0) } == ["step 4: started stream 1, which runs"])
    }

    /// What a machine that forgot to judge would leave behind: no effect shows it, so that its state is tampered with.
    @Test func activityThatNothingBacks_isFound() {
        var (bench, _) = Bench.playing()
        bench.configure(Bench.speech)
        _ = bench.join(Bench.music)
        func violations(tamper: (inout SessionState) -> Void) -> [String] {
            var (state, invariants) = (bench.state, SessionInvariants())
            tamper(&state)
            invariants.checkStanding(after: state)
            return invariants.violations
        }
        #expect(violations { _ in } == [])
        #expect(
            violations { $0.derived.activation.forgetReplacement() } == ["step 0: active, and lost in the registry"])
        #expect(
            violations {
                $0.derived.activation.forgetReplacement()
                $0.reported.peers = []
                $0.reported.isAsleep = true
            } == ["step 0: active while the machine sleeps"])
    }

    @Test func gainThatStaysLow_isFound() {
        let facts = playing + [peer(2, Bench.ducking), gone(2)]
        #expect(violations(facts) == [])
        #expect(
            violations(facts) { $0 = [] } == [
                "step 6: stream 1 is ducked without a cause", "step 6: stream 1 does not know its gain",
            ])
    }

    @Test func machineThatMayNotSleep_isFound() {
        #expect(violations([.host(.sleepAnnounced)]) { $0 = [] } == ["step 1: the machine waits to sleep"])
        #expect(
            violations([.host(.wokeFromSleep)]) { $0 = [.allowSleep] } == [
                "step 1: allowed a sleep that was not announced"
            ])
    }
}

extension Activation {
    fileprivate mutating func forgetReplacement() {
        if case .active(let id, let claim, _) = self { self = .active(id, claim, replacement: nil) }
    }
}
