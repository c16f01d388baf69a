import AudioModel
import Testing
import TransportCore

/// What a player is told to do, in which order.
struct PlayerTests {
    private static let playing = TransportStatus(.playing, playWhenReady: true)
    private static let later = HostTime(nanoseconds: 5)

    private func paused(_ cause: PauseCause) -> TransportEffect { .report(TransportStatus(.paused, .init(cause))) }

    private func suppressed(_ suppression: Suppression, _ cause: PauseCause) -> TransportEffect {
        .report(TransportStatus(.paused, .init(cause), playWhenReady: true, suppression: suppression))
    }

    private var playing: Bench { .player(.playRequested(), .started(.output)) }

    @Test func newPlayer_hasNoIntentAndNoStream() {
        let bench = Bench(.player)
        #expect(bench.machine.status == TransportStatus(.ready))
        #expect(bench.machine.openStreams == [])
        #expect(!bench.machine.isPlaying)
        #expect(!bench.machine.isFading)
    }

    @Test func play_isAnIntent_untilTheSessionStartsIt() {
        var bench = Bench.player()
        #expect(bench.feed(.playRequested()) == [])
        #expect(bench.machine.playWhenReady)
        #expect(
            bench.feed(.started(.output)) == [
                .report(Self.playing), .startFeeding, .playSource(at: nil), .startStream(.output),
            ])
        #expect(bench.machine.output == .running)
    }

    @Test func play_refused_isNoIntentAnyMore() {
        var bench = Bench.player(.playRequested(), .playRefused)
        #expect(!bench.machine.playWhenReady)
        bench = playing
        bench.feed(.playRefused)
        #expect(bench.machine.playWhenReady, "an older request was refused, and it plays")
        bench = .player(.suppressed(.output, .interruption), .playRefused)
        #expect(bench.machine.playWhenReady)
    }

    @Test func play_onAClosedPlayer_isNoIntent() {
        var bench = Bench.player(.streamClosed(.output), .playRequested())
        #expect(!bench.machine.playWhenReady)
        #expect(bench.feed(.started(.output)) == [])
    }

    @Test func start_withoutARequest_followsTheSession() {
        let bench = Bench.player(.started(.output))
        #expect(bench.machine.isPlaying)
        #expect(bench.machine.playWhenReady)
    }

    // MARK: Start times

    @Test func playAtATime_startsThen_alsoAfterAnInterruption() {
        var bench = Bench.player(.playRequested(startTime: Self.later))
        #expect(bench.feed(.started(.output)).contains(.playSource(at: Self.later)))
        bench = .player(.playRequested(startTime: Self.later), .suppressed(.output, .interruption))
        #expect(bench.feed(.started(.output)).contains(.playSource(at: Self.later)))
        bench = .player(.playRequested(startTime: Self.later), .playRequested())
        #expect(bench.feed(.started(.output)).contains(.playSource(at: nil)))
    }

    @Test func playAtATime_whilePlaying_movesTheSourceOnly() {
        var bench = playing
        #expect(bench.feed(.playRequested(startTime: Self.later)) == [.playSource(at: Self.later)])
        #expect(bench.feed(.playRequested()) == [.playSource(at: nil)])
    }

    @Test func playAtATime_withLessThanAFadeLeft_startsAgain() {
        var bench = playing
        #expect(
            bench.feed(.playRequested(startTime: Self.later, remaining: .lessThanFade)) == [
                .restartLoops, .seek(toSeconds: 0, generation: 1), .playSource(at: Self.later),
            ])
        bench = playing
        #expect(bench.feed(.playRequested(remaining: .lessThanFade)) == [.playSource(at: nil)])
        bench = .player()
        #expect(bench.feed(.playRequested(startTime: Self.later, remaining: .lessThanFade)) == [])
    }

    // MARK: Pauses

    @Test(arguments: [PauseCause.user, .interruption, .deactivation, .refusal])
    func pause_whilePlaying_fadesAndStopsTheStreamAfterwards(cause: PauseCause) {
        var bench = playing
        #expect(bench.feed(.paused(.output, cause)) == [.beginFade, paused(cause)])
        #expect(bench.machine.isFading)
        #expect(bench.feed(.fadeFinished) == [.stopStream(.output)])
        #expect(bench.state == .paused(cause))
        #expect(bench.feed(.fadeFinished) == [])
    }

    @Test(arguments: [PauseCause.oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute])
    func loss_whilePlaying_cuts(cause: PauseCause) {
        var bench = playing
        #expect(bench.feed(.paused(.output, cause)) == [.cut, paused(cause), .stopStream(.output)])
        #expect(bench.feed(.paused(.output, cause)) == [])
    }

    @Test func loss_whileFading_cutsWithoutAReport() {
        var bench = Bench.player(.started(.output), .paused(.output, .user))
        #expect(bench.feed(.paused(.output, .oldDeviceUnavailable)) == [.cut, .stopStream(.output)])
        #expect(bench.machine.status == TransportStatus(.paused))
        #expect(bench.feed(.fadeFinished) == [])
    }

    @Test func interruption_ofAPausedPlayer_isReported() {
        var bench = Bench.player(.started(.output), .paused(.output, .user), .fadeFinished)
        #expect(bench.feed(.paused(.output, .interruption)) == [paused(.interruption)])
        #expect(bench.feed(.paused(.output, .deactivation)) == [])
        #expect(bench.feed(.paused(.output, .user)) == [])
        bench = .player(.paused(.output, .interruption))
        #expect(bench.state == .ready)
    }

    @Test func refusal_ofAFirstPlay_isReported() {
        var bench = Bench.player(.playRequested())
        #expect(bench.feed(.paused(.output, .refusal)) == [paused(.refusal)])
        #expect(!bench.machine.playWhenReady)
    }

    @Test func pause_beforeTheSessionHasStartedIt_takesTheIntentBackOnly() {
        var bench = Bench.player(.playRequested())
        #expect(bench.feed(.paused(.output, .user)) == [])
        #expect(bench.state == .ready)
        #expect(!bench.machine.playWhenReady)
    }

    @Test func start_whileFading_playsOn() {
        var bench = Bench.player(.started(.output), .paused(.output, .user))
        #expect(
            bench.feed(.started(.output)) == [
                .report(Self.playing), .startFeeding, .playSource(at: nil), .startStream(.output),
            ])
        #expect(bench.feed(.fadeFinished) == [], "the end of a fade that was withdrawn")
        #expect(bench.feed(.started(.output)) == [])
    }

    // MARK: Suppression

    @Test func suppression_keepsTheIntent() {
        var bench = playing
        #expect(
            bench.feed(.suppressed(.output, .interruption)) == [.beginFade, suppressed(.interruption, .interruption)])
        #expect(bench.feed(.suppressed(.output, .interruption)) == [])
        #expect(
            bench.feed(.suppressed(.output, .noSuitableRoute)) == [
                .cut, suppressed(.noSuitableRoute, .noSuitableRoute), .stopStream(.output),
            ])
        #expect(bench.feed(.suppressed(.output, .noSuitableRoute)) == [])
        #expect(bench.machine.playWhenReady)
        #expect(bench.feed(.started(.output)).first == .report(Self.playing))
    }

    @Test func suppression_endsWithTheUsersPause() {
        var bench = Bench.player(.suppressed(.output, .interruption))
        #expect(bench.feed(.paused(.output, .user)) == [paused(.user)])
        #expect(!bench.machine.playWhenReady)
    }

    // MARK: The end

    @Test func end_cutsReportsAndTellsTheSession() {
        var bench = playing
        #expect(
            bench.feed(.sourceEnded(.complete, generation: 0)) == [
                .cut, .report(TransportStatus(.finished, .endOfFile)), .stopStream(.output),
                .tellSessionStopped(.output),
            ])
    }

    @Test func brokenFile_atItsEnd_isAFailure() {
        var bench = playing
        let status = TransportStatus(.failed, .error, failure: .file("damaged"))
        #expect(
            bench.feed(.sourceEnded(.failed("damaged"), generation: 0)) == [
                .cut, .report(status), .stopStream(.output), .tellSessionStopped(.output),
            ])
    }

    @Test func end_ofBeforeASeek_isStale() {
        var bench = playing
        #expect(bench.feed(.seekRequested(toSeconds: 2)) == [.seek(toSeconds: 2, generation: 1)])
        #expect(bench.feed(.seekRequested(toSeconds: 3)) == [.seek(toSeconds: 3, generation: 2)])
        #expect(bench.feed(.sourceEnded(.complete, generation: 0)) == [])
        #expect(bench.feed(.sourceEnded(.complete, generation: 1)) == [])
        #expect(bench.machine.isPlaying)
        #expect(bench.feed(.sourceEnded(.complete, generation: 2)).count == 4)
    }

    @Test func play_afterTheEnd_startsAgain() {
        var bench = playing
        bench.feed(.sourceEnded(.complete, generation: 0))
        #expect(bench.feed(.playRequested()) == [.restartLoops, .seek(toSeconds: 0, generation: 1)])
        #expect(bench.feed(.started(.output)).first == .report(Self.playing))
    }

    @Test func play_atAnEndThatNobodyHasNoticedYet_startsAgain() {
        var bench = playing
        #expect(
            bench.feed(.playRequested(remaining: .nothing)) == [
                .restartLoops, .seek(toSeconds: 0, generation: 1), .playSource(at: nil),
            ])
        #expect(bench.feed(.sourceEnded(.complete, generation: 0)) == [])
    }

    @Test(
        arguments: [
            [.paused(.output, .user)], [.paused(.output, .user), .fadeFinished],
            [.paused(.output, .oldDeviceUnavailable)],
            [.suppressed(.output, .interruption)], [.suppressed(.output, .interruption), .fadeFinished],
        ] as [[TransportEvent]])
    func end_ofWhatIsToBeSilent_isToldAtTheNextStart(silence: [TransportEvent]) {
        var bench = playing
        for event in silence { bench.feed(event) }
        let state = bench.state
        #expect(bench.feed(.sourceEnded(.complete, generation: 0)) == [], "a pause is the last word")
        #expect(bench.state == state)
        #expect(bench.feed(.playRequested(remaining: .nothing)) == [], "nothing is left, and it does not begin again")
        let effects = bench.feed(.started(.output))
        #expect(effects.contains(.report(TransportStatus(.finished, .endOfFile))))
        #expect(effects.last == .tellSessionStopped(.output))
        #expect(bench.feed(.playRequested()) == [.restartLoops, .seek(toSeconds: 0, generation: 1)])
    }

    @Test func end_ofWhatIsPaused_isForgottenByASeek() {
        var bench = Bench.player(.started(.output), .paused(.output, .user), .sourceEnded(.complete, generation: 0))
        bench.feed(.seekRequested(toSeconds: 1, remaining: .nothing))
        bench.feed(.started(.output))
        #expect(bench.machine.isPlaying)
    }

    @Test func play_ofWhatWasPausedWithNothingLeft_goesOnToItsEnd() {
        var bench = Bench.player(.started(.output), .paused(.output, .user), .fadeFinished)
        #expect(bench.feed(.playRequested(remaining: .nothing)) == [])
        #expect(bench.feed(.started(.output)).contains(.startStream(.output)))
        bench.feed(.sourceEnded(.complete, generation: 0))
        #expect(bench.state == .finished(.endOfFile))
    }

    @Test func seek_afterTheEnd_pausesThere() {
        var bench = playing
        bench.feed(.sourceEnded(.complete, generation: 0))
        #expect(
            bench.feed(.seekRequested(toSeconds: 2)) == [
                .restartLoops, .seek(toSeconds: 2, generation: 1), paused(.user),
            ])
        bench = playing
        #expect(
            bench.feed(.seekRequested(toSeconds: 2, remaining: .nothing)) == [
                .restartLoops, .seek(toSeconds: 2, generation: 1),
            ])
        #expect(bench.machine.isPlaying)
    }

    // MARK: Failure and closing

    @Test func failure_whilePlaying_cuts() {
        var bench = playing
        let status = TransportStatus(.failed, .error, failure: .session(Bench.deviceFailed))
        #expect(bench.feed(.failed(Bench.deviceFailed)) == [.cut, .report(status), .stopStream(.output)])
        #expect(bench.feed(.failed(Bench.deviceFailed)) == [])
        #expect(bench.feed(.playRequested()) == [])
        #expect(!bench.machine.playWhenReady)
    }

    @Test func close_fadesFirst_andCountsAsPlayingMeanwhile() {
        var bench = playing
        #expect(bench.feed(.closeRequested) == [.beginFade])
        #expect(bench.feed(.closeRequested) == [])
        #expect(bench.machine.status == Self.playing)
        #expect(bench.feed(.fadeFinished) == [], "the fade is still on its way to the device")
        #expect(bench.feed(.streamClosed(.output)) == [])
        #expect(bench.machine.status == TransportStatus(.paused))
    }

    @Test func close_withoutSound_needsNoFade() {
        var bench = Bench.player(.suppressed(.output, .noSuitableRoute))
        #expect(bench.feed(.closeRequested) == [])
        bench.feed(.streamClosed(.output))
        #expect(bench.machine.status == TransportStatus(.paused, .noSuitableRoute))
    }

    @Test func loss_whileClosing_cuts() {
        var bench = Bench.player(.started(.output), .closeRequested)
        #expect(
            bench.feed(.paused(.output, .oldDeviceUnavailable)) == [
                .cut, paused(.oldDeviceUnavailable), .stopStream(.output),
            ])
    }

    @Test func stream_openedAgain_changesNothing() {
        var bench = playing
        bench.feed(.streamOpened(.output))
        #expect(bench.machine.output == .running)
        bench.feed(.streamOpened(.input))
        #expect(bench.machine.openStreams == [.output])
    }
}
