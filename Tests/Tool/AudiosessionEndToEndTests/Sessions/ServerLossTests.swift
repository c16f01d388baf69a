import Foundation
import Testing

/// `play` on a private PipeWire that stops and restarts.
@Suite("audiosession and the loss of the server", .ownThread, .serialized)
struct ServerLossTests {
    private let machine: TestMachine

    init() throws { machine = try TestMachine() }

    private func play(_ onServerLoss: String) throws -> ToolRun {
        let run = try machine.run(
            "play", try machine.tone(seconds: 60), "--events", "json", "--on-server-loss", onServerLoss)
        try run.wait(for: "playing (user) tone.wav")
        try machine.headset.meter.wait(loudFrames: 4800)
        return run
    }

    /// Without the route changes of a server with new devices, and the wait for the first of these.
    private func plot(_ run: ToolRun) -> [String] {
        run.story.filter { $0 != "paused (noSuitableRoute) tone.wav" }.filter { story in
            ["started", "playing", "paused", "failed", "finished", "media", "interruption", "error"]
                .contains { story.hasPrefix($0) }
        }
    }

    /// Different threads report the player's failure and the session's events.
    private func waitForLoss(_ run: ToolRun, from start: Int = 0) throws -> Int {
        let failed = try run.wait(for: "failed (error) tone.wav", from: start)
        return max(failed, try run.wait(for: "media services lost", from: start))
    }

    @Test func quit_endsTheRunWithOneSentence() throws {
        let run = try play("quit")
        machine.killServer()
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.hasPrefix("audiosession: the sound server stopped; try again"), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(try run.faults() == [])
        #expect(plot(run).filter { $0 == "media services lost" }.count == 1)
        #expect(!plot(run).contains("media services reset"))
    }

    /// The default device that arrives brings its descriptors, and there is no room for them.
    @Test func descriptorsThatRunOut_areNamed_andNoServerThatStopped() throws {
        let run = try play("quit")
        try run.limitFiles(to: 20)
        let hall = try machine.server.makeSink(
            name: "usb-hall", description: "Hall", formFactor: "headphone", bus: "usb", priority: 2500)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors.hasPrefix(
                "audiosession: the connection to the sound server is lost: this program has reached its limit of open files;"
            ), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(!run.output.contains("the sound server stopped"), "\(run.output)")
        #expect(run.lines.contains { $0.contains(#""state":"lost","reason":"this program has reached its limit"#) })
        #expect(try run.faults() == [])
        withExtendedLifetime(hall) {}
    }

    @Test func wait_staysThere_andPlaysNothingByItself() throws {
        let run = try play("wait")
        machine.killServer()
        let lost = try waitForLoss(run)
        try machine.returnServer()
        try run.wait(for: "media services reset", from: lost)
        // Half a second of the new server's time, in which playback could have begun. There may be no route change: if the
        // server was complete before the program saw it, the headset never went away.
        let frames = machine.headset.meter.reading.frames
        #expect(try machine.headset.meter.wait(frames: frames + 24_000).loudFrames == 0)
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(plot(run).count == 5, "\(run.story)")
        let events: Set = ["failed (error) tone.wav", "media services lost", "media services reset"]
        #expect(Set(plot(run).dropFirst(2)) == events)
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }

    @Test func resume_playsOnFromWhereItWas_eachTime() throws {
        let run = try play("resume")
        var line = run.lines.count
        for round in 1...3 {
            machine.killServer()
            line = try waitForLoss(run, from: line)
            try machine.returnServer()
            line = try run.wait(for: "media services reset", from: line)
            line = try run.wait(for: "playing (user) tone.wav", from: line)
            try machine.headset.meter.wait(loudFrames: 4800)
            #expect(plot(run).count == 2 + 4 * round, "\(run.story)")
        }
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        let positions = run.lines.compactMap(EventLine.init).filter { $0.summary.hasPrefix("playing") }
            .compactMap(\.position)
        #expect(positions.count == 4 && positions == positions.sorted(), "\(positions)")
        // At least 0.1 s was played in each round.
        #expect(positions.last ?? 0 > 0.25, "\(positions)")
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }
}
