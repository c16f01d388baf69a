import AudioModel
import SessionCore
import Testing

@testable import audiosession

/// `play` and the desktop's media controls, on a fake backend.
@Suite struct RemoteControlTests {
    private typealias Rig = PlayRunnerRig

    private final class Controls: RemoteControl {
        var shown: [RemoteStatus?] = []
        func show(_ status: RemoteStatus?) { shown.append(status) }
    }

    private let controls = Controls()

    private func rig(_ files: [String: Double] = ["a.wav": 60, "b.wav": 60]) -> Rig {
        Rig(files, play: files.keys.sorted(), isInteractive: true, remote: controls)
    }

    private func send(_ command: PlayAction, to rig: Rig) {
        rig.runner.handle(.remote(command))
        rig.settle()
    }

    @Test func item_isShownWhenItBegins_andNothingAtTheEnd() {
        let rig = rig()
        let first = controls.shown.last ?? nil
        #expect(first?.title == "a.wav")
        #expect(first?.path == "a.wav")
        #expect((first?.duration, first?.position) == (60, 0))
        #expect(first?.isPlaying == true)
        #expect(first?.canSkip == true)
        rig.run(seconds: 60)
        let second = controls.shown.last ?? nil
        #expect(second?.title == "b.wav")
        #expect(second?.number != first?.number)
        #expect(second?.canSkip == false)
        rig.run(seconds: 60)
        rig.runner.close()
        #expect(controls.shown.last == .some(nil))
    }

    @Test func pauseFromThere_isTheUsersPause() {
        let rig = rig()
        send(.pause, to: rig)
        #expect(rig.story.last == "paused a.wav at 0:00")
        #expect(controls.shown.last??.isPlaying == false)
        // Nothing resumes it but the user.
        rig.interrupt()
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.isPlaying == false)
        send(.play, to: rig)
        send(.play, to: rig)
        #expect(rig.runner.nowPlaying?.isPlaying == true)
        send(.togglePlayPause, to: rig)
        #expect(rig.runner.nowPlaying?.isPlaying == false)
    }

    @Test func pauseFromThere_whileInterrupted_staysAfterTheInterruption() {
        let rig = rig()
        rig.interrupt()
        send(.pause, to: rig)
        rig.endInterruption(shouldResume: true)
        #expect(rig.runner.nowPlaying?.isPlaying == false)
    }

    @Test func nextPreviousSeekSpeedAndVolume_areThoseOfTheKeys() {
        let rig = rig()
        send(.next, to: rig)
        #expect(controls.shown.last??.title == "b.wav")
        send(.seek(.to(30)), to: rig)
        #expect(controls.shown.last??.position == 30)
        send(.previous, to: rig)
        #expect(controls.shown.last??.position == 0)
        send(.setSpeed(1.5), to: rig)
        #expect(rig.backend.players.last?.rate == 1.5)
        #expect(controls.shown.last??.speed == 1.5)
        send(.setVolume(0.25), to: rig)
        #expect(rig.backend.players.last?.volume == 0.25)
        #expect(controls.shown.last??.volume == 0.25)
    }

    @Test func whatChangesNothing_isNotShownAgain() {
        let rig = rig()
        let count = controls.shown.count
        rig.press(.character("d"), .escape)
        #expect(controls.shown.count == count)
    }

    @Test func position_thatIsWhereItMustBe_isNotShownAgain() {
        var status = RemoteStatus(
            title: "a", number: 1, duration: 60, position: 10, isPlaying: true, speed: 2, volume: 1, canSkip: false)
        let before = status
        status.position = 14.5
        #expect(status.follows(from: before, after: 2))
        #expect(!status.follows(from: before, after: 1))
        status.isPlaying = false
        #expect(!status.follows(from: before, after: 2))
    }
}
