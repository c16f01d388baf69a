import AudioModel
import SessionCore
import Testing

/// What another session's activation does to ours.
struct InterruptionTests {
    // Behaviour 23
    @Test func beganStopsAndDeactivates() {
        var (bench, stream) = Bench.playing()
        let (serial, effects) = bench.join(Bench.music)
        #expect(
            effects == [
                .suppressPlayer(stream, .interruption), .suspendClaim(ClaimID(number: 1)),
                .postInterruptionBegan(.default),
            ])
        #expect(bench.state.stage == .inactive)
        #expect(bench.state.interruption?.source == .peer(serial))
        #expect(bench.record(stream)?.playWhenReady == true)
    }

    // Behaviour 24
    @Test func endedWithShouldResumeResumes() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(
            bench.leave(serial, notifying: true)
                == [.claim(ClaimID(number: 2), Bench.music), .postInterruptionEnded(shouldResume: true)])
        #expect(bench.grant().withoutWaitingClaim == [.startPlayer(stream), .postBecameActive])
    }

    // Behaviour 25
    @Test func endedWithoutShouldResumeStaysPaused() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(
            bench.leave(serial, notifying: false) == [
                .pausePlayer(stream, .interruption), .release(ClaimID(number: 1), notifyOthers: false),
                .postInterruptionEnded(shouldResume: false),
            ])
        #expect(bench.record(stream)?.playWhenReady == false)
        #expect(bench.activate().contains(where: \.isStart) == false)
    }

    /// A claim that has lost counts as nothing, even before it is marked as waiting: its program may be killed just then.
    @Test func interruptionOfAnInterrupter_thatGoesBeforeItsClaimWaits_letsUsResumeAfterTheOther() {
        var (bench, _) = Bench.playing()
        let (second, _) = bench.join(Bench.music)
        let (third, _) = bench.join(Bench.music)
        #expect(bench.leave(second, notifying: false) == [])
        #expect(bench.state.interruption?.source == .peer(third))
        #expect(
            bench.leave(third, notifying: true)
                == [.claim(ClaimID(number: 2), Bench.music), .postInterruptionEnded(shouldResume: true)])
    }

    /// The nearest one above is to hand the sound back to us.
    @Test func interruption_whoseSourceGoes_isByTheNearestAbove() {
        var (bench, _) = Bench.playing()
        let (second, _) = bench.join(Bench.music)
        let (third, _) = bench.join(Bench.music)
        _ = bench.join(Bench.music)
        bench.leave(second, notifying: true)
        #expect(bench.state.interruption?.source == .peer(third))
    }

    /// Those below, which wait for the old claim, judge the new one.
    @Test func resumption_releasesTheOldClaimWithAWord() {
        var (bench, _) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: true)
        #expect(bench.grant().contains(.release(ClaimID(number: 1), notifyOthers: true)))
    }

    /// One that sounds takes the sound with it.
    @Test func interruptionByASecond_thatGoesWithoutAWord_isNotResumed_whenTheFirstHandsBackLater() {
        var (bench, _) = Bench.playing()
        let (second, _) = bench.join(Bench.music)
        let (third, _) = bench.join(Bench.music)
        #expect(bench.leave(third, notifying: false) == [])
        #expect(bench.leave(second, notifying: true).last == .postInterruptionEnded(shouldResume: false))
    }

    // Behaviour 26
    @Test func endedDoesNotResumeWhatTheUserPaused() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.pause(stream) == [.pausePlayer(stream, .user)])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.state.stage == .inactive)
    }

    // Behaviour 27
    @Test func playDuringInterruptionIsIntentOnly() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        let (serial, _) = bench.join(Bench.music)
        let effects = bench.play(stream)
        #expect(effects.replyError() == nil)
        #expect(effects.silent == [.suppressPlayer(stream, .interruption)])
        #expect(bench.state.stage == .inactive)
        bench.leave(serial, notifying: true)
        #expect(bench.grant().withoutWaitingClaim == [.startPlayer(stream), .postBecameActive])
    }

    // Behaviour 81: what does not resume by itself claims; the session is active again, and the end is not told.
    @Test func playUnderAnotherAppsInterruptionTakesTheSound() {
        var (bench, stream) = Bench.playing(policy: StreamPolicy())
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.play(stream) == [.claim(ClaimID(number: 2), Bench.music)])
        #expect(bench.grant().silent.withoutWaitingClaim == [.startPlayer(stream), .postBecameActive])
        #expect(bench.state.interruption == nil)
        #expect(bench.leave(serial, notifying: true) == [])
    }

    // Behaviour 81, under a call
    @Test func playUnderACall_isRefused() {
        var (bench, stream) = Bench.playing(policy: StreamPolicy())
        let (serial, _) = bench.join(Bench.call)
        bench.play(stream)
        let effects = bench.grant()
        #expect(effects.replyError()?.code == .insufficientPriority)
        #expect(effects.first == .pausePlayer(stream, .refusal))
        #expect(bench.record(stream)?.playWhenReady == false)
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
    }

    // Behaviour 82
    @Test func interruptedStaysPausedUntilTheAppPlays() {
        var (bench, stream) = Bench.playing(policy: StreamPolicy())
        let (serial, began) = bench.join(Bench.music)
        #expect(
            began == [
                .pausePlayer(stream, .interruption), .suspendClaim(ClaimID(number: 1)),
                .postInterruptionBegan(.default),
            ])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.activate().contains(where: \.isStart) == false)
        #expect(bench.play(stream).silent == [.startPlayer(stream)])
    }

    // Behaviour 82: nor does an activation under the interruption start anything.
    @Test func activationUnderAnInterruption_startsNoPlayerThatIsPaused() {
        var (bench, stream) = Bench.playing(policy: StreamPolicy())
        _ = bench.join(Bench.music)
        #expect(bench.activate().contains(where: \.isStart) == false)
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    /// The policy of a player that waits for the end is changed meanwhile.
    @Test func waitingPlayer_thatIsNotToResumeAnyMore_isPaused() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.feed(.streamPolicyChanged(stream, StreamPolicy())) == [.pausePlayer(stream, .interruption)])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
    }

    // Behaviour 28
    @Test func wasPausedBeforeInterruptionStaysPaused() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        let (serial, _) = bench.join(Bench.music)
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    // Behaviour 29
    @Test func secondBeganIsIdempotent() {
        var (bench, _) = Bench.playing()
        _ = bench.join(Bench.music)
        let generation = bench.state.generation
        #expect(bench.join(Bench.music).1 == [])
        #expect(bench.run(roles: "Phone") == [])
        #expect(bench.feed(.host(.sleepAnnounced)) == [.allowSleep])
        #expect(bench.state.generation == generation)
    }

    // Behaviour 30
    @Test func endedWithoutBeganIgnored() {
        var (bench, stream) = Bench.playing()
        #expect(bench.leave(ClaimSerial(number: 99), notifying: true) == [])
        #expect(bench.feed(.host(.streamReleased(stream))) == [])
        #expect(bench.run() == [])
        #expect(bench.state.activation.isActive)
    }

    // Behaviour 31
    @Test func endMayNeverCome() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(
            bench.activate().filter { !$0.isClaim }.silent.withoutWaitingClaim == [
                .startPlayer(stream), .postBecameActive,
            ])
        #expect(bench.state.interruption == nil)
        #expect(bench.leave(serial, notifying: true) == [], "its end comes too late to mean anything")
    }

    // Behaviour 32
    @Test func activationLatchClearedByInterruption() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: false)
        #expect(bench.play(stream) == [.claim(ClaimID(number: 2), Bench.music)])
        #expect(bench.grant().silent == [.startPlayer(stream), .postBecameActive])
    }

    // Behaviour 33
    @Test func lateIntentDoesNotReactivate() {
        var (bench, stream) = Bench.playing()
        let generation = bench.state.generation
        bench.deactivate()
        #expect(bench.play(stream, generation: generation).replyError()?.code == .sessionNotActive)
        #expect(bench.state.stage == .inactive)
        #expect(bench.record(stream)?.playWhenReady == false)
        #expect(bench.play(stream).first?.isClaim == true)
    }

    // Behaviour 34
    @Test func staleDeactivationSuperseded() {
        var (bench, stream) = Bench.playing()
        let call = bench.call()
        let stale = SessionFact.deactivationRequested(call, notifyOthers: true, isSuperseded: true)
        #expect(bench.feed(stale) == [.reply(call, nil)])
        #expect(bench.state.activation.isActive)
        #expect(bench.record(stream)?.isStarted == true)
    }

    // Behaviour 39
    @Test func permanentLossAbandons() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: false)
        let (later, effects) = bench.join(Bench.music)
        #expect(effects == [])
        #expect(bench.leave(later, notifying: true) == [], "a later gain means nothing to who has given up")
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    // Behaviour 40
    @Test func lossWhilePausedIsReportedAgain() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        let (_, effects) = bench.join(Bench.music)
        #expect(effects.first == .pausePlayer(stream, .interruption))
    }

    // Behaviour 41
    @Test func delayedGainThenRegularGainPlays() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: true)
        // The grant takes its time; the player waits, and is not told anything twice.
        #expect(bench.record(stream)?.suppression == .interruption)
        let again = bench.play(stream)
        #expect(again == [], "in the queue behind the claim")
        #expect(bench.grant().silent.withoutWaitingClaim == [.startPlayer(stream), .postBecameActive])
    }

    @Test func handedOverInterruption_mayResumeInTheEnd() {
        var (bench, stream) = Bench.playing()
        let (second, _) = bench.join(Bench.music)
        bench.run(roles: "Communication")
        #expect(bench.leave(second, notifying: true) == [])
        #expect(bench.state.interruption?.source == .foreignCall)
        #expect(bench.run().last == .postInterruptionEnded(shouldResume: true))
        #expect(bench.grant().withoutWaitingClaim.first == .startPlayer(stream))
    }

    // Behaviour 89
    @Test func deactivationInBeganKeepsEnded() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.deactivate().silent == [.pausePlayer(stream, .deactivation)])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.deactivate().silent == [.release(ClaimID(number: 1), notifyOthers: false)])
    }

    // Behaviour 89: an activation ends the interruption, and no end of it follows.
    @Test func activation_afterADeactivationInBegan_endsTheInterruption() {
        var (bench, _) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.deactivate()
        bench.activate()
        bench.deactivate()
        #expect(bench.leave(serial, notifying: true) == [])
    }

    /// The loss of a device has no end that could be told.
    @Test func deactivation_afterALostDevice_forgetsTheInterruption() {
        var (bench, _) = Bench.playing()
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.state.interruption?.source == .routeDisconnected)
        bench.deactivate()
        #expect(bench.state.interruption == nil)
    }

    // Behaviour 85
    @Test(arguments: [
        SessionConfiguration(category: .ambient), Bench.mixing, Bench.ducking, Bench.prompt, Bench.music,
        SessionConfiguration(category: .playAndRecord, mode: .voiceChat, options: .mixWithOthers),
    ])
    func callInterruptsEveryone(_ configuration: SessionConfiguration) {
        var (bench, _) = Bench.playing(configuration, policy: StreamPolicy())
        let (serial, began) = bench.join(Bench.call)
        #expect(began.last == .postInterruptionBegan(.default))
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        bench.activate()
        #expect(bench.run(roles: "Phone").last == .postInterruptionBegan(.default))
        #expect(bench.run().withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
    }

    // Behaviour 85: a plain session that does not mix leaves those alone that do.
    @Test(arguments: [SessionConfiguration(category: .ambient), Bench.mixing, Bench.ducking])
    func sessionThatIsNoCall_doesNotInterruptThoseThatMix(_ configuration: SessionConfiguration) {
        var (bench, _) = Bench.playing(configuration)
        let (_, effects) = bench.join(Bench.music)
        #expect(!effects.contains(.postInterruptionBegan(.default)))
    }

    @Test func deactivation_whilePlaying_pausesAndTellsTheOthers() {
        var (bench, stream) = Bench.playing()
        #expect(
            bench.deactivate(notifyOthers: true).silent == [
                .pausePlayer(stream, .deactivation), .release(ClaimID(number: 1), notifyOthers: true),
                .postBecameInactive,
            ])
    }

    @Test func resumption_thatIsRefused_pausesForGood() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: true)
        let (call, _) = bench.join(Bench.call)
        #expect(
            bench.grant().prefix(2)
                == [.pausePlayer(stream, .refusal), .release(ClaimID(number: 2), notifyOthers: true)])
        #expect(bench.leave(call, notifying: false) == [.postResumptionRecommendation])
    }

    @Test func laterClaim_toldBeforeTheGrant_interruptsAtTheGrant() {
        var (bench, stream) = Bench.playing()
        bench.deactivate()
        bench.play(stream)
        let ours = bench.nextSerial()
        let (theirs, effects) = bench.join(Bench.music)
        #expect(effects == [])
        #expect(
            bench.grant(with: ours).silent == [
                .suppressPlayer(stream, .interruption), .suspendClaim(ClaimID(number: 2)),
                .postBecameActive, .postInterruptionBegan(.default),
            ])
        #expect(bench.state.interruption?.source == .peer(theirs))
    }

    @Test func newConfiguration_whileActive_changesTheClaimInPlace() {
        var (bench, stream) = Bench.playing()
        #expect(bench.configure(Bench.speech).silent == [.claim(ClaimID(number: 2), Bench.speech)])
        #expect(bench.state.stage == .active(ClaimID(number: 1)))
        #expect(bench.grant() == [.release(ClaimID(number: 1), notifyOthers: true)])
        #expect(bench.state.stage == .active(ClaimID(number: 2)))
        #expect(bench.record(stream)?.isStarted == true)
        // A policy is not in the claim registry.
        let longForm = SessionConfiguration(category: .playback, mode: .spokenAudio, policy: .longFormAudio)
        #expect(bench.configure(longForm).silent == [])
    }

    @Test func newConfiguration_underACall_isAnInterruption() {
        var (bench, stream) = Bench.playing(Bench.mixing)
        let (call, _) = bench.join(Bench.call)
        // A session that mixes may begin under a call.
        bench.activate()
        #expect(bench.record(stream)?.isStarted == true)
        bench.configure(Bench.music)
        let refused = bench.grant()
        #expect(refused.first == .suppressPlayer(stream, .interruption))
        #expect(refused.last == .postInterruptionBegan(.default))
        #expect(bench.leave(call, notifying: true).last == .postInterruptionEnded(shouldResume: true))
    }

    /// A claim between the old one and the new one is below the new one in every process.
    @Test func newConfiguration_withALaterPeerBetween_isDecidedByTheNewSerial() {
        var (bench, stream) = Bench.playing()
        bench.configure(Bench.speech)
        #expect(bench.join(Bench.music, isPlaying: false).1 == [])
        #expect(bench.grant() == [.release(ClaimID(number: 1), notifyOthers: true)])
        #expect(bench.record(stream)?.isStarted == true)
    }

    /// The claim whose serial was to decide is not to come: the one that is there decides.
    @Test func newConfiguration_whoseClaimTheHostRefuses_isDecidedByTheOldSerial() {
        var (bench, stream) = Bench.playing()
        bench.configure(Bench.speech)
        let (theirs, none) = bench.join(Bench.music, isPlaying: false)
        #expect(none == [])
        #expect(
            bench.feed(.host(.claimRefused(ClaimID(number: 2), .refused("no node")))) == [
                .suppressPlayer(stream, .interruption), .suspendClaim(ClaimID(number: 1)),
                .postInterruptionBegan(.default),
            ])
        #expect(bench.state.interruption?.source == .peer(theirs))
    }

    /// Others see a call and the claim that takes its place together for a moment, and the one refuses the other.
    @Test func callThatChangesItsConfiguration_goesOnInterrupting() {
        var (bench, _) = Bench.playing()
        let (call, _) = bench.join(Bench.call)
        let (music, _) = bench.join(Bench.music)
        #expect(bench.leave(call, notifying: true) == [])
        #expect(bench.state.interruption?.source == .peer(music))
        #expect(bench.leave(music, notifying: true).last == .postInterruptionEnded(shouldResume: true))
    }
}
