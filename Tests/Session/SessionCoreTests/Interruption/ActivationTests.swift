import AudioModel
import SessionCore
import Testing

struct ActivationTests {
    private let claim = ClaimID(number: 1)
    private let calls = (1...6).map { CallID(number: UInt64($0)) }

    @Test func activation_whileInactive_isTwoSteps() {
        var bench = Bench([Ports.speaker])
        #expect(bench.feed(.activationRequested(calls[0])) == [.claim(claim, bench.state.configuration)])
        #expect(bench.state.stage == .claiming(claim))
        #expect(!bench.state.activation.isActive)
        #expect(
            bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1)))) == [
                .postBecameActive, .reply(calls[0], nil),
            ])
        #expect(bench.state.stage == .active(claim))
        #expect(bench.feed(.activationRequested(calls[1])) == [.reply(calls[1], nil)])
        #expect(bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1)))) == [])
    }

    @Test func severalCalls_onOneClaim_areAllAnswered() {
        var bench = Bench([Ports.speaker])
        bench.feed(.activationRequested(calls[0]))
        #expect(bench.feed(.activationRequested(calls[1])) == [])
        #expect(bench.feed(.activationRequested(calls[2])) == [])
        let effects = bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1))))
        #expect(effects == [.postBecameActive] + calls[0...2].map { .reply($0, nil) })
    }

    private let refusal = HostError.refused("The server takes no more clients. End one of them.")

    @Test func refusedClaim_answersAllAndLeavesTheSessionInactive() {
        var bench = Bench([Ports.speaker])
        bench.feed(.activationRequested(calls[0]))
        bench.feed(.activationRequested(calls[1]))
        let effects = bench.feed(.host(.claimRefused(claim, refusal)))
        #expect(effects.count == 2)
        for effect in effects {
            if case .reply(_, let error) = effect {
                #expect(error == SessionError(.unspecified, "The server takes no more clients. End one of them."))
            }
        }
        #expect(bench.state.stage == .inactive)
        // The next one is a new claim.
        let second = ClaimID(number: 2)
        #expect(bench.feed(.activationRequested(calls[2])) == [.claim(second, bench.state.configuration)])
        #expect(bench.feed(.host(.claimRefused(claim, refusal))) == [])
        #expect(bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1)))) == [])
        #expect(bench.state.stage == .claiming(second))
    }

    // MARK: A claim that another program destroys

    private let destroyed = HostError.refused("The server removed the claim's node.")

    @Test func claimDestroyed_whilePlaying_interruptsUntilTheAppActivates() {
        var (bench, stream) = Bench.playing()
        #expect(
            bench.feed(.host(.claimRefused(claim, destroyed)))
                == [.suppressPlayer(stream, .interruption), .postInterruptionBegan(.default)])
        #expect(bench.state.stage == .inactive)
        #expect(bench.state.interruption?.source == .claimLost)
        #expect(bench.feed(.host(.claimRefused(claim, destroyed))) == [])
        // Nothing that ends tells an end of it.
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: true)
        bench.run(roles: "Phone")
        bench.run()
        bench.feed(.host(.wokeFromSleep))
        #expect(bench.state.interruption?.source == .claimLost)
        #expect(bench.play(stream).contains { $0.isClaim })
        #expect(Array(bench.grant().prefix(2)) == [.startPlayer(stream), .postBecameActive])
        #expect(bench.notices == [.postBecameActive, .postInterruptionBegan(.default), .postBecameActive])
    }

    @Test func claimDestroyed_whileAnotherIsToReplaceIt_takesThatOneDown() {
        var (bench, stream) = Bench.playing()
        bench.configure(Bench.mixing)
        #expect(
            bench.feed(.host(.claimRefused(claim, destroyed))) == [
                .suppressPlayer(stream, .interruption), .release(ClaimID(number: 2), notifyOthers: false),
                .postInterruptionBegan(.default),
            ])
        #expect(bench.feed(.host(.claimGranted(ClaimID(number: 2), bench.nextSerial()))) == [])
    }

    /// The claim that was to replace ours has silenced no program, so that it takes no resume.
    @Test func callOfAnotherProgram_whileAClaimIsToReplaceOurs_takesThatOneDownWithAWord() {
        var (bench, stream) = Bench.playing()
        bench.configure(Bench.speech)
        #expect(
            bench.run(roles: "Phone") == [
                .suppressPlayer(stream, .interruption), .suspendClaim(claim),
                .release(ClaimID(number: 2), notifyOthers: true), .postInterruptionBegan(.default),
            ])
    }

    // MARK: A new claim for a new configuration

    /// Those that the old claim kept silent judge the new one.
    @Test func newConfiguration_whileClaiming_releasesTheOldClaimWithAWord() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let call = bench.call()
        bench.feed(.activationRequested(call))
        let effects = bench.configure(Bench.mixing)
        let new = ClaimID(number: 2)
        #expect(effects.silent == [.claim(new, Bench.mixing), .release(claim, notifyOthers: true)])
        #expect(bench.state.stage == .claiming(new))
        #expect(bench.feed(.host(.claimGranted(new, ClaimSerial(number: 1)))).contains(.reply(call, nil)))
    }

    @Test func newConfigurations_whileActive_replaceTheClaimThatIsUnderWay() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.activate()
        let (second, third) = (ClaimID(number: 2), ClaimID(number: 3))
        #expect(bench.configure(Bench.mixing).silent == [.claim(second, Bench.mixing)])
        #expect(
            bench.configure(Bench.ducking).silent
                == [.claim(third, Bench.ducking), .release(second, notifyOthers: true)])
        #expect(bench.state.stage == .active(claim))
        #expect(bench.grant() == [.release(claim, notifyOthers: true)])
        #expect(bench.state.stage == .active(third))
        #expect(bench.state.replacementClaim == nil)
    }

    /// There and back again, before the server has answered: its claim says what the first one said, and no session is interrupted.
    @Test func configurationThatReturns_whileItsClaimIsUnderWay_leavesWhatWas() {
        var (bench, stream) = Bench.playing()
        _ = bench.join(Bench.mixing)
        let told = bench.notices
        bench.configure(Bench.mixing)
        bench.configure(Bench.music)
        #expect(bench.grant() == [.release(claim, notifyOthers: true)])
        #expect(bench.state.stage == .active(ClaimID(number: 3)))
        #expect(bench.state.claimedConfiguration == Bench.music)
        #expect(bench.record(stream)?.isStarted == true && bench.notices == told)
    }

    @Test func newClaim_thatCannotBePutUp_leavesTheOldOne() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.activate()
        bench.configure(Bench.mixing)
        #expect(bench.feed(.host(.claimRefused(ClaimID(number: 2), refusal))) == [])
        #expect(bench.state.stage == .active(claim))
        #expect(bench.state.replacementClaim == nil)
        #expect(bench.deactivate().contains(.release(claim, notifyOthers: false)))
    }

    @Test func newPolicy_saysNothingToOthers() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.activate()
        let configuration = SessionConfiguration(category: .playback, policy: .longFormAudio)
        #expect(bench.configure(configuration).silent == [])
    }

    // MARK: The word to try again

    @Test func refusal_whileInterrupted_isEndedByTheInterruptionsEndAlone() {
        var (bench, _) = Bench.playing(policy: StreamPolicy())
        let (call, began) = bench.join(Bench.call)
        #expect(began.contains(.postInterruptionBegan(.default)))
        bench.activate()
        #expect(bench.state.stage == .inactive)
        let effects = bench.leave(call, notifying: true)
        #expect(effects.contains(.postInterruptionEnded(shouldResume: true)))
        #expect(!effects.contains(.postResumptionRecommendation))
    }

    @Test func refusal_beforeTheServersLoss_isForgottenWithIt() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        _ = bench.join(Bench.call)
        bench.activate()
        #expect(bench.feed(.host(.connectionLost("gone"))) == [.postMediaServicesLost])
        #expect(bench.feed(.host(.connectionRestored)) == [.postMediaServicesReset])
    }

    /// Those below wait no longer than that for an app that does not play again.
    @Test func claim_ofAnEndedInterruption_isReleasedAfterTwoSeconds() {
        var (bench, _) = Bench.playing(policy: StreamPolicy())
        let (serial, _) = bench.join(Bench.music)
        let ended = bench.leave(serial, notifying: true)
        let time = bench.events[bench.events.count - 1].time
        #expect(ended.contains(.wake(at: time.advanced(bySeconds: 2))))
        #expect(bench.state.waitingClaim?.id == claim)
        #expect(bench.feed(.host(.timeReached(time)), after: 1.9) == [])
        #expect(bench.feed(.host(.timeReached(time)), after: 0.1) == [.release(claim, notifyOthers: true)])
        #expect(bench.state.waitingClaim == nil)
    }

    @Test func recommendation_isNotForAnAppThatHasAskedAgainOrGivenUp() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let (call, _) = bench.join(Bench.call)
        bench.activate()
        bench.deactivate()
        #expect(bench.leave(call, notifying: true) == [])
        let (second, _) = bench.join(Bench.call)
        bench.activate()
        bench.feed(.activationRequested(bench.call()))
        #expect(bench.leave(second, notifying: true) == [], "its claim is under way")
        #expect(bench.grant().contains(.postBecameActive))
    }

    @Test func deactivation_inEachState_succeeds() {
        var bench = Bench([Ports.speaker])
        #expect(bench.feed(.deactivationRequested(calls[0], notifyOthers: false)) == [.reply(calls[0], nil)])
        bench.feed(.activationRequested(calls[1]))
        bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1))))
        #expect(
            bench.feed(.deactivationRequested(calls[2], notifyOthers: true))
                == [.release(claim, notifyOthers: true), .postBecameInactive, .reply(calls[2], nil)])
        #expect(bench.state.stage == .inactive)
    }

    @Test func deactivation_whileClaiming_overtakesTheActivation() {
        var bench = Bench([Ports.speaker])
        bench.feed(.activationRequested(calls[0]))
        let effects = bench.feed(.deactivationRequested(calls[1], notifyOthers: false))
        #expect(effects.count == 3)
        #expect(effects.first == .release(claim, notifyOthers: true))
        if case .reply(let call, let error) = effects[1] {
            #expect(call == calls[0])
            #expect(error?.code == .sessionNotActive)
        }
        #expect(effects.last == .reply(calls[1], nil))
        #expect(bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1)))) == [])
        #expect(bench.state.stage == .inactive)
    }

    @Test func activation_withoutAnInput_failsForRecordOnly() {
        var bench = Bench([Ports.speaker], category: .record)
        let effects = bench.feed(.activationRequested(calls[0]))
        #expect(effects.replyError()?.code == .resourceNotAvailable)
        #expect(effects.count == 1)
        #expect(effects.replyError()?.message.hasSuffix("one of: ambient, soloAmbient, playback, multiRoute.") == true)
        bench.plug([Ports.speaker, Ports.mic])
        #expect(bench.feed(.activationRequested(calls[1])).count == 1)
        #expect(bench.state.stage == .claiming(claim))

        for category in [SessionCategory.ambient, .soloAmbient, .playback, .playAndRecord] {
            var other = Bench([Ports.speaker], category: category)
            other.feed(.activationRequested(calls[0]))
            #expect(other.state.stage == .claiming(claim), "\(category)")
        }
    }

    @Test func connectionLost_whileActive_endsSessionAndPlayers() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let (first, second) = (bench.open(), bench.open(StreamPolicy(target: .port(uid: "speaker"))))
        bench.feed(.activationRequested(calls[0]))
        bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1))))
        let effects = bench.feed(.host(.connectionLost("gone")))
        #expect(effects.count == 3)
        #expect(effects.last == .postMediaServicesLost)
        for (effect, id) in zip(effects, [first, second]) {
            guard case .failPlayer(id, let error) = effect else {
                Issue.record("\(effect)")
                continue
            }
            #expect(error.code == .mediaServicesFailed)
        }
        #expect(bench.state.stage == .inactive)
        #expect(!bench.state.isConnected)
        #expect(bench.feed(.host(.connectionLost("gone"))) == [])
    }

    @Test func callsAndStreams_whileTheConnectionIsLost_failAtOnce() {
        var bench = Bench([Ports.speaker], output: Ports.speaker, category: .playAndRecord)
        bench.feed(.activationRequested(calls[0]))
        let lost = bench.feed(.host(.connectionLost("gone")))
        #expect(lost.replyError()?.code == .mediaServicesFailed)
        #expect(bench.feed(.activationRequested(calls[1])).replyError()?.code == .mediaServicesFailed)
        #expect(bench.feed(.outputOverrideRequested(calls[2], .speaker)).replyError()?.code == .mediaServicesFailed)
        let off = bench.feed(.deactivationRequested(calls[3], notifyOthers: false))
        #expect(off.replyError()?.code == .mediaServicesFailed)
        let set = bench.feed(.configurationRequested(calls[4], SessionConfiguration(category: .playback)))
        #expect(set.replyError()?.code == .mediaServicesFailed)
        let stream = bench.open()
        if case .failPlayer(stream, _)? = bench.effects.last?.first {} else { Issue.record("no failure") }
        #expect(bench.state.streams.isEmpty)
    }

    @Test func restoredConnection_withTheSamePorts_tellsNoRouteChange() {
        var bench = Bench([Ports.speaker, Ports.usb], output: Ports.usb)
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.plug([], output: nil) == [], "a host may empty its inventory while the server is away")
        #expect(bench.state.route.outputs == [Ports.usb])
        #expect(bench.plug([Ports.speaker, Ports.usb], output: Ports.usb) == [])
        #expect(bench.feed(.host(.connectionRestored)) == [.postMediaServicesReset])
        #expect(bench.feed(.host(.connectionRestored)) == [])
        bench.feed(.activationRequested(calls[0]))
        #expect(
            bench.feed(.host(.claimGranted(claim, ClaimSerial(number: 1)))) == [
                .postBecameActive, .reply(calls[0], nil),
            ])
        let stream = bench.open()
        #expect(bench.effects.last == [.linkStream(stream, [Ports.usb])])
    }

    @Test func restoredConnection_withOtherPorts_tellsWhatIsGone() {
        var bench = Bench([Ports.speaker, Ports.usb], output: Ports.usb)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        let stream = bench.open()
        #expect(bench.effects.last == [], "the old inventory is not to be trusted")
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(effects.first == .linkStream(stream, [Ports.speaker]))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }
}
