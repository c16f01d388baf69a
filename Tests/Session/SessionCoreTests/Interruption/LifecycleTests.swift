import AudioModel
import SessionCore
import Testing

/// Lost devices, refusals, players that ignore the session, and what the app is told of all that.
struct LifecycleTests {
    private func unplug(_ bench: inout Bench) -> [SessionEffect] {
        bench.plug([Ports.speaker], output: Ports.speaker)
    }

    // Behaviour 35
    @Test func routeDisconnectInterruptionHasNoEnd() {
        var (bench, stream) = Bench.playing()
        let effects = unplug(&bench)
        #expect(
            effects.filter { if case .postRouteChange = $0 { false } else { true } } == [
                .pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.speaker]),
                .release(ClaimID(number: 1), notifyOthers: false), .postInterruptionBegan(.routeDisconnected),
            ])
        #expect(effects.change?.reason == .oldDeviceUnavailable)
        #expect(effects.last == .postInterruptionBegan(.routeDisconnected), "after the route change")

        let (serial, none) = bench.join(Bench.music)
        #expect(none == [])
        #expect(bench.leave(serial, notifying: true) == [])
        #expect(
            bench.plug([Ports.speaker, Ports.headphones], output: Ports.headphones).contains(where: \.isNotice) == false
        )
        #expect(bench.state.interruption?.source == .routeDisconnected)
        #expect(bench.record(stream)?.playWhenReady == false)
        // Nothing but the user ends it: the play button is not the intent of behaviour 27, which nothing would follow.
        #expect(bench.play(stream).first?.isClaim == true)
        #expect(bench.grant().silent == [.startPlayer(stream), .postBecameActive])
        #expect(bench.state.interruption == nil)
    }

    @Test func routeDisconnect_byALoss_interruptsOnlyWhereThePortIsGone() {
        var (bench, stream) = Bench.playing()
        let gone = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(stream, portUID: Ports.headphones.uid)])
        #expect(gone.first == .pausePlayer(stream, .oldDeviceUnavailable))
        #expect(gone.last == .postInterruptionBegan(.routeDisconnected))
        #expect(!bench.state.activation.isActive)

        var (cut, other) = Bench.playing()
        let back = cut.plug(
            [Ports.headphones, Ports.speaker], output: Ports.headphones,
            losses: [PortLoss(other, portUID: Ports.headphones.uid)])
        #expect(
            back == [.pausePlayer(other, .oldDeviceUnavailable), .linkStream(other, [Ports.headphones])],
            "only the link was cut")
        #expect(cut.state.activation.isActive)
    }

    @Test func routeDisconnect_reportedBeforeTheInventory_interruptsOnlyWhereThePortIsGone() {
        let both = [Ports.headphones, Ports.speaker]
        for (left, output) in [([Ports.speaker], Ports.speaker), (both, Ports.headphones)] {
            var (bench, stream) = Bench.playing()
            let loss = PortLoss(stream, portUID: Ports.headphones.uid)
            #expect(bench.feed(.host(.portLost(loss))) == [.pausePlayer(stream, .oldDeviceUnavailable)])
            let effects = bench.plug(left, output: output, losses: [loss])
            let isGone = output == Ports.speaker
            #expect(effects.contains(.postInterruptionBegan(.routeDisconnected)) == isGone)
            #expect(bench.state.activation.isActive != isGone)
            #expect(
                !bench.plug([Ports.speaker], output: Ports.speaker).contains(.postInterruptionBegan(.routeDisconnected))
            )
        }
    }

    // Behaviour 36
    @Test func routeDisconnectPreferenceOff() {
        var (bench, stream) = Bench.playing()
        let call = bench.call()
        #expect(
            bench.feed(.routeDisconnectPreferenceRequested(call, prefersInterruption: false)) == [.reply(call, nil)])
        #expect(!bench.state.prefersInterruptionOnRouteDisconnect)
        let effects = unplug(&bench)
        #expect(effects.first == .pausePlayer(stream, .oldDeviceUnavailable))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
        #expect(effects.count == 3)
        #expect(bench.state.activation.isActive)
    }

    @Test func routeDisconnect_thatConcernsNobody_interruptsNothing() {
        var (mixing, _) = Bench.playing(Bench.mixing)
        var (other, _) = Bench.playing(SessionConfiguration(category: .soloAmbient))
        var (survivor, _) = Bench.playing(policy: StreamPolicy(onDeviceLoss: .continue))
        var (paused, stream) = Bench.playing()
        paused.pause(stream)
        for effects in [unplug(&mixing), unplug(&other), unplug(&survivor), unplug(&paused)] {
            #expect(effects.change?.reason == .oldDeviceUnavailable)
            #expect(!effects.contains { $0.isNotice }, "\(effects)")
        }
    }

    @Test func routeDisconnect_whileAnotherPlayerSurvivesTheLoss_interruptsNothing() {
        var (bench, paused) = Bench.playing()
        let survivor = bench.open(StreamPolicy(onDeviceLoss: .continue))
        bench.play(survivor)
        let effects = unplug(&bench)
        #expect(effects.contains(.pausePlayer(paused, .oldDeviceUnavailable)))
        #expect(!effects.contains { $0.isNotice }, "\(effects)")
        #expect(bench.record(survivor)?.isStarted == true)
    }

    /// A player that goes on at a loss counts only where it sounds.
    @Test func routeDisconnect_whileAPausedPlayerWouldSurviveTheLoss_interrupts() {
        var (bench, _) = Bench.playing()
        _ = bench.open(StreamPolicy(onDeviceLoss: .continue))
        #expect(unplug(&bench).last == .postInterruptionBegan(.routeDisconnected))
    }

    @Test func routeDisconnect_ofAPlayerThatIgnoresTheSession_interruptsNothing() {
        var (bench, music) = Bench.playing()
        bench.pause(music)
        let prompt = bench.open(StreamPolicy(onInterruption: .ignore))
        bench.play(prompt)
        let effects = unplug(&bench)
        #expect(effects.contains(.pausePlayer(prompt, .oldDeviceUnavailable)))
        #expect(!effects.contains { $0.isNotice }, "\(effects)")
    }

    // Behaviour 37
    @Test func activationDeniedDoesNotPlay() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        _ = bench.join(Bench.call, name: "phone\u{1B}")
        #expect(bench.play(stream).filter(\.isClaim).count == 1)
        let effects = bench.grant()
        #expect(effects.first == .pausePlayer(stream, .refusal))
        #expect(effects.contains(.release(ClaimID(number: 1), notifyOthers: true)))
        let error = effects.replyError()
        #expect(error?.code == .insufficientPriority)
        #expect(error?.message.contains("phone") == true)
        #expect(error?.message.contains("\u{1B}") == false)
        #expect(bench.record(stream)?.playWhenReady == false)
        #expect(!bench.allEffects.contains { $0.isStart })
    }

    @Test func activationDenied_pausesThePlayerThatAskedAlone() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let prompt = bench.open(StreamPolicy(onInterruption: .ignore))
        _ = bench.open()
        let music = bench.open()
        _ = bench.join(Bench.call)
        bench.play(prompt)
        bench.play(music)
        let pauses = bench.grant().filter { if case .pausePlayer = $0 { true } else { false } }
        #expect(pauses == [.pausePlayer(music, .refusal)])
    }

    // Behaviour 38
    @Test func handlingDisabledIgnoresDenial() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open(StreamPolicy(onInterruption: .ignore))
        _ = bench.join(Bench.call)
        let effects = bench.play(stream, generation: 0)
        #expect(effects.replyError() == nil)
        #expect(effects.silent == [.startPlayer(stream)])
        #expect(bench.state.stage == .inactive)
        // The same goes for interruptions and the app's own deactivation.
        bench.configure(Bench.call)
        bench.activate()
        let (_, began) = bench.join(Bench.call)
        #expect(began == [.suspendClaim(ClaimID(number: 1)), .postInterruptionBegan(.default)])
        #expect(bench.deactivate().silent == [])
        #expect(bench.record(stream)?.isStarted == true)
    }

    // Behaviour 42
    @Test func lifecycleTrio() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.activate()
        let (serial, _) = bench.join(Bench.music, isPlaying: false)
        bench.leave(serial, notifying: false)
        bench.activate()
        bench.deactivate()
        #expect(
            bench.notices == [
                .postBecameActive, .postInterruptionBegan(.default), .postInterruptionEnded(shouldResume: false),
                .postBecameActive, .postBecameInactive,
            ])
    }

    // Behaviour 43
    @Test func resumptionRecommendationAfterRejectedActivation() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let (call, _) = bench.join(Bench.call)
        #expect(bench.activate().last.map { [$0] }?.replyError()?.code == .insufficientPriority)
        let (second, none) = bench.join(Bench.music)
        #expect(none == [])
        #expect(bench.leave(second, notifying: true) == [])
        #expect(bench.leave(call, notifying: false) == [.postResumptionRecommendation])
        let (again, _) = bench.join(Bench.call)
        #expect(bench.leave(again, notifying: true) == [], "once")
    }

    @Test func resumptionRecommendation_afterAForeignCall_followsItsEnd() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.run(roles: "Phone")
        #expect(bench.activate().last.map { [$0] }?.replyError()?.message.contains("caller") == true)
        #expect(bench.run() == [.postResumptionRecommendation])

        bench.run(roles: "Phone")
        bench.activate()
        bench.deactivate()
        #expect(bench.run() == [], "the app has lost interest")
    }

    @Test func refusal_byTwoForeignCalls_namesTheFirst() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let calls = ["first", "second"].enumerated().map { ForeignStream(id: UInt64($0), role: "Phone", name: $1) }
        bench.feed(.host(.foreignStreamsChanged(calls)))
        let message = bench.activate().last.map { [$0] }?.replyError()?.message
        #expect(message?.hasPrefix("The program \"first\" holds a call") == true)
    }

    /// The one story that both families of notifications tell: the newer one is made from the same effects.
    // Behaviour 44
    @Test func legacyAndNewApisAgree() {
        var (bench, _) = Bench.playing()
        for _ in 0..<3 {
            let (serial, _) = bench.join(Bench.music, isPlaying: false)
            bench.leave(serial, notifying: true)
            bench.grant()
        }
        var isActive = true
        for effect in bench.notices.drop(while: { $0 != .postInterruptionBegan(.default) }) {
            switch effect {
            case .postInterruptionBegan: isActive = false
            case .postInterruptionEnded: #expect(!isActive)
            case .postBecameActive:
                #expect(!isActive)
                isActive = true
            default: Issue.record("\(effect)")
            }
        }
        #expect(bench.notices.count == 10)
    }

    // Behaviour 45
    @Test func stateNeverSkips() {
        var (bench, _) = Bench.playing()
        #expect(bench.state.stage == .active(ClaimID(number: 1)))
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.state.stage == .inactive)
        bench.leave(serial, notifying: true)
        #expect(bench.state.stage == .claiming(ClaimID(number: 2)))
        #expect(
            bench.feed(.host(.claimGranted(ClaimID(number: 1), ClaimSerial(number: 9)))) == [], "an old claim's answer")
        #expect(bench.state.stage == .claiming(ClaimID(number: 2)))
        bench.grant()
        #expect(bench.state.stage == .active(ClaimID(number: 2)))
    }
}
