import AudioModel
import SessionCore
import Testing

/// The server goes away and comes back; the machine goes to sleep and wakes up.
struct MediaServicesTests {
    private var inventory: SessionFact {
        .host(
            .inventoryChanged(
                Inventory(ports: [Ports.headphones, Ports.speaker], defaultOutputUID: Ports.headphones.uid)))
    }

    @Test func lossForAKnownReason_namesItToWhoWaits() {
        var bench = Bench([Ports.speaker])
        let stream = bench.open()
        let effects = bench.feed(.host(.connectionLost("the limit of open files")))
        let sentences = effects.compactMap {
            if case .failPlayer(stream, let error) = $0 { error.message } else { nil }
        }
        #expect(
            sentences == [
                "The connection to the sound server is lost: the limit of open files. Wait until it is back, then activate "
                    + "the session and open the player again."
            ])
        #expect(bench.state.lossReason == "the limit of open files")
        bench.feed(.host(.connectionRestored))
        #expect(bench.state.lossReason == "the limit of open files")
        bench.feed(.host(.connectionLost("")))
        #expect(bench.state.lossReason == "")
    }

    // Behaviour 55; the thread is the poster's matter.
    @Test func lostThenResetOnMainWithoutPayload() {
        var (bench, stream) = Bench.playing()
        let lost = bench.feed(.host(.connectionLost("gone")))
        #expect(lost.count == 2)
        if case .failPlayer(stream, let error)? = lost.first {
            #expect(error.code == .mediaServicesFailed)
        } else {
            Issue.record("\(lost)")
        }
        #expect(lost.last == .postMediaServicesLost)
        #expect(bench.feed(.host(.connectionLost("gone"))) == [])
        #expect(bench.feed(.host(.connectionRestored)) == [.postMediaServicesReset])
        #expect(bench.feed(.host(.connectionRestored)) == [])
    }

    // Behaviour 56
    @Test func resetDropsObjects() {
        var (bench, stream) = Bench.playing(Bench.speech)
        let call = bench.call()
        bench.feed(.routeDisconnectPreferenceRequested(call, prefersInterruption: false))
        bench.feed(.host(.connectionLost("gone")))
        for fact in [
            SessionFact.configurationRequested(bench.call(), Bench.music), .activationRequested(bench.call()),
            .deactivationRequested(bench.call(), notifyOthers: false), .outputOverrideRequested(bench.call(), .none),
            .playRequested(bench.call(), stream, generation: bench.state.generation),
            .routeDisconnectPreferenceRequested(bench.call(), prefersInterruption: true),
        ] {
            #expect(bench.feed(fact).replyError()?.code == .mediaServicesFailed)
        }
        #expect(bench.state.configuration == Bench.speech)

        bench.feed(.host(.connectionRestored))
        bench.feed(inventory)
        #expect(bench.state.configuration == SessionConfiguration())
        #expect(bench.state.prefersInterruptionOnRouteDisconnect)
        #expect(bench.play(stream).replyError()?.code == .resourceNotAvailable, "the old player is dead")
        let new = bench.open()
        bench.play(new)
        #expect(bench.grant().first == .startPlayer(new))
    }

    @Test func reset_forgetsTheUsersChoiceOfOutput() {
        var bench = Bench([Ports.headphones, Ports.speaker], output: Ports.headphones)
        bench.feed(.host(.outputChosenByUser(uid: Ports.speaker.uid)))
        #expect(bench.state.route.outputs == [Ports.speaker])
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        bench.feed(inventory)
        #expect(bench.state.route.outputs == [Ports.headphones], "the choice was the old server's knowledge")
    }

    @Test func stream_openedAfterAResetAndBeforeItsInventory_waitsForThat() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, category: .playAndRecord)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        let player = StreamID(number: 91)
        #expect(bench.feed(.streamOpened(player, StreamPolicy())) == [], "the ports are the lost server's")
        bench.configure(SessionConfiguration(category: .record))
        let recorder = bench.open(StreamPolicy(direction: .input))
        #expect(bench.play(recorder).contains { $0.isClaim }, "an input may be there")
        #expect(bench.feed(inventory).silent.contains(.pausePlayer(recorder, .oldDeviceUnavailable)) == false)
        #expect(bench.state.route == .empty)
    }

    @Test func inventory_afterTheOneOfAReset_isLikeAnyOther() {
        var bench = Bench([Ports.headphones, Ports.speaker], output: Ports.headphones)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.reasons == [.oldDeviceUnavailable])
        bench.plug([Ports.speaker, Ports.usb], output: Ports.usb)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.speaker)
        #expect(bench.reasons == [.oldDeviceUnavailable, .newDeviceAvailable, .override])
    }

    @Test func inventory_thatComesBeforeTheRestoration_isTakenWithIt() {
        var bench = Bench([Ports.headphones, Ports.speaker], output: Ports.headphones)
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.plug([Ports.speaker], output: Ports.speaker) == [])
        #expect(bench.state.route.outputs == [Ports.headphones])
        let effects = bench.feed(.host(.connectionRestored))
        #expect(effects.contains(.postMediaServicesReset))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
        #expect(bench.state.route.outputs == [Ports.speaker])
        bench.plug([Ports.headphones], output: Ports.headphones)
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.feed(.host(.connectionRestored)) == [.postMediaServicesReset], "taken once")
    }

    @Test func reset_endsTheAppsMutes() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, category: .playAndRecord)
        bench.feed(.outputMuteRequested(bench.call(), true))
        bench.feed(.inputMuteRequested(bench.call(), true))
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        #expect(!bench.state.isOutputMuted && !bench.state.isInputMuted)
        #expect(bench.state.override == .none)
    }

    // Behaviour 57
    @Test func resetDoesNotRestartSound() {
        var (bench, _) = Bench.playing()
        bench.feed(.host(.connectionLost("gone")))
        let step = bench.effects.count
        bench.feed(.host(.connectionRestored))
        bench.feed(inventory)
        #expect(bench.effects[step...].flatMap { $0 } == [.postMediaServicesReset])
        #expect(bench.state.stage == .inactive)
    }

    // Behaviour 58
    @Test func daemonRestartReconnects() {
        var (bench, _) = Bench.playing()
        for _ in 0..<3 {
            bench.feed(.host(.connectionLost("gone")))
            bench.feed(.host(.connectionRestored))
            bench.feed(inventory)
            #expect(bench.state.route.outputs == [Ports.headphones])
            bench.activate()
            #expect(bench.state.activation.isActive)
        }
        let cycle: [SessionEffect] = [.postMediaServicesLost, .postMediaServicesReset, .postBecameActive]
        #expect(bench.notices == [.postBecameActive] + cycle + cycle + cycle)
    }

    /// The host may have put the claim up at the new server before the session heard of the loss.
    @Test(arguments: [false, true])
    func claimUnderWayAtTheLoss_thatTheNewServerGrants_isReleased(isAnswered: Bool) {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        bench.feed(.activationRequested(bench.call()))
        let claim = ClaimID(number: 1)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        if isAnswered {
            #expect(bench.feed(.host(.claimRefused(claim, .connectionLost))) == [])
            #expect(bench.feed(.host(.claimGranted(claim, bench.nextSerial()))) == [])
            return
        }
        bench.feed(inventory)
        let active = bench.activate()
        #expect(active.contains(.postBecameActive))
        #expect(bench.feed(.host(.claimGranted(claim, bench.nextSerial()))) == [.release(claim, notifyOthers: true)])
        #expect(bench.feed(.host(.claimGranted(claim, bench.nextSerial()))) == [], "once")
        #expect(bench.state.stage == .active(ClaimID(number: 2)))
    }

    @Test func claimThatWasToReplaceAnother_atTheLoss_isReleasedToo() {
        var (bench, _) = Bench.playing()
        bench.configure(Bench.mixing)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        #expect(
            bench.feed(.host(.claimGranted(ClaimID(number: 1), bench.nextSerial()))) == [], "that one had been granted")
        let new = ClaimID(number: 2)
        #expect(bench.feed(.host(.claimGranted(new, bench.nextSerial()))) == [.release(new, notifyOthers: true)])
    }

    @Test func loss_whileInterrupted_forgetsWhoDidIt() {
        var (bench, _) = Bench.playing()
        let (serial, _) = bench.join(Bench.call)
        bench.run(roles: "Phone", "Alarm")
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.state.interruption == nil)
        #expect(bench.state.peers.isEmpty)
        #expect(!bench.state.isOtherAudioPlaying)
        bench.feed(.host(.connectionRestored))
        bench.feed(inventory)
        #expect(bench.leave(serial, notifying: true) == [])
        #expect(bench.activate().contains(.postBecameActive))
        let stream = bench.open()
        #expect(bench.record(stream)?.gain == 1)
    }

    /// Each server counts serials from its own beginning.
    @Test func loss_forgetsWhichClaimsHadLost() {
        var (bench, _) = Bench.playing()
        _ = bench.join(Bench.call)
        let (serial, _) = bench.join(Bench.music)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        bench.feed(inventory)
        #expect(!bench.state.secondaryAudioShouldBeSilenced)
        bench.feed(.host(.peerChanged(Peer(serial: serial, configuration: Bench.music, isPlaying: true))))
        #expect(bench.state.secondaryAudioShouldBeSilenced)
    }

    @Test func reset_ofACategoryWithAnotherRoute_isACategoryChange() {
        let phone = [Ports.speaker, Ports.receiver, Ports.mic]
        var bench = Bench(phone, output: Ports.speaker, category: .playAndRecord)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        #expect(bench.plug(phone, output: Ports.speaker).change?.reason == .categoryChange)
        #expect(bench.state.route == Route(outputs: [Ports.speaker]))
    }

    // MARK: Where sound goes on

    /// A player sounds on `old`, the server is lost and returns with `ports`, and a player that continues is to play.
    private func continuing(
        from old: Port, to ports: [Port], category: SessionCategory = .playback, privately: Bool = true
    ) -> (Bench, StreamID, [SessionEffect]) {
        var bench = Bench([old], output: old)
        let lost = bench.open()
        bench.activate()
        bench.play(lost)
        let stream = bench.loseServer(returningTo: ports, category: category, privately: privately)
        bench.play(stream)
        let effects = bench.grant()
        return (bench, stream, effects)
    }

    // Behaviour 96
    @Test func serverReturnKeepsPrivateSoundPrivate() {
        var (bench, stream, effects) = continuing(from: Ports.headphones, to: [Ports.speaker])
        #expect(effects.contains(.suppressPlayer(stream, .noSuitableRoute)))
        // A wait that a person may end has no limit.
        #expect(bench.feed(.host(.timeReached(.zero.advanced(bySeconds: 3600))), after: 3600) == [])
        #expect(bench.record(stream)?.ports == [])
        effects = bench.plug([Ports.speaker, Ports.headphones], output: Ports.headphones)
        #expect(effects.contains(.linkStream(stream, [Ports.headphones])))
        #expect(effects.contains(.startPlayer(stream)))
        // From now on it follows the route like any other.
        #expect(
            bench.plug([Ports.speaker], output: Ports.speaker).contains(.pausePlayer(stream, .oldDeviceUnavailable)))
        bench.activate()
        #expect(bench.play(stream).contains(.startPlayer(stream)))
        #expect(bench.record(stream)?.ports == [Ports.speaker])
    }

    @Test(arguments: [
        (Ports.headphones, Ports.a2dp, true), (Ports.headphones, Ports.receiver, true),
        (Ports.headphones, Ports.hdmi, false), (Ports.hdmi, Ports.hdmi, true), (Ports.hdmi, Ports.speaker, false),
        (Ports.hdmi, Ports.headphones, true), (Ports.speaker, Ports.speaker, true), (Ports.speaker, Ports.hdmi, true),
    ])
    func returnOnAnotherOutput_continuesAsAfterAnUnplug(old: Port, new: Port, sounds: Bool) {
        let category: SessionCategory = new == Ports.receiver ? .playAndRecord : .playback
        let (bench, stream, effects) = continuing(from: old, to: [new], category: category)
        #expect(effects.contains(.startPlayer(stream)) == sounds)
        #expect(bench.record(stream)?.ports == (sounds ? [new] : []))
    }

    @Test func returnOnTheSpeaker_soundsThere_whereThatWasChosenOrThePolicyIsPlain() {
        var (bench, stream, effects) = continuing(from: Ports.headphones, to: [Ports.speaker])
        #expect(bench.choose(.port(uid: Ports.speaker.uid)).contains(.startPlayer(stream)))
        (bench, stream, effects) = continuing(from: Ports.headphones, to: [Ports.speaker])
        #expect(bench.feed(.streamPolicyChanged(stream, .resuming)).contains(.startPlayer(stream)))
        (bench, stream, effects) = continuing(from: Ports.headphones, to: [Ports.speaker], privately: false)
        #expect(effects.contains(.startPlayer(stream)))
    }

    @Test func secondLoss_whileWaiting_keepsWhereItSounded() {
        var (bench, stream, _) = continuing(from: Ports.hdmi, to: [Ports.speaker])
        #expect(bench.record(stream)?.suppression == .noSuitableRoute)
        stream = bench.loseServer(returningTo: [Ports.speaker, Ports.hdmi], output: Ports.speaker, privately: true)
        bench.play(stream)
        #expect(!bench.grant().contains(.startPlayer(stream)))
        #expect(bench.plug([Ports.speaker, Ports.hdmi], output: Ports.hdmi).contains(.startPlayer(stream)))
    }

    /// A player that was paused on the machine's speaker did not sound there.
    @Test func loss_whileAnotherPlayerIsPausedOnTheSpeaker_keepsPrivateSoundPrivate() {
        var (bench, _) = Bench.playing()
        _ = bench.open(StreamPolicy(target: .port(uid: Ports.speaker.uid)))
        let stream = bench.loseServer(returningTo: [Ports.speaker], privately: true)
        bench.play(stream)
        #expect(bench.grant().contains(.suppressPlayer(stream, .noSuitableRoute)))
    }

    // MARK: Sleep

    @Test func sleep_whilePlaying_isAnInterruptionWithoutResumption() {
        var (bench, stream) = Bench.playing()
        #expect(
            bench.feed(.host(.sleepAnnounced)) == [
                .suppressPlayer(stream, .interruption), .release(ClaimID(number: 1), notifyOthers: false),
                .postInterruptionBegan(.default), .allowSleep,
            ])
        let effects = bench.feed(.host(.wokeFromSleep))
        let route = Route(outputs: [Ports.headphones])
        let time = bench.events[bench.events.count - 1].time
        #expect(
            effects == [
                .pausePlayer(stream, .interruption),
                .postRouteChange(
                    RouteChange(time: time, reason: .wakeFromSleep, previous: route, current: route)),
                .postInterruptionEnded(shouldResume: false),
            ])
    }

    @Test func sleep_whileInactive_isAllowedAndTold() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        #expect(bench.feed(.host(.sleepAnnounced)) == [.allowSleep])
        let effects = bench.feed(.host(.wokeFromSleep))
        #expect(effects.count == 1)
        #expect(effects.change?.reason == .wakeFromSleep)
    }

    @Test func sleep_duringAnInterruption_outlastsIt() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.feed(.host(.sleepAnnounced))
        #expect(bench.leave(serial, notifying: true) == [])
        #expect(bench.state.interruption?.source == .sleep)
        #expect(bench.feed(.host(.wokeFromSleep)).first == .pausePlayer(stream, .interruption))
    }

    /// The call came first and let a session that mixes begin; it would not let the one begin that the app has set since.
    @Test func sleep_underACallThatRefusesTheNewConfiguration_isFollowedByIt() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(Bench.mixing)
        let (call, _) = bench.join(Bench.call)
        bench.activate()
        #expect(bench.state.activation.isActive)
        bench.feed(.host(.sleepAnnounced))
        bench.configure(Bench.music)
        let effects = bench.feed(.host(.wokeFromSleep))
        #expect(!effects.contains(.postInterruptionEnded(shouldResume: false)))
        #expect(bench.state.interruption?.source == .peer(call))
        #expect(bench.leave(call, notifying: true).contains(.postInterruptionEnded(shouldResume: false)))
    }

    @Test func grant_whileFallingAsleep_isInterruptedAtOnce() {
        var (bench, stream) = Bench.playing()
        bench.deactivate()
        bench.play(stream)
        bench.feed(.host(.sleepAnnounced))
        let effects = bench.grant()
        #expect(effects.first == .suppressPlayer(stream, .interruption))
        #expect(effects.contains(.postInterruptionBegan(.default)))
        #expect(bench.feed(.host(.wokeFromSleep)).last == .postInterruptionEnded(shouldResume: false))
    }
}

extension Bench {
    /// The server is lost and returns with these ports; the app sets its category and opens a player that continues.
    fileprivate mutating func loseServer(
        returningTo ports: [Port], output: Port? = nil, category: SessionCategory = .playback, privately: Bool
    ) -> StreamID {
        feed(.host(.connectionLost("gone")))
        feed(.host(.connectionRestored))
        plug(ports, output: output ?? ports.first)
        configure(SessionConfiguration(category: category))
        return open(StreamPolicy(onInterruption: .pauseAndResume, continuesPrivately: privately))
    }
}
