import AudioModel
import Testing
import TransportCore

/// What a recorder is told to do, in which order.
struct RecorderTests {
    private var recording: Bench { .recorder(.playRequested(), .started(.input)) }

    @Test func start_reportsBeforeItCaptures() {
        var bench = Bench.recorder(.playRequested())
        #expect(
            bench.feed(.started(.input)) == [
                .report(TransportStatus(.playing, playWhenReady: true)), .startFeeding, .startStream(.input),
            ])
    }

    @Test(arguments: [PauseCause.user, .interruption, .refusal])
    func pause_writesWhatWasCaptured_andLeavesTheFileOpen(cause: PauseCause) {
        var bench = recording
        #expect(
            bench.feed(.paused(.input, cause)) == [
                .stopStream(.input), .drainCapture, .report(TransportStatus(.paused, .init(cause))),
            ])
        #expect(bench.feed(.paused(.input, cause)) == [])
        #expect(bench.feed(.started(.input)).last == .startStream(.input))
    }

    @Test(arguments: [PauseCause.oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute, .deactivation])
    func deviceChangeOrDeactivation_endsTheRecording(cause: PauseCause) {
        var bench = recording
        #expect(bench.feed(.paused(.input, cause)) == [.stopStream(.input), .closeFile])
        #expect(!bench.machine.playWhenReady)
        #expect(bench.machine.status == TransportStatus(.paused, .init(cause)))
        #expect(bench.feed(.started(.input)) == [])
        #expect(bench.feed(.fileClosed(failure: nil)) == [.report(TransportStatus(.finished, .init(cause)))])
    }

    @Test(arguments: Suppression.allCases)
    func suppression_writesWhatWasCaptured_andWaits(suppression: Suppression) {
        var bench = recording
        let effects = bench.feed(.suppressed(.input, suppression))
        #expect(effects.prefix(2) == [.stopStream(.input), .drainCapture])
        #expect(effects.count == 3)
        #expect(bench.machine.status.suppression == suppression)
        #expect(bench.machine.playWhenReady)
    }

    @Test func deactivation_whileSuppressed_endsTheRecording() {
        var bench = recording
        bench.feed(.suppressed(.input, .interruption))
        #expect(bench.feed(.paused(.input, .deactivation)) == [.closeFile])
    }

    @Test func deviceChange_whilePaused_leavesTheFileOpen() {
        var bench = recording
        bench.feed(.paused(.input, .user))
        #expect(bench.feed(.paused(.input, .newDeviceAvailable)) == [])
        #expect(bench.feed(.paused(.input, .deactivation)) == [])
    }

    @Test func length_reached_stopsTellsTheSessionAndCloses() {
        var bench = recording
        #expect(
            bench.feed(.sourceEnded(.complete, generation: 0)) == [
                .stopStream(.input), .tellSessionStopped(.input), .closeFile,
            ])
        #expect(bench.feed(.fileClosed(failure: nil)) == [.report(TransportStatus(.finished, .endOfFile))])
    }

    @Test func diskFailure_isTheOutcome_alsoWhenTheFileClosesWell() {
        var bench = recording
        bench.feed(.sourceEnded(.failed("The disk is full."), generation: 0))
        #expect(bench.machine.status == TransportStatus(.paused, .error))
        let status = TransportStatus(.failed, .error, failure: .file("The disk is full."))
        #expect(bench.feed(.fileClosed(failure: nil)) == [.report(status)])
    }

    @Test func fileThatCannotBeCompleted_isAFailure_whateverEndedIt() {
        var bench = recording
        bench.feed(.closeRequested)
        let status = TransportStatus(.failed, .error, failure: .file("The disk is full."))
        #expect(bench.feed(.fileClosed(failure: "The disk is full.")) == [.report(status)])
        bench = recording
        bench.feed(.failed(Bench.deviceFailed))
        let first = TransportStatus(.failed, .error, failure: .session(Bench.deviceFailed))
        #expect(bench.feed(.fileClosed(failure: "The disk is full.")) == [.report(first)])
    }

    @Test func outcome_theFirstCounts() {
        var bench = recording
        bench.feed(.paused(.input, .oldDeviceUnavailable))
        #expect(bench.feed(.closeRequested) == [])
        #expect(bench.feed(.failed(Bench.deviceFailed)) == [])
        #expect(bench.feed(.sourceEnded(.complete, generation: 0)) == [])
        bench.feed(.fileClosed(failure: nil))
        #expect(bench.state == .finished(.stopped(.oldDeviceUnavailable)))
        #expect(bench.feed(.playRequested()) == [])
        #expect(!bench.machine.playWhenReady)
    }

    @Test func stop_stopsTheStreamAndClosesTheFile_alsoBeforeItHasRecorded() {
        var bench = recording
        #expect(bench.feed(.closeRequested) == [.stopStream(.input), .closeFile])
        bench = .recorder()
        #expect(bench.feed(.closeRequested) == [.closeFile])
        bench = recording
        #expect(bench.feed(.streamClosed(.input)) == [.closeFile])
        #expect(bench.machine.input == .absent)
        bench.feed(.fileClosed(failure: nil))
        #expect(bench.state == .finished(.stopped(.user)))
    }

    @Test func stream_closedWhileTheFileIsBeingCompleted_isGone() {
        var bench = recording
        bench.feed(.paused(.input, .oldDeviceUnavailable))
        bench.feed(.streamClosed(.input))
        #expect(bench.machine.input == .absent)
        #expect(bench.feed(.fileClosed(failure: nil)).count == 1)
    }

    /// A recorder that is released afterwards has to close it.
    @Test func stream_ofARecordingThatHasEnded_isOpenUntilItIsClosed() {
        for failure in [nil, "The disk is full."] {
            var bench = recording
            bench.feed(.paused(.input, .oldDeviceUnavailable))
            bench.feed(.fileClosed(failure: failure))
            #expect(bench.machine.openStreams == [.input])
            #expect(bench.feed(.streamClosed(.input)) == [])
            #expect(bench.machine.openStreams == [])
        }
    }

    @Test func failure_stopsTheStreamAndClosesTheFile() {
        var bench = recording
        #expect(bench.feed(.failed(Bench.serverLost)) == [.stopStream(.input), .closeFile])
        let status = TransportStatus(.failed, .error, failure: .session(Bench.serverLost))
        #expect(bench.feed(.fileClosed(failure: nil)) == [.report(status)])
    }
}
