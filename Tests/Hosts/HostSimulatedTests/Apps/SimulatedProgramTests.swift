import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing

/// Programs that know nothing of sessions.
@Suite struct SimulatedProgramTests {
    @Test func everyAppHearsWhichProgramsPlay() throws {
        let music = try Bench(.bare)
        let other = try music.anotherApp(named: "Other")
        for bench in [music, other] { _ = bench.takeEvents() }
        let game = music.host.startForeignStream(role: "Game", name: "chess")
        other.host.startForeignStream(name: "player")
        music.host.stopForeignStream(game)
        for bench in [music, other] {
            #expect(bench.takeEvents() == ["foreign 1 Game", "foreign 1 Game 2 no role", "foreign 2 no role"])
        }
        #expect(music.host.foreignStreams == [ForeignStream(id: 2, role: nil, name: "player")])
        #expect(
            music.host.facts.suffix(3) == [
                .foreignStreamStarted(1, "Game"), .foreignStreamStarted(2, nil), .foreignStreamStopped(1),
            ])
        #expect(music.host.violations.isEmpty)
    }

    @Test func callComesAndGoes() throws {
        let bench = try Bench(.bare)
        bench.host.receiveCall()
        bench.host.endCall()
        bench.host.receiveCall()
        #expect(bench.takeEvents() == ["ports ", "foreign 1 Phone", "foreign", "foreign 2 Phone"])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func notificationEndsByItself_onItsFrame() throws {
        let bench = try Bench(.bare)
        bench.host.playForeignSound(seconds: 0.06)
        bench.host.playForeignSound(role: "Alarm", seconds: 0.02)
        bench.host.advance(frames: 1)
        #expect(bench.takeEvents() == ["ports ", "foreign 1 Notification", "foreign 1 Notification 2 Alarm"])
        bench.host.advance(frames: 10)
        #expect(bench.takeEvents() == ["foreign 1 Notification", "foreign"])
        let ends = bench.host.timeline.filter {
            $0.fact == .foreignStreamStopped(1) || $0.fact == .foreignStreamStopped(2)
        }
        #expect(ends.map(\.frame) == [2, 6])
    }

    @Test func notificationThatACrashEnded_endsOnce() throws {
        let bench = try Bench(.bare)
        bench.host.playForeignSound(seconds: 0.06)
        bench.host.crashServer()
        bench.host.restartServer()
        bench.host.advance(frames: 10)
        #expect(bench.takeEvents() == ["ports ", "foreign 1 Notification", "lost", "restored", "ports "])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func scriptsMakeMistakes() throws {
        let bench = try Bench(.bare)
        bench.host.endCall()
        bench.host.stopForeignStream(9)
        bench.host.receiveCall()
        bench.host.receiveCall()
        bench.host.crashServer()
        bench.host.startForeignStream()
        bench.host.holdStream(StreamID(number: 1))
        #expect(
            bench.host.violations == [
                "script: a call ends, but none is on",
                "script: foreign stream 9 was stopped, but it does not run",
                "script: a call begins during a call; end that one first",
                "script: a program plays while the server is down; let the server return first",
                "script: stream 1 was held, but it is not alive, or held already",
            ])
    }
}
