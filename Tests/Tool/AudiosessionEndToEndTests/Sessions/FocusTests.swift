import BusObjects
import BusRig
import Foundation
import PipeWireRig
import SessionBus
import Testing

/// Programs that have the others hold or go quieter, with and without a guard.
@Suite("audiosession focus", .ownThread, .serialized)
struct FocusTests {
    private let machine: TestMachine

    init() throws { machine = try TestMachine() }

    private func play(_ name: String = "Music", process: Int = 11, role: String? = nil) throws -> ToneGenerator {
        var properties = ["application.name": name, "application.process.id": String(process)]
        properties["media.role"] = role
        let tone = try machine.server.makeTone(name: name, properties: properties)
        try machine.server.waitUntil(name, feeds: machine.headset.name)
        tone.play(frames: nil)
        try machine.headset.meter.wait(loudFrames: 4_800)
        return tone
    }

    private func startGuard() throws -> ToolRun {
        let run = try ToolRun(["guard"], environment: environment)
        try run.wait(forOutput: "The guard is running.")
        return run
    }

    private var environment: [String: String] {
        machine.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }

    private func focus(_ words: String...) throws -> ToolRun {
        try ToolRun(["focus"] + words, environment: environment)
    }

    /// The peak of a tenth of a second of what the headset plays.
    private func peak() throws -> Float {
        machine.headset.meter.mark()
        return try machine.headset.meter.wait(frames: 4_800).peak
    }

    /// Waits until the headset plays at this level; its frames are the clock.
    private func wait(untilPeakIs wanted: ClosedRange<Float>) throws {
        var last: Float = -1
        for _ in 0..<200 {
            last = try peak()
            if wanted.contains(last) { return }
        }
        Issue.record("the level stayed at \(last)")
    }

    private func waitUntilHeld(_ name: String = "Music", _ isHeld: Bool = true) throws {
        let headset = machine.headset.name
        try machine.server.waitUntil("\(name) is\(isHeld ? "" : " not") held") { graph in
            let targets = graph.targets(of: name)
            return isHeld
                ? targets.contains { $0.hasPrefix("audiosession.guard.hold") } : targets == [headset]
        }
    }

    // MARK: The command

