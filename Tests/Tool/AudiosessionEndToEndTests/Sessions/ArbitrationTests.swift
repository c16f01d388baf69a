import Foundation
import TestAudio
import Testing

/// Several processes that play on one private PipeWire.
@Suite("audiosession processes beside each other", .ownThread, .serialized)
struct ArbitrationTests {
    private let machine: TestMachine

    init() throws { machine = try TestMachine() }

    private func play(_ name: String, _ arguments: String...) throws -> ToolRun {
        let run = try ToolRun(
            ["play", try machine.tone(seconds: 60, named: name), "--events", "json"] + arguments,
            environment: machine.environment)
        try run.wait(for: "playing (user) \(name)")
        return run
    }

    /// Waits for each, in any order: different threads report the player's and the session's events.
    private func wait(_ run: ToolRun, for summaries: String..., from start: Int = 0) throws {
        for summary in summaries { try run.wait(for: summary, from: start) }
    }

    private func end(_ run: ToolRun) throws {
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }

    @Test func secondPlayer_interruptsTheFirst_whichGoesOnWhenItLeaves() throws {
        let first = try play("a.wav")
        let second = try play("b.wav")
        try wait(first, for: "paused (interruption) a.wav", "interruption began (default)")
        try end(second)
        let ended = try first.wait(for: "interruption ended, resume")
        try first.wait(for: "playing (user) a.wav", from: 3)
        #expect(ended > 2)
        #expect(second.story.prefix(2) == ["started on pipewire, USB Headset", "playing (user) b.wav"])
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 4800)
        try end(first)
    }

    // Behaviour 99
    @Test(arguments: [false, true])
    func nestedInterruptionsUnwind(theSecondIsQuit: Bool) throws {
        let first = try play("a.wav")
        let second = try play("b.wav")
        try wait(first, for: "paused (interruption) a.wav", "interruption began (default)")
        let third = try play("a.wav")
        try wait(second, for: "paused (interruption) b.wav", "interruption began (default)")
        let mark = second.lines.count
        if theSecondIsQuit {
            try end(second)
            try end(third)
        } else {
            try end(third)
            try wait(second, for: "interruption ended, resume", "playing (user) b.wav", from: mark)
            #expect(!first.story.contains("interruption ended, resume"))
            try end(second)
        }
        try wait(first, for: "interruption ended, resume", from: 2)
        try first.wait(for: "playing (user) a.wav", from: 3)
        #expect(first.story.count { $0.hasPrefix("interruption") } == 2)
        try end(first)
    }

    @Test func secondPlayer_thatIsKilled_leavesTheFirstPaused() throws {
        let first = try play("a.wav")
        let second = try play("b.wav")
        try wait(first, for: "paused (interruption) a.wav", "interruption began (default)")
        second.send(SIGKILL)
        #expect(try second.waitForEnd() == .killed(bySignal: SIGKILL))
        try first.wait(for: "interruption ended, no resume")
        try end(first)
        #expect(first.story.filter { $0 == "playing (user) a.wav" }.count == 1)
    }

    @Test func secondPlayer_thatLeavesWhileTheServerStandsStill_handsTheSoundBack() throws {
        let first = try play("a.wav")
        let second = try play("b.wav")
        try wait(first, for: "paused (interruption) a.wav", "interruption began (default)")
        let server = machine.server.processIDs[1]
        kill(server, SIGSTOP)
        second.send(SIGINT)
        // Not a wait for something: the server stands still for this time. The fade takes 0.2 s of it; then the program
        // waits at most 1 s for the server's answer to its release.
        Thread.sleep(forTimeInterval: 0.6)
        kill(server, SIGCONT)
        #expect(try second.waitForEnd() == .killed(bySignal: SIGINT))
        try wait(first, for: "interruption ended, resume", from: 2)
        try first.wait(for: "playing (user) a.wav", from: 3)
        try end(first)
    }

    @Test func mixingPlayer_playsBesideTheOther() throws {
        let first = try play("a.wav")
        let second = try play("b.wav", "--options", "mixWithOthers")
        // The first one played before: there is no hint for it.
        #expect(!second.story.contains("hint begins"))
        try end(second)
        try end(first)
        #expect(!first.story.contains("interruption began (default)"))
    }

    @Test func player_toldToIgnoreInterruptions_playsOn() throws {
        let first = try play("a.wav", "--on-interruption", "ignore")
        let second = try play("b.wav")
        try end(second)
        try end(first)
        #expect(!first.story.contains { $0.hasPrefix("paused") })
    }

    @Test func call_interruptsThePlayer_refusesOthers_andHandsTheSoundBack() throws {
        let player = try play("a.wav")
        let call = try machine.run("call", "--duration", "60", "--events", "json")
        try call.wait(for: "playing (user) ring tone")
        try wait(player, for: "paused (interruption) a.wav", "interruption began (default)")

        let refused = try machine.run("play", try machine.tone(seconds: 1, named: "b.wav"), "--events", "json")
        #expect(try refused.waitForEnd() == .exited(1))
        #expect(refused.story.contains("error insufficientPriority"))
        #expect(!refused.story.contains("playing (user) b.wav"))
        #expect(try refused.faults() == [])

        try end(call)
        try player.wait(for: "interruption ended, resume")
        try player.wait(for: "playing (user) a.wav", from: 3)
        try end(player)
    }

    @Test func call_ringsAsLongAsItIsToldTo() throws {
        let call = try machine.run("call", "--duration", "1", "--events", "json")
        #expect(try call.waitForEnd() == .exited(0))
        #expect(
            call.story == [
                "started on pipewire, USB Headset", "playing (user) ring tone", "finished (endOfFile) ring tone",
            ])
        #expect(call.lines.compactMap(EventLine.init).last?.position == 1)
        // Two rings of 0.4 s, without the frames near zero; the rest is silent.
        let reading = machine.headset.meter.reading
        #expect(reading.loudFrames <= 40_000, "\(reading)")
        #expect(reading.loudFrames + reading.missedFrames >= 24_000, "\(reading)")
    }

    @Test func watch_thatTakesPart_interruptsAndIsInterrupted() throws {
        let player = try play("a.wav")
        let watch = try machine.run("watch", "--activate", "--json")
        try player.wait(for: "interruption began (default)")
        let call = try machine.run("call", "--duration", "60")
        try watch.wait(for: "interruption began (default)")
        call.send(SIGTERM)
        #expect(try call.waitForEnd() == .exited(0))
        try watch.wait(for: "interruption ended, resume")
        watch.send(SIGTERM)
        #expect(try watch.waitForEnd() == .exited(0))
        #expect(try watch.faults() == [])
        try end(player)
    }

    /// Like `timeout`, which signals its child, then the child's group.
    @Test func twoSignalsAtOnce_areOneRequest() throws {
        let first = try play("a.wav")
        let second = try play("b.wav")
        try first.wait(for: "interruption began (default)")
        // Both signals are pending when it continues, however long this thread takes between them.
        second.send(SIGSTOP)
        second.send(SIGTERM)
        second.send(SIGINT)
        second.send(SIGCONT)
        // It stops a little after it was told to: SIGTERM may have been taken before, and then it was the request.
        let ending = try second.waitForEnd()
        #expect(ending == .killed(bySignal: SIGINT) || ending == .exited(0), "\(ending)")
        try first.wait(for: "interruption ended, resume")
        try end(first)
    }
}
