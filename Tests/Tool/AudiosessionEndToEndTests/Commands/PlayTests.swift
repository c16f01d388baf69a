import BusRig
import Foundation
import PipeWireRig
import TestAudio
import Testing

/// `audiosession play` on a private PipeWire, checked by its JSON events.
@Suite("audiosession play on PipeWire", .ownThread, .serialized)
struct PlayTests {
    /// The loud frames, and those that the meter missed while this process did not run.
    private static func playedFrames(_ sink: VirtualSink) -> Int {
        let reading = sink.meter.reading
        return reading.loudFrames + reading.missedFrames
    }

    @Test(arguments: [[], ["--effect", "mda-limiter:thresh=0.5", "--effect", "mda-delay"]])
    func play_whileTheHeadsetLeavesAndReturns_reportsEveryEvent(effects: [String]) throws {
        let machine = try TestMachine()
        let arguments = ["play", try machine.tone(seconds: 60), "--events", "json", "--on-return", "stay"] + effects
        let run = try ToolRun(arguments, environment: machine.environment)
        try run.wait(for: "playing (user) tone.wav")
        try machine.headset.meter.wait(loudFrames: 4800)
        machine.speaker.meter.mark()
        machine.pullHeadset()
        try run.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker")
        try machine.plugHeadset()
        try run.wait(for: "newDeviceAvailable: Speaker -> USB Headset")
        // Another thread than that of the route changes reports it, once.
        try run.wait(for: "interruption began (routeDisconnected)")
        run.send(SIGINT)

        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(
            run.story.filter { $0 != "interruption began (routeDisconnected)" } == [
                "started on pipewire, USB Headset", "playing (user) tone.wav",
                "paused (oldDeviceUnavailable) tone.wav", "oldDeviceUnavailable: USB Headset -> Speaker",
                "newDeviceAvailable: Speaker -> USB Headset",
            ])
        #expect(run.story.count == 6)
        #expect(try run.faults() == [])
        let paused = try #require(run.lines.compactMap(EventLine.init).first { $0.summary.hasPrefix("paused") })
        // At least 0.1 s had been played at the unplug, less the frames on their way to the meter.
        #expect((0.05...30).contains(paused.position ?? 0), "paused at \(paused.position ?? 0) s")
        #expect(run.errors == "")
        #expect(machine.speaker.meter.reading.loudFrames == 0)
        #expect(machine.headset.meter.reading.loudFrames == 0)
    }

    @Test func headset_thatReturns_playsOn_andTheSpeakerStaysSilent() throws {
        let machine = try TestMachine()
        let run = try machine.run("play", try machine.tone(seconds: 60), "--events", "json")
        var line = try run.wait(for: "playing (user) tone.wav")
        for _ in 0..<3 {
            try machine.headset.meter.wait(loudFrames: 4800)
            machine.speaker.meter.mark()
            machine.pullHeadset()
            line = try run.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker", from: line)
            try machine.plugHeadset()
            line = try run.wait(for: "newDeviceAvailable: Speaker -> USB Headset", from: line)
            line = try run.wait(for: "playing (user) tone.wav", from: line)
            try machine.headset.meter.wait(loudFrames: 4800)
            #expect(machine.speaker.meter.reading.loudFrames == 0)
        }
        // What a person has paused stays paused.
        machine.pullHeadset()
        line = try run.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker", from: line)
        let bus = try #require(machine.environment["DBUS_SESSION_BUS_ADDRESS"])
        _ = try PrivateBus.run(["playerctl", "pause"], at: bus)
        try machine.plugHeadset()
        line = try run.wait(for: "newDeviceAvailable: Speaker -> USB Headset", from: line)
        let frames = machine.headset.meter.reading.frames
        #expect(try machine.headset.meter.wait(frames: frames + 24_000).loudFrames == 0)
        #expect(run.story.count { $0.hasPrefix("playing") } == 4, "\(run.story)")
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }

