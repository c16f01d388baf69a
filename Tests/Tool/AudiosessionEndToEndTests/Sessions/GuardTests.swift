import Foundation
import PipeWireRig
import SceneCore
import Testing

/// `audiosession guard` and programs that know nothing of it, on a private PipeWire.
@Suite("audiosession guard", .ownThread, .serialized)
struct GuardTests {
    @Test func headsetLeaves_speakerHearsNothing() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        try scene.machine.server.waitUntilDefaultSink(is: "speaker")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        try scene.run.wait(forOutput: "Paused Music: USB Headset left.")
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music, USB Headset left ") })
        withExtendedLifetime(music) {}
    }

    @Test(arguments: [false, true])
    func logAsAScene_hasTheLastMinute(hasNames: Bool) throws {
        let scene = try GuardScene()
        _ = try scene.machine.server.makeSource(name: "usb-mic", formFactor: "microphone", bus: "usb")
        let music = try scene.hold("Music")
        try scene.machine.server.waitUntilDefaultSink(is: "speaker")
        let lines = try hasNames ? scene.ask("log", "--scene", "--names") : scene.ask("log", "--scene")
        let recent = try AudioScene(text: lines.joined(separator: "\n"))
        let words = recent.events.flatMap(\.actions).map(\.text)
        let (port, program) = hasNames ? ("usb-headset", "\"Music ") : ("port-", "name-1")
        #expect(words.contains { $0.hasPrefix("unplug \(port)") }, "\(lines)")
        #expect(recent.ports.contains { $0.isInput && $0.name.hasPrefix(hasNames ? "usb-mic" : "port-") }, "\(lines)")
        #expect(words.contains { $0.hasPrefix("default input ") }, "\(lines)")
        #expect(words.contains { $0.hasPrefix("program \(program)") && $0.hasSuffix(" is held") }, "\(lines)")
        #expect(words.last == "end" && recent.duration.seconds <= 60)
        #expect(lines.contains { $0.contains("\"Music ") } == hasNames)
        let path = scene.machine.directory.path("last.scene")
        try recent.text.write(toFile: path, atomically: true, encoding: .utf8)
        let run = try scene.machine.run("simulate", path)
        #expect(try run.waitForEnd() == .exited(0), "\(recent.text)\n\(run.output)")
        withExtendedLifetime(music) {}
    }

    /// What the one above would see without a guard.
    @Test func headsetLeaves_withoutAGuard_speakerHearsIt() throws {
        let scene = try GuardScene("--dry-run")
        let music = try scene.play("Music", process: 11)
        scene.machine.speaker.meter.mark()
        scene.machine.pullHeadset()
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try scene.run.wait(forOutput: "Would pause Music: USB Headset left.")
        #expect(try !scene.machine.server.graph.nodes.contains { $0.name.hasPrefix("audiosession.guard.") })
        withExtendedLifetime(music) {}
    }

    @Test func dryRun_neverSaysThatItDidSomething() throws {
        let scene = try GuardScene("--dry-run", "--while-recording", "duck")
        #expect(try scene.ask("status").last == "Nothing would be paused.")
        let music = try scene.play("Music", process: 11)
        scene.machine.pullHeadset()
        try scene.run.wait(forOutput: "Would pause Music: USB Headset left.")
        #expect(try scene.ask("status").last?.hasPrefix("Would be paused: Music, USB Headset left ") == true)
        #expect(try scene.ask("status", "--json").last?.contains(#""dryRun":true"#) == true)
        let holder = try ToolRun(
            ["focus", "--reason", "dictation", "--", "sleep", "600"], environment: scene.machine.environment)
        try scene.run.wait(forOutput: "sleep (dictation) would have the others hold.")
        #expect(try scene.ask("status").contains { $0.contains("(dictation) would have the others hold. It began") })
        holder.send(SIGTERM)
        try scene.run.wait(forOutput: "sleep would let the others go on.")
        #expect(try scene.ask("release", "music") == ["music would continue."])
        try scene.run.wait(forOutput: "Would continue Music: as requested.")
        let log = try scene.ask("log")
        scene.run.send(SIGTERM)
        _ = try scene.run.waitForEnd()
        for line in log + scene.run.lines {
            for word in ["Paused ", "Continued ", "Let ", " has ", "lets "] { #expect(!line.contains(word), "\(line)") }
        }
        withExtendedLifetime(music) {}
    }

    @Test func newSound_afterALoss_isHeardOnTheSpeaker() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        try scene.machine.server.waitUntilDefaultSink(is: "speaker")
        let held = music.playedFrames
        _ = try scene.play("Radio", process: 12, on: scene.machine.speaker)
        #expect(music.playedFrames == held)
    }

    @Test func newSound_inTheMomentOfTheLoss_isNotSwallowed() throws {
        let scene = try GuardScene()
        let music = try scene.play("Music", process: 11)
        let radio = try scene.machine.server.makeTone(
            name: "Radio", properties: ["application.name": "Radio", "application.process.id": "12"])
        scene.machine.pullHeadset()
        radio.play(frames: nil)
        try scene.waitUntilHeld("Music")
        let line = "Radio is held, or on the speaker"
        try scene.machine.server.waitUntil(line) { graph in
            let targets = graph.targets(of: "Radio")
            return targets == ["speaker"] || targets.contains { $0.hasPrefix("audiosession.guard.hold") }
        }
        withExtendedLifetime(music) {}
    }

    @Test func headsetReturns_programContinuesAtTheSameFrame() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let held = music.playedFrames
        scene.machine.speaker.meter.mark()
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(music.playedFrames == held)
        try scene.machine.plugHeadset()
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        #expect(music.playedFrames > held)
        try scene.run.wait(forOutput: "Continued Music: the output is back.")
        try scene.waitForNoTarget(of: music)
        // And again: everything is as it was.
        try scene.waitUntilWatching()
        try scene.loseHeadset(holding: "Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
    }

    @Test func release_letsTheProgramContinueOnTheSpeaker() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        scene.machine.speaker.meter.mark()
        let refused = try ToolRun(["guard", "release", "Other"], environment: scene.machine.environment)
        #expect(try refused.waitForEnd() == .exited(1))
        #expect(
            refused.errors
                == "audiosession: nothing of 'Other' is paused; paused now: Music. Give one of these, or all.\n")
        #expect(try scene.ask("release", "music") == ["music continues."])
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try scene.waitForNoTarget(of: music)
        #expect(try scene.ask("status").last == "Nothing is paused.")
    }

    @Test func killedGuard_leavesNothingSilent() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        scene.machine.speaker.meter.mark()
        scene.run.send(SIGKILL)
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        // The next one removes what is left, and guards as if nothing had been.
        try scene.startGuard()
        try scene.machine.plugHeadset()
        try scene.waitUntilWatching()
        try scene.waitForNoTarget(of: music)
        try scene.machine.server.waitUntil("Music", feeds: "usb-headset")
        try scene.loseHeadset(holding: "Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
    }

    @Test func endedGuard_releasesWhatItHeld() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        scene.machine.speaker.meter.mark()
        scene.run.send(SIGTERM)
        #expect(try scene.run.waitForEnd() == .exited(0))
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try scene.waitForNoTarget(of: music)
    }

    @Test func secondGuard_saysSoAndEnds() throws {
        let scene = try GuardScene()
        let second = try ToolRun(["guard"], environment: scene.machine.environment)
        #expect(try second.waitForEnd() == .exited(1))
        #expect(second.errors.hasPrefix("audiosession: another guard is running: "), "\(second.errors)")
    }

    @Test func effectScreenReaderLinkedAndExcludedStreams_areLeftAlone() throws {
        let scene = try GuardScene("--exclude", "game")
        let reader = try scene.play("Reader", process: 21, role: "Accessibility")
        let game = try scene.play("Game", process: 22)
        let server = scene.machine.server
        let effect = try server.makeTone(
            name: "Effect", properties: ["application.process.id": "23", "node.link-group": "effect-1"])
        try server.waitUntil("Effect", feeds: "usb-headset")
        effect.play(frames: nil)
        // As a JACK client's, or one of qpwgraph's.
        let linked = try server.makeTone(name: "Linked", routing: .linked(to: "usb-headset"))
        try server.waitUntil("Linked", feeds: "usb-headset")
        linked.play(frames: nil)
        let music = try scene.hold("Music")
        #expect(try scene.ask("status").filter { $0.hasPrefix("Held by guard: ") }.count == 1)
        for tone in [reader, game, effect, linked] { #expect(try scene.target(of: tone) == nil) }
        #expect(try scene.target(of: music)?.hasPrefix("audiosession.guard.hold.") == true)
    }

    @Test func heldProgramEnds_isForgotten() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        music.stop()
        try scene.run.wait(forOutput: "Music ended while it was paused.")
        #expect(try scene.ask("status").last == "Nothing is paused.")
    }

    @Test func serverRestarts_guardIsBack() throws {
        let scene = try GuardScene()
        scene.machine.killServer()
        try scene.machine.returnServer()
        try scene.waitUntilWatching()
        let music = try scene.hold("Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        withExtendedLifetime(music) {}
    }

    @Test func call_pausesMusicAndReleasesItAtTheSameFrame() throws {
        let scene = try GuardScene()
        let music = try scene.play("Music", process: 11, role: "Music")
        let call = try scene.play("Phone", process: 12, role: "Communication")
        try scene.waitUntilHeld("Music")
        let held = try music.playedFrames(afterCyclesOf: scene.machine.headset)
        scene.machine.headset.meter.mark()
        try scene.machine.headset.meter.wait(loudFrames: 24_000)
        #expect(music.playedFrames == held)
        call.stop()
        try scene.machine.server.waitUntil("Music", feeds: "usb-headset")
        try scene.run.wait(forOutput: "Continued Music: the call is over.")
    }

    @Test func configuredDefault_isCaughtToo_andStaysConfigured() throws {
        let scene = try GuardScene()
        try scene.machine.server.setDefault("usb-headset")
        try scene.waitUntilWatching()
        let music = try scene.hold("Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        let configured = try scene.machine.server.metadata(key: "default.configured.audio.sink")
        #expect(configured?.contains("usb-headset") == true, "\(configured ?? "nothing")")
        withExtendedLifetime(music) {}
    }

    @Test func jackLeaves_atMostTwoQuantaReachTheSpeaker() throws {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let card = try server.makeCard()
        let run = try ToolRun(["guard"], environment: server.environment)
        try GuardScene.waitUntilWatching(server)
        let music = try server.makeTone(
            name: "Music", properties: ["application.name": "Music", "application.process.id": "11"])
        music.play(frames: nil)
        try server.waitUntil("Music", feeds: card.sinkName)
        // A loaded machine takes its time until the first frame.
        var reading = try card.wait(frames: 24_000)
        for _ in 0..<40 where reading.headphonesFrames == 0 {
            card.mark()
            reading = try card.wait(frames: 24_000)
        }
        #expect(reading.headphonesFrames > 0)
        card.mark()
        card.unplugHeadphones()
        try run.wait(forOutput: "Paused Music: ")
        #expect(try card.wait(frames: 48_000).speakerFrames <= 2_048)
    }

    @Test func guardWithoutServer_isRefused_andStatusWithoutGuardToo() throws {
        let machine = try MachineWithoutServer()
        let run = try ToolRun(["guard"], environment: machine.environment(host: nil))
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.hasPrefix("audiosession: "), "\(run.errors)")
        let status = try ToolRun(["guard", "status"], environment: machine.environment(host: nil))
        #expect(try status.waitForEnd() == .exited(1))
        #expect(status.errors.hasPrefix("audiosession: no guard is running;"), "\(status.errors)")
    }

    @Test func guardsOwnSinkIsChosen_choiceIsTakenBack() throws {
        let scene = try GuardScene()
        let server = scene.machine.server
        try server.setDefault("usb-headset")
        // Not setDefault, which waits for a default that the guard may have taken back by then.
        try server.setMetadata(
            key: "default.configured.audio.sink", type: "Spa:String:JSON",
            #"{"name":"\#(scene.catchName())"}"#)
        try scene.run.wait(forOutput: "'Headphones guard' was chosen as the output.")
        try server.waitUntilDefaultSink(is: "usb-headset")
    }
}
