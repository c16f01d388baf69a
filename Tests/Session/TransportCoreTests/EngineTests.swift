import AudioModel
import Testing
import TransportCore

/// What an engine is told to do, in which order.
struct EngineTests {
    @Test func start_inputFirst_playsWithTheOutput() {
        var bench = Bench.engine(.playRequested())
        #expect(bench.feed(.started(.input)) == [.startFeeding, .startStream(.input)])
        #expect(!bench.machine.isPlaying)
        #expect(bench.feed(.started(.output)) == [.startFeeding, .playSource(at: nil), .startStream(.output)])
        #expect(bench.machine.isPlaying)
        #expect(bench.feed(.started(.output)) == [])
        #expect(bench.feed(.started(.input)) == [])
    }

    @Test func start_notAskedFor_isStale() {
        var bench = Bench.engine()
        #expect(bench.feed(.started(.input)) == [])
        #expect(bench.feed(.started(.output)) == [])
        bench = .engine(.playRequested(), .started(.input))
        #expect(
            bench.feed(.paused(.input, .oldDeviceUnavailable)) == [.cut, .stopStream(.input)],
            "the input is gone before the output has started")
        #expect(bench.feed(.started(.output)) == [])
    }

    @Test func start_ofAListener_playsWithTheInput() {
        var bench = Bench(.engine, [.outputUseChanged(.unheard), .streamOpened(.input), .playRequested()])
        #expect(bench.feed(.started(.input)) == [.startFeeding, .startStream(.input)])
        #expect(bench.machine.isPlaying)
        bench.feed(.outputUseChanged(.heard))
        bench.feed(.streamOpened(.output))
        #expect(
            bench.feed(.started(.output)) == [.startFeeding, .playSource(at: nil), .startStream(.output)],
            "its output was connected later")
    }

    @Test func request_refused_stopsWhatCaptures() {
        var bench = Bench.engine(.playRequested(), .started(.input))
        #expect(bench.feed(.playRefused) == [.stopStream(.input), .drainCapture])
        #expect(bench.feed(.started(.output)) == [])
    }

    @Test func stop_endsTheRequest_soThatALateStartIsStale() {
        var bench = Bench.playingEngine()
        #expect(bench.machine.playWhenReady)
        #expect(bench.feed(.stopped) == [])
        #expect(!bench.machine.playWhenReady)
        bench.feed(.streamOpened(.output))
        #expect(bench.feed(.started(.output)) == [])
    }

    @Test func pause_handsOverWhatWasCaptured_andFadesTheOutput() {
        var bench = Bench.playingEngine()
        #expect(bench.feed(.paused(.input, .user)) == [.stopStream(.input), .drainCapture, .beginFade])
        #expect(bench.feed(.paused(.output, .user)) == [])
        #expect(bench.feed(.fadeFinished) == [.stopStream(.output)])
        #expect(bench.machine.openStreams == [.input, .output])
    }

    @Test func pause_ofAListener_needsNoFade() {
        var bench = Bench.engine(.outputUseChanged(.unheard), .playRequested(), .started(.input), .started(.output))
        #expect(bench.feed(.paused(.input, .user)) == [.stopStream(.input), .drainCapture])
        #expect(bench.state == .paused(.user))
        #expect(bench.machine.output == .running, "what is not heard needs no stop; it sounds when it is connected")
    }

    // MARK: Losses

    // Behaviours 83 and 84: the engine captures on, and what sounded waits for its own `play`.
    @Test func loss_cutsTheOutput_pausesThePlayers_andIsNoConfigurationChange() {
        var bench = Bench.playingEngine()
        #expect(
            bench.feed(.paused(.output, .oldDeviceUnavailable)) == [.cut, .stopStream(.output), .pausePlayers])
        #expect(bench.feed(.sessionEventApplied) == [])
        #expect(bench.machine.isPlaying && bench.machine.restsOutput)
        bench.feed(.playRequested())
        #expect(
            bench.feed(.started(.output)) == [.startFeeding, .playSource(at: nil), .startStream(.output)],
            "a player, or the app, has asked for the output")
        #expect(!bench.machine.restsOutput)
    }

    @Test func loss_whileThePauseFades_pausesThePlayers() {
        var bench = Bench.playingEngine(.paused(.output, .user))
        #expect(
            bench.feed(.paused(.output, .oldDeviceUnavailable)) == [.cut, .stopStream(.output), .pausePlayers])
        #expect(bench.state == .paused(.user))
    }

    // Issue 22: the loss of the input does not stop the output.
    @Test(
        arguments: [
            .paused(.input, .oldDeviceUnavailable), .paused(.input, .noSuitableRoute),
            .suppressed(.input, .noSuitableRoute),
        ] as [TransportEvent]) func lostInput_playsOn_untilTheAppStartsAgain(_ loss: TransportEvent)
    {
        var bench = Bench.playingEngine()
        #expect(bench.feed(loss) == [.stopStream(.input), .drainCapture, .tellSessionStopped(.input)])
        #expect(bench.feed(loss) == [])
        #expect(bench.feed(.sessionEventApplied) == [])
        #expect(bench.machine.isPlaying && bench.machine.restsInput)
        bench.feed(.playRequested())
        #expect(bench.feed(.started(.input)) == [.startFeeding, .startStream(.input)])
        #expect(!bench.machine.restsInput)
    }

    @Test func lostInput_ofAListener_stopsIt() {
        var bench = Bench.engine(.outputUseChanged(.unheard), .playRequested(), .started(.input))
        #expect(bench.feed(.paused(.input, .noSuitableRoute)).contains(.tellSessionStopped(.input)))
        #expect(!bench.machine.isPlaying)
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
    }

    /// No other output takes over.
    @Test func lostRoute_cutsBothStreams_andOwesTheAppOneConfigurationChange() {
        var bench = Bench.playingEngine()
        #expect(
            bench.feed(.paused(.output, .noSuitableRoute)) == [
                .cut, .stopStream(.output), .stopStream(.input), .tellSessionStopped(.input),
                .tellSessionStopped(.output),
            ])
        #expect(bench.feed(.paused(.input, .noSuitableRoute)) == [])
        #expect(bench.feed(.deviceShapeChanged) == [])
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    /// The loss may interrupt the session too.
    @Test func interruption_afterALoss_stopsTheEngine() {
        var bench = Bench.playingEngine(.paused(.output, .oldDeviceUnavailable))
        #expect(bench.feed(.paused(.output, .interruption)) == [.stopStream(.input), .drainCapture])
        #expect(bench.state == .paused(.interruption))
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    @Test func loss_andAnotherDeviceShape_areToldOnce() {
        var bench = Bench.playingEngine()
        bench.feed(.paused(.output, .oldDeviceUnavailable))
        bench.feed(.deviceShapeChanged)
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    @Test func loss_restarted_keepsTheNotice() {
        var bench = Bench.playingEngine()
        bench.feed(.deviceShapeChanged)
        bench.feed(.playRequested())
        bench.feed(.started(.input))
        bench.feed(.started(.output))
        #expect(bench.machine.isPlaying)
        bench.feed(.paused(.output, .oldDeviceUnavailable))
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
    }

    /// Its next start lets them wait for their own `play`.
    @Test func loss_whilePaused_pausesThePlayers() {
        var bench = Bench.playingEngine(.paused(.output, .user), .fadeFinished)
        #expect(bench.feed(.paused(.output, .oldDeviceUnavailable)) == [.pausePlayers])
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    @Test func otherDeviceShape_cuts() {
        var bench = Bench.playingEngine()
        let effects = bench.feed(.deviceShapeChanged)
        #expect(effects.first == .cut)
        #expect(effects.contains(.tellSessionStopped(.output)))
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
    }

    @Test func stop_withdrawsTheNotice() {
        var bench = Bench.playingEngine()
        bench.feed(.deviceShapeChanged)
        bench.feed(.stopped)
        #expect(bench.feed(.sessionEventApplied) == [])
        #expect(bench.machine.openStreams == [])
        #expect(bench.state == .ready)
    }

    // MARK: Suppression

    @Test func interruption_fadesAndGivesUp() {
        var bench = Bench.playingEngine()
        #expect(
            bench.feed(.suppressed(.output, .interruption)) == [
                .stopStream(.input), .drainCapture, .beginFade, .refuse(.suppressed(.output, .interruption)),
                .tellSessionStopped(.input), .tellSessionStopped(.output),
            ])
        #expect(!bench.machine.playWhenReady)
        #expect(bench.feed(.started(.output)) == [], "it does not play on by itself")
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    @Test func noRoute_cutsGivesUpAndIsAConfigurationChange() {
        var bench = Bench.playingEngine()
        #expect(
            bench.feed(.suppressed(.output, .noSuitableRoute)) == [
                .cut, .stopStream(.output), .stopStream(.input), .refuse(.suppressed(.output, .noSuitableRoute)),
                .tellSessionStopped(.input), .tellSessionStopped(.output),
            ])
        #expect(bench.feed(.sessionEventApplied) == [.postConfigurationChange])
    }

    @Test func noRoute_atAStart_isARefusalOnly() {
        var bench = Bench.engine(.playRequested(), .started(.input))
        #expect(
            bench.feed(.suppressed(.output, .noSuitableRoute)) == [
                .cut, .stopStream(.input), .refuse(.suppressed(.output, .noSuitableRoute)),
                .tellSessionStopped(.input), .tellSessionStopped(.output),
            ])
        #expect(bench.feed(.sessionEventApplied) == [])
    }

    // MARK: Failures

    @Test func failedStream_closesBoth_andTheNextStartOpensOthers() {
        var bench = Bench.playingEngine()
        #expect(
            bench.feed(.failed(Bench.deviceFailed)) == [
                .cut, .stopStream(.output), .stopStream(.input), .closeStream(.input), .closeStream(.output),
                .refuse(.failed(Bench.deviceFailed)), .postConfigurationChange,
            ])
        #expect(bench.machine.openStreams == [])
        for event in [.streamOpened(.output), .playRequested(), .started(.output)] as [TransportEvent] {
            bench.feed(event)
        }
        #expect(bench.machine.isPlaying)
    }

    @Test func failedStream_whilePaused_isNoConfigurationChange() {
        var bench = Bench.engine()
        #expect(
            bench.feed(.failed(Bench.deviceFailed)) == [
                .closeStream(.input), .closeStream(.output), .refuse(.failed(Bench.deviceFailed)),
            ])
        bench = Bench(.engine)
        #expect(bench.feed(.failed(Bench.deviceFailed)) == [.refuse(.failed(Bench.deviceFailed))])
    }

    @Test func lostMediaServices_areTheEnd() {
        var bench = Bench.playingEngine()
        #expect(bench.feed(.failed(Bench.serverLost)) == [.cut, .stopStream(.output), .stopStream(.input)])
        #expect(bench.state == .failed(.session(Bench.serverLost)))
        bench.feed(.stopped)
        #expect(bench.state == .failed(.session(Bench.serverLost)))
        #expect(bench.machine.openStreams == [])
        bench.feed(.streamOpened(.output))
        #expect(bench.feed(.playRequested()) == [])
        #expect(!bench.machine.playWhenReady)
    }

    // MARK: Manual rendering

    @Test func manualRendering_playsWithoutStreams() {
        var bench = Bench(.engine)
        #expect(bench.feed(.manualRenderingStarted) == [])
        #expect(bench.machine.isPlaying)
        #expect(bench.machine.playWhenReady)
        bench.feed(.manualRenderingPaused)
        #expect(bench.state == .paused(.user))
        #expect(!bench.machine.playWhenReady)
        bench.feed(.manualRenderingStarted)
        #expect(bench.machine.isPlaying)
        bench.feed(.stopped)
        #expect(bench.state == .ready)
    }

    @Test func manualRendering_withAStreamOpen_isRefused() {
        let bench = Bench.engine(.manualRenderingStarted)
        #expect(bench.state == .ready)
    }

    // MARK: Streams

    @Test func outputClosed_whileFading_endsTheFade() {
        var bench = Bench.playingEngine(.paused(.output, .user))
        #expect(bench.feed(.streamClosed(.output)) == [])
        #expect(bench.state == .paused(.user))
        #expect(bench.machine.openStreams == [.input])
    }

    @Test func inputClosed_whilePlaying_playsOn() {
        var bench = Bench.playingEngine()
        #expect(bench.feed(.streamClosed(.input)) == [])
        #expect(bench.machine.isPlaying)
        bench.feed(.streamOpened(.input))
        #expect(bench.feed(.started(.input)) == [.startFeeding, .startStream(.input)])
    }
}