    /// As after `| head -1`, and `| jq` that has ended; waits for the first line before.
    private func playWithoutReader(_ machine: TestMachine, _ arguments: [String]) throws -> ToolRun {
        let lines = machine.directory.path("lines")
        try #require(mkfifo(lines, 0o600) == 0)
        let run = try ToolRun(["play"] + arguments, environment: machine.environment, after: "exec >'\(lines)'")
        let reader = open(lines, O_RDONLY)
        var byte: UInt8 = 0
        while read(reader, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
        close(reader)
        return run
    }

    @Test func linesWithoutAReader_doNotEndTheSong() throws {
        let machine = try TestMachine()
        let run = try playWithoutReader(machine, [try machine.tone(seconds: 2)])
        #expect(try run.waitForEnd() == .exited(0))
        #expect(Self.playedFrames(machine.headset) > 90_000)
        #expect(run.errors == "")
    }

    @Test func eventsWithoutAReader_endTheSong_withoutSuccess() throws {
        let machine = try TestMachine()
        let run = try playWithoutReader(machine, [try machine.tone(seconds: 60), "--events", "json"])
        #expect(try run.waitForEnd() == .exited(141))
        #expect(run.errors == "")
    }

    /// WirePlumber, from 0.5.11 on, has players pause when their sink has gone; its user has said that playback goes on.
    @Test func pauseOfTheSessionManager_afterAnUnplug_isNotTheUsers() throws {
        let machine = try TestMachine()
        let bus = try #require(machine.environment["DBUS_SESSION_BUS_ADDRESS"])
        let run = try machine.run(
            "play", try machine.tone(seconds: 60), "--events", "json", "--on-unplug", "continue")
        try machine.headset.meter.wait(loudFrames: 4800)
        var status = ""
        for _ in 1...500 where status != "Playing" { status = try PrivateBus.playerctl(["status"], at: bus) }
        // The kernel names a process by the file that it was started from.
        let manager = machine.directory.path("wireplumber")
        try FileManager.default.createSymbolicLink(atPath: manager, withDestinationPath: "/usr/bin/playerctl")
        machine.pullHeadset()
        _ = try PrivateBus.run([manager, "pause"], at: bus)
        try run.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker")
        machine.speaker.meter.mark()
        try machine.speaker.meter.wait(loudFrames: 4800)
        _ = try PrivateBus.run(["playerctl", "pause"], at: bus)
        try run.wait(for: "paused (user) tone.wav")
        #expect(
            run.story == [
                "started on pipewire, USB Headset", "playing (user) tone.wav",
                "oldDeviceUnavailable: USB Headset -> Speaker", "paused (user) tone.wav",
            ])
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
    }

