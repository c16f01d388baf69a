import AudioModel
import OpenAudioSession
import SessionCore
import Testing

@testable import audiosession

/// `play` and `watch` when the sound server stops and restarts, on a fake backend.
@Suite struct ServerLossTests {
    private func rig(
        isInteractive: Bool = false, onServerLoss: PlayPlan.ServerLoss? = nil
    ) -> PlayRunnerRig {
        let rig = PlayRunnerRig(
            ["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"], isInteractive: isInteractive,
            onServerLoss: onServerLoss)
        rig.run(seconds: 2)
        return rig
    }

    /// Different threads report the loss and the player's failure, in any order.
    @Test(arguments: [false, true])
    func loss_outsideOfATerminal_endsTheRunWithOneError(eventFirst: Bool) {
        let rig = rig()
        rig.backend.loseServer(eventFirst: eventFirst)
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: \(BackendError.serverLost(nil))"])
        #expect(rig.story.last == "playing a.wav at 0:00")
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.backend.players.count == 1)
    }

    private let limit = "this program has reached its limit of open files; raise it"

    @Test(arguments: [false, true])
    func loss_forAKnownReason_isToldWithIt(eventFirst: Bool) {
        let rig = rig()
        rig.backend.loseServer(because: limit, eventFirst: eventFirst)
        rig.settle()
        #expect(
            rig.errors.lines == [
                "audiosession: the connection to the sound server is lost: this program has reached its limit of open files; "
                    + "raise it. Then try again."
            ])
        #expect(!rig.output.text.contains("the sound server stopped"))
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
    }

    @Test(arguments: [PlayPlan.ServerLoss.wait, .resume])
    func loss_forAKnownReason_whileToldToStay_isToldToo(onServerLoss: PlayPlan.ServerLoss) {
        let rig = rig(onServerLoss: onServerLoss)
        rig.backend.loseServer(because: limit)
        rig.settle()
        #expect(rig.errors.lines.count == 1)
        #expect(rig.errors.text.contains(limit))
        #expect(!rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
        rig.backend.restoreServer()
        rig.backend.loseServer()
        rig.settle()
        #expect(rig.errors.lines.count == 1)
    }

    /// The player's failure follows the error that its `play` has thrown.
    @Test func loss_whilePlaybackBegins_isOneError() {
        let rig = PlayRunnerRig(["a.wav": 9], play: ["a.wav"], refusedBy: FakeBackend.lost)
        rig.backend.loseServer()
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: \(BackendError.serverLost(nil))"])
        #expect(rig.runner.isDone)
    }

    @Test(arguments: [false, true])
    func loss_inATerminal_waitsForTheServerAndThenForSpace(eventFirst: Bool) {
        let rig = rig(isInteractive: true)
        rig.backend.loseServer(eventFirst: eventFirst)
        rig.settle()
        #expect(rig.runner.nowPlaying?.blockReason == .serverIsLost)
        rig.press(.character(" "), .left, .right)
        #expect(rig.backend.players.count == 1)
        rig.backend.restoreServer()
        rig.settle()
        #expect(rig.story.last == "the sound server is running again")
        #expect(rig.runner.nowPlaying?.blockReason == .serverWasLost)
        #expect(rig.runner.nowPlaying?.tracks[0].position == 2)
        #expect(rig.backend.players.count == 1)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:02")
        #expect(rig.runner.nowPlaying?.blockReason == nil)
        #expect(rig.backend.players.map(\.isClosed) == [true, false])
        // The new session had its initial category.
        #expect(rig.backend.configurations == [SessionSettings(category: .playback)])
        #expect(rig.errors.text.isEmpty)
        #expect(!rig.runner.hasFailed)
    }

    @Test func leaving_whileWaitingForTheServer_isNoError() {
        let rig = rig(isInteractive: true)
        rig.backend.loseServer()
        rig.settle()
        rig.press(.character("q"))
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    @Test(arguments: [false, true])
    func loss_whileToldToResume_playsOnWhenTheServerReturns(eventFirst: Bool) {
        let rig = rig(onServerLoss: .resume)
        for _ in 1...2 {
            rig.backend.loseServer(eventFirst: eventFirst)
            rig.settle()
            rig.backend.restoreServer()
            rig.settle()
        }
        rig.run(seconds: 7)
        #expect(rig.story.suffix(3) == ["playing a.wav at 0:02", "finished a.wav", "playing b.wav at 0:00"])
        #expect(rig.backend.players.count == 3)
        #expect(!rig.runner.hasFailed)
    }

    /// A station has a present only: it goes on there.
    @Test func loss_ofAStation_whileToldToResume_playsOnInItsPresent() throws {
        let address = "http://example.org/radio"
        let items = try MediaList.items([FilePath(address)])
        let rig = PlayRunnerRig([address: 60], play: [], onServerLoss: .resume) { $0.items = items }
        rig.runAside()
        rig.run(seconds: 5)
        rig.backend.loseServer()
        rig.backend.restoreServer()
        rig.settle()
        rig.runAside()
        #expect(rig.story.last == "playing \(address) at 0:00")
        #expect(rig.errors.text.isEmpty)
        #expect(rig.backend.players.map(\.status.state) == [.failed, .playing])
    }

    /// The server is running again before any of its events is read.
    @Test func quickReturn_whileToldToResume_playsOnOnce() {
        let rig = rig(onServerLoss: .resume)
        rig.backend.loseServer()
        rig.backend.restoreServer()
        rig.settle()
        #expect(rig.story.suffix(1) == ["playing a.wav at 0:02"])
        #expect(rig.backend.players.count == 2)
    }

    @Test func loss_whileThePersonHadPaused_resumesNothing() {
        let rig = rig(onServerLoss: .resume)
        rig.press(.character(" "))
        rig.backend.loseServer()
        rig.settle()
        rig.backend.restoreServer()
        rig.settle()
        #expect(rig.backend.players.count == 1)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:02")
    }

    // Behaviour 96
    @Test func loss_ofPrivateSound_whileToldToResume_waitsForAPrivateOutputOrSpace() {
        for pressesSpace in [false, true] {
            let rig = rig(onServerLoss: .resume)
            rig.backend.loseServer()
            rig.unplug()
            rig.backend.restoreServer()
            rig.settle()
            #expect(
                rig.story.last
                    == "paused a.wav at 0:02: waiting for a suitable output")
            #expect(rig.runner.nowPlaying?.blockReason == .outputIsNotPrivate)
            if pressesSpace { rig.press(.character(" ")) } else { rig.plug() }
            #expect(rig.story.contains("playing a.wav at 0:02"))
            #expect(rig.runner.nowPlaying?.blockReason == nil)
            #expect(rig.backend.players.last?.policy.continuesPrivately == !pressesSpace)
            rig.run(seconds: 7)
            #expect(rig.story.last == "playing b.wav at 0:00")
        }
    }

    @Test func loss_whileToldToResumeAndToContinueAfterAnUnplug_playsOnAnywhere() {
        let rig = PlayRunnerRig(
            ["a.wav": 9], play: ["a.wav"], policy: StreamPolicy(onDeviceLoss: .continue), onServerLoss: .resume)
        rig.backend.loseServer()
        rig.unplug()
        rig.backend.restoreServer()
        rig.settle()
        #expect(rig.story.last == "playing a.wav at 0:00")
    }

    @Test func watch_thatTakesPart_doesSoAgainAfterInterruptionsAndOnANewServer() {
        let backend = FakeBackend(files: [:])
        let output = CapturedOutput()
        let inbox = Inbox<RunInput<String>>()
        let display = Display(output: output, errors: output, style: .text(arrow: "->"), wording: .notifications)
        let runner = WatchRunner(
            RunContext(backend: backend, log: EventLog(display: display), deliver: { inbox.post($0) }),
            settings: SessionSettings(category: .playback), activates: true, followGuard: { $0("Paused mpv.") })
        func settle() { for input in inbox.take() { runner.handle(input) } }
        runner.begin()
        #expect(backend.isActive)
        backend.interrupt()
        backend.endInterruption(shouldResume: false)
        settle()
        #expect(!backend.isActive)
        backend.endInterruption(shouldResume: true)
        settle()
        #expect(backend.isActive)
        backend.loseServer()
        backend.restoreServer()
        settle()
        #expect(backend.isActive)
        #expect(backend.configurations == [SessionSettings(category: .playback)])
        runner.handle(.signal(.leave))
        #expect(runner.isDone)
        runner.close()
        #expect(!backend.isActive)
        #expect(
            output.lines.map { String($0.drop { $0 != "]" }.dropFirst(2)) }.dropFirst() == [
                "guard: Paused mpv.",
                "interrupted (default): another program took over the audio",
                "interruption ended: no player resumes automatically",
                "interruption ended (shouldResume): interrupted players may resume",
                "media services lost: the sound server stopped",
                "media services reset: the sound server is running again",
            ])
    }
}