    @Test(arguments: [true, false])
    func command_runsWhileTheOthersHold_andItsStatusIsPassedOn(hasGuard: Bool) throws {
        let music = try play()
        let guardRun = hasGuard ? try startGuard() : nil
        let signal = machine.directory.path + "/go"
        let script = "echo begun; until [ -e \(signal) ]; do sleep 0.05; done; exit 3"
        let run = try focus("--reason", "memo", "--", "sh", "-c", script)
        try run.wait(forOutput: "begun")
        try waitUntilHeld()
        let held = try music.playedFrames(afterCyclesOf: machine.headset)
        machine.headset.meter.mark()
        try machine.headset.meter.wait(frames: 9_600)
        #expect(music.playedFrames == held)
        if !hasGuard {
            let status = try ToolRun(["guard", "status"], environment: environment)
            #expect(try status.waitForEnd() == .exited(1))
            #expect(status.errors.hasPrefix("audiosession: no guard is running; a program has the others hold"))
        }
        #expect(FileManager.default.createFile(atPath: signal, contents: nil))
        #expect(try run.waitForEnd() == .exited(3))
        try waitUntilHeld(isHeld: false)
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 4_800)
        #expect(run.errors == "")
        try machine.server.waitUntilMetadata(subject: music.nodeID, key: "target.object", is: nil)
        if let guardRun {
            try guardRun.wait(forOutput: "sh (memo) has the others hold.")
            try guardRun.wait(forOutput: "Continued Music")
        }
    }

    private func waitUntilHeld(isHeld: Bool) throws { try waitUntilHeld("Music", isHeld) }

    @Test func killedHolder_othersGoOn() throws {
        let music = try play()
        let run = try focus("--", "sleep", "60")
        try waitUntilHeld()
        run.send(SIGKILL)
        try waitUntilHeld(isHeld: false)
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }

    @Test func duck_lowersToItsLevel_andBack() throws {
        let music = try play()
        let full = try peak()
        let run = try focus("--duck=20", "--", "sleep", "60")
        try wait(untilPeakIs: full * 0.09...full * 0.11)
        #expect(music.playedFrames > 0)
        run.send(SIGTERM)
        #expect(try run.waitForEnd() == .exited(128 + SIGTERM))
        try wait(untilPeakIs: full * 0.99...full * 1.01)
        try waitUntilHeld(isHeld: false)
        try machine.server.waitUntilMetadata(subject: music.nodeID, key: "target.object", is: nil)
    }

    @Test func duckingGuardIsKilled_programPlaysAtItsLevel_andKeepsNothing() throws {
        let music = try play()
        let full = try peak()
        let guardRun = try startGuard()
        let run = try focus("--duck", "--", "sleep", "60")
        try wait(untilPeakIs: full * 0.15...full * 0.25)
        guardRun.send(SIGKILL)
        try wait(untilPeakIs: full * 0.99...full * 1.01)
        run.send(SIGTERM)
        _ = try run.waitForEnd()
        withExtendedLifetime(music) {}
    }

    @Test func headsetLeaves_whileItsProgramIsLowered_speakerHearsNothing() throws {
        let music = try play()
        let full = try peak()
        let guardRun = try startGuard()
        try GuardScene.waitUntilWatching(machine.server)
        let run = try focus("--duck", "--", "sleep", "60")
        try wait(untilPeakIs: full * 0.15...full * 0.25)
        machine.speaker.meter.mark()
        machine.pullHeadset()
        try waitUntilHeld()
        #expect(try machine.speaker.meter.wait(frames: 48_000).loudFrames == 0)
        run.send(SIGTERM)
        _ = try run.waitForEnd()
        #expect(try machine.speaker.meter.wait(frames: 96_000).loudFrames == 0)
        guardRun.send(SIGTERM)
        withExtendedLifetime(music) {}
    }

    @Test func library_sessionIsInterrupted_andPlaysAgain() throws {
        let player = try ToolRun(
            ["play", try machine.tone(seconds: 60), "--events", "json"], environment: environment)
        try player.wait(for: "playing (user) tone.wav")
        let run = try focus("--", "sleep", "60")
        try player.wait(for: "paused (interruption) tone.wav")
        run.send(SIGKILL)
        try player.wait(for: "interruption ended, resume")
        try player.wait(for: "playing (user) tone.wav", from: 3)
    }

    @Test func sessionThatDucksOthers_lowersAnotherProgram() throws {
        let music = try play()
        let guardRun = try startGuard()
        let player = try ToolRun(
            ["play", try machine.tone(seconds: 60, level: 0), "--options", "duckOthers", "--events", "json"],
            environment: environment)
        try player.wait(for: "playing (user) tone.wav")
        try machine.server.waitUntil("the music is lowered") { graph in
            graph.targets(of: "Music").contains { $0.hasPrefix("audiosession.guard.duck") }
        }
        player.send(SIGINT)
        _ = try player.waitForEnd()
        try waitUntilHeld(isHeld: false)
        guardRun.send(SIGTERM)
        withExtendedLifetime(music) {}
    }

    @Test func onlyAndExcept_nameWhatHolds() throws {
        let (music, film) = (try play(), try play("Film", process: 12))
        let run = try focus("--except", "film", "--", "sleep", "60")
        try waitUntilHeld()
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 4_800)
        run.send(SIGTERM)
        _ = try run.waitForEnd()
        try waitUntilHeld(isHeld: false)
        withExtendedLifetime((music, film)) {}
    }

    @Test func inputThatHasEnded_endsTheHold() throws {
        #expect(try focus().waitForEnd() == .exited(0))
    }

    @Test(arguments: [
        (["--duck=90"], "from 1 to 60"), (["--pause", "--duck"], "exclude each other"),
        (["--fd", "77"], "is not open"),
        (["--call", "--duck"], "holds the others"),
    ])
    func badWords_areNamed(words: [String], text: String) throws {
        let run = try ToolRun(["focus"] + words, environment: environment)
        #expect(try run.waitForEnd() == .exited(2))
        #expect(run.errors.contains(text), "\(run.errors)")
    }

    /// The exit statuses are those of shells, `env`, `nice` and `timeout`.
    @Test(arguments: [("no-such-program", 127), ("/", 126)] as [(String, Int32)])
    func commandThatDoesNotStart_isNamed(command: String, status: Int32) throws {
        let run = try focus("--", command)
        #expect(try run.waitForEnd() == .exited(status))
        #expect(run.errors.contains("could not start '\(command)'"), "\(run.errors)")
    }

    /// The program that has the file, and not the one that waits for its end.
    @Test func fileOfAnotherProgram_isNamedByThatProgram() throws {
        let music = try play()
        let guardRun = try startGuard()
        let run = try focus("--reason", "memo")
        // This process has started it, with an input that has ended.
        try guardRun.wait(forLine: "the holder") {
            $0.hasSuffix(" (memo) has the others hold.") && !$0.hasPrefix("audiosession ")
        }
        _ = try run.waitForEnd()
        guardRun.send(SIGTERM)
        withExtendedLifetime(music) {}
    }

    /// Without a command, the sound of the program that asks is its own.
    @Test func programThatHoldsAFile_playsOn() throws {
        let (own, music) = (try play("Own", process: Int(getpid())), try play())
        let file = machine.directory.path + "/fifo"
        #expect(mkfifo(file, 0o600) == 0)
        let run = try ToolRun(["focus", "--fd", "9"], environment: environment, after: "exec 9<>\(file)")
        try waitUntilHeld()
        try waitUntilHeld("Own", false)
        let played = own.playedFrames
        machine.headset.meter.mark()
        try machine.headset.meter.wait(loudFrames: 9_600)
        #expect(own.playedFrames > played)
        run.send(SIGTERM)
        _ = try run.waitForEnd()
        try waitUntilHeld(isHeld: false)
        withExtendedLifetime(music) {}
    }

    // MARK: The bus

    private func acquire(
        _ bus: BusConnection, _ kind: String, _ options: [String: BusValue] = [:]
    ) async -> Result<[BusValue], BusError> {
        await bus.call(
            "org.openavfaudio.Focus1", "/org/openavfaudio/Focus1", "org.openavfaudio.Focus1", "Acquire",
            [.string(kind), .properties(options)])
    }

    /// A connection to the bus, once the guard offers its service there; the headset's frames are the clock.
    private func connect() async throws -> BusConnection {
        let bus = try BusConnection(address: machine.server.busAddress)
        for _ in 0..<200 {
            let version = await bus.property(
                "Version", of: "org.openavfaudio.Focus1", "/org/openavfaudio/Focus1", at: "org.openavfaudio.Focus1")
            if case .success = version { return bus }
            _ = try peak()
        }
        Issue.record("the guard offers no service")
        return bus
    }

    private func property(_ name: String, _ bus: BusConnection) async throws -> [[String: BusValue]] {
        let value = try await bus.property(
            name, of: "org.openavfaudio.Focus1", "/org/openavfaudio/Focus1", at: "org.openavfaudio.Focus1"
        ).get()
        guard case .array(_, let elements) = value else { return [] }
        return elements.compactMap(\.properties)
    }

    @Test func acquire_holdsUntilTheFileIsClosed() async throws {
        let music = try play()
        let player = try PlayerStandIn(address: machine.server.busAddress, name: "music")
        let guardRun = try startGuard()
        let bus = try await connect()
        var answer = try await acquire(bus, "pause", ["reason": .string("dictation")]).get()
        guard case .descriptor = answer.first else {
            Issue.record("no file: \(answer)")
            return
        }
        try waitUntilHeld()
        let holders = try await property("Holders", bus)
        #expect(holders.map { $0["reason"]?.string } == ["dictation"])
        #expect(holders.first?["cookie"]?.integer == answer.last?.integer)
        #expect(try await property("Held", bus).map { $0["program"]?.string } == ["Music"])
        // A second one, and the first is closed.
        let second = try await acquire(bus, "pause").get()
        answer = []
        try guardRun.wait(forLine: "the end of the first") { $0.hasSuffix("lets the others go on.") }
        try waitUntilHeld()
        #expect(second.count == 2)
        bus.close()
        withExtendedLifetime((music, player)) {}
    }

    @Test func primaryAudio_isWhatPlays_andNotWhatIsHeld() async throws {
        let music = try play(role: "Music")
        let guardRun = try startGuard()
        let bus = try await connect()
        func wait(untilPrograms wanted: [String]) async throws -> [[String: BusValue]] {
            var last: [[String: BusValue]] = []
            for _ in 0..<200 {
                last = try await property("PrimaryAudio", bus)
                if last.compactMap({ $0["program"]?.string }) == wanted { return last }
                _ = try peak()
            }
            Issue.record("it stayed \(last)")
            return last
        }
        let audio = try await wait(untilPrograms: ["Music"])
        #expect(audio.first?["role"]?.string == "Music")
        #expect(audio.first?["pid"]?.integer == 11)
        var answer = try await acquire(bus, "pause").get()
        _ = try await wait(untilPrograms: [])
        #expect(answer.count == 2)
        answer = []
        _ = try await wait(untilPrograms: ["Music"])
        music.stop()
        _ = try await wait(untilPrograms: [])
        guardRun.send(SIGTERM)
        bus.close()
    }

    @Test func badArguments_getASentence() async throws {
        let guardRun = try startGuard()
        let bus = try await connect()
        func message(_ kind: String, _ options: [String: BusValue] = [:]) async -> String {
            guard case .failure(let error) = await acquire(bus, kind, options) else { return "no error" }
            return error.message
        }
        #expect(await message("stop") == "the kind was 'stop'; use 'pause', 'pause-speech', 'duck'")
        #expect(await message("duck", ["decibels": .double(99)]) == "the option decibels must be a double from 1 to 60")
        #expect(await message("pause", ["decibels": .double(9)]) == "the option decibels belongs to the kind 'duck'")
        #expect(
            await message("pause", ["why": .string("x")])
                == "the option why is unknown; use 'reason', 'decibels', 'call', 'only' or 'except'")
        guardRun.send(SIGTERM)
        bus.close()
    }

    /// A descriptor is each request's, and work for the server.
    @Test func requestsWithoutEnd_areRefusedWithASentence() async throws {
        let guardRun = try startGuard()
        let bus = try await connect()
        var refusal: BusError?
        // Far more than any machine is slow enough to let through.
        for _ in 0..<2_000 where refusal == nil {
            if case .failure(let error) = await acquire(bus, "pause") { refusal = error }
        }
        #expect(refusal?.name == "org.freedesktop.DBus.Error.LimitsExceeded")
        let words = refusal?.message ?? ""
        #expect(words.contains("60 times at once and then 20 times a second is the most. Ask again in "), "\(words)")
        guardRun.send(SIGTERM)
        bus.close()
    }

    @Test func nameOfTheService_isTakenWhenAnotherProgramLeavesIt() async throws {
        let squatter = try BusConnection(address: machine.server.busAddress)
        #expect(await squatter.owns("org.openavfaudio.Focus1"))
        let guardRun = try startGuard()
        try guardRun.wait(forLine: "the squatter") {
            $0.hasPrefix("Programs cannot ask this guard for the focus over the bus: ")
                && $0.contains("(process \(getpid())) has the name org.openavfaudio.Focus1.")
        }
        squatter.close()
        try guardRun.wait(forOutput: "Programs can ask for the focus over the bus again.")
        let bus = try await connect()
        #expect(try await acquire(bus, "pause").get().count == 2)
        bus.close()
        guardRun.send(SIGTERM)
    }
}