    /// A server runs, and has only what is no output.
    @Test func play_withoutAnOutput_endsWithAnErrorAfter10Seconds() throws {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 1, in: directory)
        let environment = server.environment.merging(["AUDIOSESSION_HOST": "pipewire"]) { _, ours in ours }
        let run = try ToolRun(["play", path, "--events", "json"], environment: environment)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.hasPrefix("audiosession: for 10 s there has been no output; connect one"))
        let error = try #require(run.lines.last.flatMap(EventLine.init))
        #expect(error.time >= 10)

        // What waits plays once there is one.
        let waiting = try ToolRun(["play", path, "--events", "json", "--wait"], environment: environment)
        try waiting.wait(for: "started on pipewire, ")
        let sink = try server.makeSink(name: "late", description: "Late", formFactor: "speaker", bus: "pci")
        try sink.meter.wait(loudFrames: 4800)
        #expect(try waiting.waitForEnd() == .exited(0))
    }

    @Test func play_withOnUnplugContinue_continuesOnTheSpeakerToTheEnd() throws {
        let machine = try TestMachine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 3), "--events", "json", "--on-unplug", "continue")
        try machine.headset.meter.wait(loudFrames: 4800)
        machine.speaker.meter.mark()
        machine.pullHeadset()

        #expect(try run.waitForEnd() == .exited(0))
        #expect(
            run.story == [
                "started on pipewire, USB Headset", "playing (user) tone.wav",
                "oldDeviceUnavailable: USB Headset -> Speaker", "finished (endOfFile) tone.wav",
            ])
        #expect(try run.faults() == [])
        // At most 1.5 s of 3 s can have been over: the unplug was after 0.1 s, however late a busy machine noticed that.
        #expect(Self.playedFrames(machine.speaker) > 72_000)
    }

    @Test func play_ofSeveralFiles_playsThemInOrderAndExitsWith0() throws {
        let machine = try TestMachine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 0.5, named: "a.wav"), try machine.tone(seconds: 0.5, named: "b.wav"),
            "--events", "json")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(
            run.story == [
                "started on pipewire, USB Headset", "playing (user) a.wav", "finished (endOfFile) a.wav",
                "playing (user) b.wav", "finished (endOfFile) b.wav",
            ])
        #expect(try run.faults() == [])
        #expect(run.errors == "")
        let ends = run.lines.compactMap(EventLine.init).filter { $0.summary.hasPrefix("finished") }
        #expect(ends.map(\.position) == [0.5, 0.5])
        // All of both: one alone has 24 000 frames. A busy machine loses single cycles.
        #expect(Self.playedFrames(machine.headset) > 40_000)
    }

    /// The tone's two channels have the same magnitude in every frame, which the gain halves.
    @Test func sheetOfAFileWithAGain_isHeardAtItsLevel_trackByTrack() throws {
        let machine = try TestMachine(capturing: .seconds(4))
        try EncodedFile.run([
            "-i", try machine.tone(seconds: 3), "-metadata", "REPLAYGAIN_TRACK_GAIN=\(20 * log10(0.5)) dB",
            machine.directory.path("album.flac"),
        ])
        let times = ["00:00:00", "00:01:00", "00:01:37"]
        let tracks = times.enumerated().map { "TRACK \($0 + 1) AUDIO\nINDEX 01 \($1)\n" }
        let sheet = try TestFile.write(
            bytes: Array(("FILE album.wav WAVE\n" + tracks.joined()).utf8), named: "album.cue", in: machine.directory)
        let run = try machine.run("play", sheet, "--replay-gain", "album", "--events", "json")
        #expect(try run.waitForEnd() == .exited(0))
        let track = ["playing (user) album.flac", "finished (endOfFile) album.flac"]
        #expect(Array(run.story.dropFirst()) == track + track + track)
        let ends = run.lines.compactMap(EventLine.init).filter { $0.summary.hasPrefix("finished") }
        #expect(ends.map(\.position) == [1, 0.493, 1.507])
        #expect(try run.faults() == [])
        #expect(run.errors == "")
        #expect(Self.playedFrames(machine.headset) > 130_000)
        let heard = machine.headset.meter.capturedSamples()
        let levels = zip(heard[0], heard[1]).map { ($0 * $0 + $1 * $1).squareRoot() }.filter { $0 > 0.01 }
        // Without the fades of the beginning, and of a cycle that a busy machine lost.
        let faults = levels.count { abs($0 - 0.25) > 0.003 }
        #expect(levels.count > 130_000 && faults < 2_000, "\(faults) of \(levels.count)")
        #expect((levels.max() ?? 1) < 0.253)
    }

    @Test func play_withABadFileAmongGoodOnes_playsTheOthersAndExitsWith1() throws {
        let machine = try TestMachine()
        let run = try machine.run(
            "play", try machine.tone(seconds: 0.2, named: "a.wav"), machine.directory.path("missing.wav"),
            try machine.tone(seconds: 0.2, named: "b.wav"), "--events", "json")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.story == [
                "started on pipewire, USB Headset", "playing (user) a.wav", "finished (endOfFile) a.wav",
                "error notFound", "playing (user) b.wav", "finished (endOfFile) b.wav",
            ])
        #expect(try run.faults() == [])
        #expect(
            run.errors
                == "audiosession: there is no file '\(machine.directory.path("missing.wav"))'; check the path.\n"
        )
    }

    @Test(arguments: ["USB Headset", "usb headset", "usb-headset"])
    func play_onADeviceThatIsNotTheDefault_isHeardThereAlone(device: String) throws {
        let machine = try TestMachine()
        try machine.server.setDefault("speaker")
        let run = try machine.run("play", try machine.tone(seconds: 1), "--device", device, "--events", "json")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(
            run.story == [
                "started on pipewire, USB Headset", "deviceChosen: USB Headset", "playing (user) tone.wav",
                "finished (endOfFile) tone.wav",
            ])
        #expect(try run.faults() == [])
        // All of it, except the cycles that a busy machine loses.
        #expect(Self.playedFrames(machine.headset) > 40_000)
        #expect(machine.speaker.meter.reading.loudFrames == 0)
    }

    @Test func play_whileTheServerDies_saysSoAndExitsWith1() throws {
        let machine = try TestMachine()
        let run = try machine.run("play", try machine.tone(seconds: 60), "--events", "json")
        try machine.headset.meter.wait(loudFrames: 4800)
        machine.server.killPipeWire()

        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.story.prefix(2) == ["started on pipewire, USB Headset", "playing (user) tone.wav"])
        #expect(run.story.contains("failed (error) tone.wav"))
        #expect(run.story.contains("error playbackFailed"))
        #expect(run.story.contains("media services lost"))
        #expect(run.story.count == 5)
        #expect(try run.faults() == [])
        #expect(run.errors.contains("sound server"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    /// A device that came after the session manager's end has no ports.
    @Test func playlist_withoutASessionManager_waitsForOne_andSaysSoOnce() throws {
        let machine = try TestMachine()
        try machine.server.killSessionManager()
        let properties =
            "{ factory.name=support.null-audio-sink node.name=late node.description=Late media.class=Audio/Sink "
            + "object.linger=true audio.channels=2 audio.position=[ FL FR ] priority.session=1 }"
        try machine.server.run(["pw-cli", "create-node", "adapter", properties])
        let files = try ["a.wav", "b.wav"].map { try machine.tone(seconds: 0.5, named: $0) }
        let run = try machine.run("play", files[0], files[1], "--device", "late", "--events", "json")
        try run.wait(for: "paused (interruption) a.wav")
        try run.wait(forLine: "the reason") { $0.contains("\"noSessionManager\"") }
        try machine.server.startSessionManager()
        #expect(try run.waitForEnd() == .exited(0))
        let ends = run.story.filter { $0.hasPrefix("finished") || $0.hasPrefix("failed") }
        #expect(ends == ["finished (endOfFile) a.wav", "finished (endOfFile) b.wav"], "\(run.output)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.errors.hasPrefix("audiosession: no session manager is running"))
        #expect(try run.faults() == [])
    }
}
