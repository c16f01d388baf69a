import AudioModel
import SessionCore
import Testing

@testable import audiosession

/// What `play` and `watch` do when the sound server dies and returns, over the fake library.
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

    /// The loss and the player's failure come on different threads, in any order.
    @Test(arguments: [false, true])
    func loss_outsideOfATerminal_endsTheRunWithOneErrorAfterBothNews(newsFirst: Bool) {
        let rig = rig()
        rig.studio.loseServer(newsFirst: newsFirst)
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: the sound server is gone."])
        let news = ["failed a.wav at 0:02", "media services lost: the sound server went away"]
        #expect(rig.story.suffix(2) == (newsFirst ? news.reversed() : news))
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.studio.players.count == 1)
    }

    @Test(arguments: [false, true])
    func loss_inATerminal_waitsForTheServerAndThenForSpace(newsFirst: Bool) {
        let rig = rig(isInteractive: true)
        rig.studio.loseServer(newsFirst: newsFirst)
        rig.settle()
        #expect(rig.runner.nowPlaying?.hindrance == .serverIsLost)
        rig.press(.character(" "), .left, .right)
        #expect(rig.studio.players.count == 1)
        rig.studio.restoreServer()
        rig.settle()
        #expect(rig.story.last == "media services reset: the sound server is there again")
        #expect(rig.runner.nowPlaying?.hindrance == .serverWasLost)
        #expect(rig.runner.nowPlaying?.tracks[0].position == 2)
        #expect(rig.studio.players.count == 1)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:02")
        #expect(rig.runner.nowPlaying?.hindrance == nil)
        #expect(rig.studio.players.map(\.isClosed) == [true, false])
        // The new session had the category of the beginning.
        #expect(rig.studio.configurations == [SessionConfiguration(category: .playback)])
        #expect(rig.errors.text.isEmpty)
        #expect(!rig.runner.hasFailed)
    }

    @Test func leaving_whileWaitingForTheServer_isNoError() {
        let rig = rig(isInteractive: true)
        rig.studio.loseServer()
        rig.settle()
        rig.press(.character("q"))
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    @Test(arguments: [false, true])
    func loss_whileToldToResume_playsOnWhenTheServerReturns(newsFirst: Bool) {
        let rig = rig(onServerLoss: .resume)
        for _ in 1...2 {
            rig.studio.loseServer(newsFirst: newsFirst)
            rig.settle()
            rig.studio.restoreServer()
            rig.settle()
        }
        rig.run(seconds: 7)
        #expect(rig.story.suffix(3) == ["playing a.wav at 0:02", "finished a.wav", "playing b.wav at 0:00"])
        #expect(rig.studio.players.count == 4)
        #expect(!rig.runner.hasFailed)
    }

    /// The server is back before any of its news is read.
    @Test func quickReturn_whileToldToResume_playsOnOnce() {
        let rig = rig(onServerLoss: .resume)
        rig.studio.loseServer()
        rig.studio.restoreServer()
        rig.settle()
        #expect(rig.story.suffix(1) == ["playing a.wav at 0:02"])
        #expect(rig.studio.players.count == 2)
    }

    @Test func loss_whileThePersonHadPaused_resumesNothing() {
        let rig = rig(onServerLoss: .resume)
        rig.press(.character(" "))
        rig.studio.loseServer()
        rig.settle()
        rig.studio.restoreServer()
        rig.settle()
        #expect(rig.studio.players.count == 1)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing a.wav at 0:02")
    }

    @Test func watch_thatTakesPart_doesSoAgainAfterInterruptionsAndOnANewServer() {
        let studio = FakeStudio(files: [:])
        let output = CapturedOutput()
        let inbox = Inbox<Watch.Input>()
        let runner = WatchRunner(
            studio: studio, configuration: SessionConfiguration(category: .playback), takesPart: true,
            display: LineDisplay(output: output, errors: output, style: .text(arrow: "->")), stopwatch: Stopwatch(),
            deliver: { inbox.post($0) })
        func settle() { for input in inbox.take() { runner.handle(input) } }
        runner.begin()
        #expect(studio.isActive)
        studio.interrupt()
        studio.endInterruption(shouldResume: false)
        settle()
        #expect(!studio.isActive)
        studio.endInterruption(shouldResume: true)
        settle()
        #expect(studio.isActive)
        studio.loseServer()
        studio.restoreServer()
        settle()
        #expect(studio.isActive)
        #expect(studio.configurations == [SessionConfiguration(category: .playback)])
        runner.handle(.signal(.leave))
        #expect(runner.isDone)
        runner.close()
        #expect(!studio.isActive)
        #expect(
            output.lines.map { String($0.drop { $0 != "]" }.dropFirst(2)) }.dropFirst() == [
                "interrupted (default): another program has the sound",
                "the interruption is over: nothing goes on by itself",
                "the interruption is over: what it stopped may go on (shouldResume)",
                "media services lost: the sound server went away",
                "media services reset: the sound server is there again",
            ])
    }
}
