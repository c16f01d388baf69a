import AudioModel
import SessionCore
import Testing

@testable import OpenAudioSession
@testable import audiosession

/// `play` and other programs that play, on a fake backend.
@Suite struct InterruptionTests {
    private let call = BackendError(code: .session(.insufficientPriority), message: "a call is on; end it first.")

    private func rig(
        isInteractive: Bool = true, policy: StreamPolicy = StreamPolicy(onInterruption: .pauseAndResume),
        refusedBy call: BackendError? = nil
    ) -> PlayRunnerRig {
        PlayRunnerRig(
            ["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"], policy: policy, isInteractive: isInteractive,
            refusedBy: call)
    }

    @Test func anotherProgram_whileMusicPlays_interruptsItUntilItIsDone() {
        let rig = rig()
        rig.run(seconds: 2)
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.blockReason == .interruptedForNow)
        rig.run(seconds: 2)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.blockReason == nil)
        #expect(
            rig.story.dropFirst(2) == [
                "paused a.wav at 0:02: another program or a call has the sound; continues afterwards",
                "playing a.wav at 0:02",
            ])
    }

    @Test func sessionManagerThatIsMissing_isNamedAsTheReason() {
        let rig = rig()
        rig.backend.lacksSessionManager = true
        rig.interrupt()
        #expect(rig.story.last == "playing a.wav at 0:00")
        #expect(
            rig.errors.lines == [
                "audiosession: no session manager is running, so the output cannot be used; start one (systemctl --user "
                    + "start wireplumber). Playback continues when it runs."
            ])
        #expect(!rig.runner.hasFailed)
    }

    @Test func anotherProgram_thatIsKilled_leavesTheMusicPausedForSpace() {
        let rig = rig()
        rig.interrupt()
        rig.endInterruption(shouldResume: false)
        #expect(rig.story.last == "the other program has ended and did not give the sound back")
        #expect(rig.runner.nowPlaying?.blockReason == nil)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
        rig.press(.character(" "))
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func space_whileInterrupted_takesTheSoundBack() {
        let rig = rig()
        rig.interrupt()
        rig.press(.character(" "))
        #expect(rig.backend.isActive)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        #expect(rig.runner.nowPlaying?.blockReason == nil)
    }

    @Test func space_whileACallHasTheSound_saysSoAndStaysPaused() {
        let rig = rig()
        rig.backend.refuse(call)
        rig.interrupt()
        rig.press(.character(" "))
        #expect(rig.errors.lines == ["audiosession: a call is on; end it first."])
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
        #expect(rig.runner.nowPlaying?.blockReason == .callForNow)
        rig.backend.refuse(nil)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        // Nothing was left unplayed.
        #expect(!rig.runner.hasFailed)
    }

    @Test func music_thatThePersonPausedBefore_staysPaused() {
        let rig = rig()
        rig.press(.character(" "))
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.blockReason == .interrupted)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
    }

    @Test func interruption_whileToldToIgnoreIt_pausesNothing() {
        let rig = rig(policy: StreamPolicy(onInterruption: .ignore))
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        #expect(rig.runner.nowPlaying?.blockReason == nil)
    }

    @Test func continuedProcess_thatWasInterruptedMeanwhile_doesNotTakeTheSoundBack() {
        let rig = rig()
        rig.runner.hold()
        rig.interrupt()
        rig.runner.release()
        rig.settle()
        #expect(!rig.backend.isActive)
        #expect(rig.runner.nowPlaying?.blockReason == .interruptedForNow)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func start_duringACall_inATerminal_waitsForSpace() {
        let rig = rig(refusedBy: call)
        #expect(rig.errors.lines == ["audiosession: a call is on; nothing else plays or records until it ends."])
        #expect(!rig.runner.isDone)
        #expect(rig.backend.players.count == 1)
        rig.backend.refuse(nil)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:00")
    }

    @Test func start_duringACall_elsewhere_endsTheRunWithOneError() {
        let rig = rig(isInteractive: false, refusedBy: call)
        #expect(rig.errors.lines == ["audiosession: a call is on; nothing else plays or records until it ends."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.backend.players.count == 1)
    }

    @Test func end_ofTheRun_givesTheSoundBack() {
        let rig = rig()
        #expect(rig.backend.isActive)
        rig.press(.character("q"))
        rig.runner.close()
        #expect(!rig.backend.isActive)
        #expect(rig.backend.players.map(\.isClosed) == [true])
    }

    @Test func events_inTheWrongOrder_areShownWithTimesInOrder() {
        let rig = rig()
        rig.runner.handle(.backend(.interruptionBegan(reason: .default), time: 5))
        rig.runner.handle(.backend(.interruptionEnded(shouldResume: false), time: 4.999))
        #expect(rig.output.lines.suffix(2).allSatisfy { $0.hasPrefix("[0:05.000] ") })
    }
}
