import AudioModel
import SessionCore
import Testing

@testable import OpenAVFAudio
@testable import audiosession

/// What `play` does while others want the sound, over the fake library.
@Suite struct InterruptionTests {
    private let call = StudioError(code: "insufficientPriority", message: "a call is on; end it first.")

    private func rig(
        isInteractive: Bool = true, policy: StreamPolicy = StreamPolicy(), refusedBy call: StudioError? = nil
    ) -> PlayRunnerRig {
        PlayRunnerRig(
            ["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"], policy: policy, isInteractive: isInteractive,
            refusedBy: call)
    }

    @Test func anotherProgram_whileMusicPlays_interruptsItUntilItIsDone() {
        let rig = rig()
        rig.run(seconds: 2)
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.hindrance == .interruptedForNow)
        rig.run(seconds: 2)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.hindrance == nil)
        #expect(
            rig.story.dropFirst(2) == [
                "paused a.wav at 0:02: interrupted for now (interruption)",
                "interrupted (default): another program has the sound",
                "the interruption is over: what it stopped may go on (shouldResume)",
                "playing a.wav at 0:02",
            ])
    }

    @Test func anotherProgram_thatIsKilled_leavesTheMusicPausedForSpace() {
        let rig = rig()
        rig.interrupt()
        rig.endInterruption(shouldResume: false)
        #expect(rig.story.last == "the interruption is over: nothing goes on by itself")
        #expect(rig.runner.nowPlaying?.hindrance == nil)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
        rig.press(.character(" "))
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func space_whileInterrupted_takesTheSoundBack() {
        let rig = rig()
        rig.interrupt()
        rig.press(.character(" "))
        #expect(rig.studio.isActive)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        #expect(rig.runner.nowPlaying?.hindrance == nil)
    }

    @Test func space_whileACallHasTheSound_saysSoAndStaysPaused() {
        let rig = rig()
        rig.studio.refuse(call)
        rig.interrupt()
        rig.press(.character(" "))
        #expect(rig.errors.lines == ["audiosession: a call is on; end it first."])
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
        #expect(rig.runner.nowPlaying?.hindrance == .interruptedForNow)
        rig.studio.refuse(nil)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        // Nothing was left unplayed.
        #expect(!rig.runner.hasFailed)
    }

    @Test func music_thatThePersonPausedBefore_staysPaused() {
        let rig = rig()
        rig.press(.character(" "))
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.hindrance == .interrupted)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .paused)
    }

    @Test func interruption_whileToldToIgnoreIt_pausesNothing() {
        let rig = rig(policy: StreamPolicy(onInterruption: .ignore))
        rig.interrupt()
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
        #expect(rig.runner.nowPlaying?.hindrance == nil)
    }

    @Test func continuedProcess_thatWasInterruptedMeanwhile_doesNotTakeTheSoundBack() {
        let rig = rig()
        rig.runner.hold()
        rig.interrupt()
        rig.runner.release()
        rig.settle()
        #expect(!rig.studio.isActive)
        #expect(rig.runner.nowPlaying?.hindrance == .interruptedForNow)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func start_duringACall_inATerminal_waitsForSpace() {
        let rig = rig(refusedBy: call)
        #expect(rig.errors.lines == ["audiosession: a call is on; end it first."])
        #expect(!rig.runner.isDone)
        #expect(rig.studio.players.count == 1)
        rig.studio.refuse(nil)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:00")
    }

    @Test func start_duringACall_elsewhere_endsTheRunWithOneError() {
        let rig = rig(isInteractive: false, refusedBy: call)
        #expect(rig.errors.lines == ["audiosession: a call is on; end it first."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.studio.players.count == 1)
    }

    @Test func end_ofTheRun_givesTheSoundBack() {
        let rig = rig()
        #expect(rig.studio.isActive)
        rig.press(.character("q"))
        rig.runner.close()
        #expect(!rig.studio.isActive)
        #expect(rig.studio.players.map(\.isClosed) == [true])
    }

    @Test func news_thatSwapsPlacesOnTheWay_isShownWithTimesInOrder() {
        let rig = rig()
        rig.runner.handle(.studio(.interruptionBegan(reason: .default), time: 5))
        rig.runner.handle(.studio(.interruptionEnded(shouldResume: false), time: 4.999))
        #expect(rig.output.lines.suffix(2).allSatisfy { $0.hasPrefix("[0:05.000] ") })
    }
}
