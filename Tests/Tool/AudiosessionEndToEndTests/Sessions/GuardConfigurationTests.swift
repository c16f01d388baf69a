import BusRig
import Foundation
import PipeWireRig
import Testing

/// Files that change while a guard runs, on a private PipeWire.
@Suite("configuration of audiosession guard", .ownThread, .serialized)
struct GuardConfigurationTests {
    private static func path(_ scene: GuardScene, _ name: String) throws -> String {
        try #require(scene.machine.environment["XDG_CONFIG_HOME"]) + "/audiosession/guard.conf.d/\(name)"
    }

    /// The running guard has read it.
    private static func write(_ text: String, _ scene: GuardScene) throws {
        let file = URL(fileURLWithPath: try path(scene, "a.conf"))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
        try scene.run.wait(forOutput: "The configuration was read again.")
    }

    @Test func programIsExcluded_whileItIsHeld_itContinues_andIsHeldAgainAfterTheUndo() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        scene.machine.speaker.meter.mark()
        let path = try Self.path(scene, "exclude-Music.conf")
        #expect(try scene.ask("exclude", "Music") == ["Wrote \(path): the guard leaves Music alone."])
        try scene.run.wait(forOutput: "Continued Music: the configuration has changed.")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try scene.waitForNoTarget(of: music)
        #expect(try scene.ask("exclude", "Music") == ["Music is left alone already: \(path)"])
        let line = try #require(try scene.ask("config").last)
        #expect(line.hasSuffix("guard.action = leave-alone  # \(path):3") && line.hasPrefix("program: "), "\(line)")
        let count = scene.run.output.count
        #expect(try scene.ask("exclude", "--undo", "Music") == ["Removed \(path)."])
        try scene.run.wait(forOutput: "The configuration was read again.", from: count)
        try scene.machine.plugHeadset()
        try scene.waitUntilWatching()
        try scene.machine.server.waitUntil("Music", feeds: "usb-headset")
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        try scene.loseHeadset(holding: "Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
    }

    @Test func outputThatMayContinue_isHeardOnTheSpeaker() throws {
        let scene = try GuardScene()
        let music = try scene.play("Music", process: 11)
        try Self.write(
            """
            guard.outputs.rules = [
                { matches = [ { node.name = "~^usb-" } ] actions = { update-props = { guard.on-loss = continue } } }
            ]
            """, scene)
        scene.machine.speaker.meter.mark()
        scene.machine.pullHeadset()
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(try scene.ask("status").last == "Nothing is paused.")
        withExtendedLifetime(music) {}
    }

    @Test func wrongWords_areNamed_andTheRestIsInForce() throws {
        let scene = try GuardScene("--calls", "off")
        try Self.write("guard.settings = {\n  on-return = maybe\n  return-within = 0\n  calls = on\n}\n", scene)
        let path = try Self.path(scene, "a.conf")
        let fault =
            "Left out of the configuration: \(path):2: on-return is 'maybe', and must be resume or stay"
        try scene.run.wait(forOutput: fault)
        #expect(try scene.ask("status").contains(fault))
        #expect(try scene.ask("log").contains { $0.hasSuffix(fault) })
        #expect(
            try scene.ask("config").prefix(3) == [
                "on-return = resume  # default", "return-within = 0  # \(path):3", "calls = off  # the command line",
            ])
        let music = try scene.hold("Music")
        try scene.machine.plugHeadset()
        try scene.run.wait(forOutput: "USB Headset is back, and Music stays paused")
        withExtendedLifetime(music) {}
    }

    @Test func mprisOnly_playerIsTold_andItsStreamIsNotMoved() throws {
        let scene = try GuardScene()
        let player = try PlayerStandIn(address: scene.machine.server.busAddress, name: "music.instance1")
        let music = try scene.play("Music", process: Int(getpid()))
        try Self.write(
            """
            guard.programs.rules = [
                { matches = [ { application.name = Music } ] actions = { update-props = { guard.action = mpris-only } } }
            ]
            """, scene)
        scene.machine.speaker.meter.mark()
        scene.machine.pullHeadset()
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        // The stand-in pauses nothing.
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(try scene.ask("status").contains { $0.hasPrefix("Told to pause: Music, USB Headset left ") })
        #expect(try scene.target(of: music) == nil)
        try scene.machine.plugHeadset()
        try player.log.wait(for: "a start") { $0 == ["Pause", "Play"] }
    }

    @Test func withoutAGuard_configSaysWhatTheNextOneBeginsWith() throws {
        let machine = try MachineWithoutServer()
        let run = try machine.run("guard", "config")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(
            run.lines == [
                "No guard is running. The next one begins with:", "on-return = resume  # default",
                "return-within = 600  # default", "calls = on  # default", "alerts = on  # default",
                "while-recording = off  # default",
                "one-at-a-time = off  # default", "arm-jack = off  # default", "headset = switch  # default",
                "tray = held  # default",
            ])
        let undo = try machine.run("guard", "exclude", "--undo", "a/b \"c\"")
        #expect(try undo.waitForEnd() == .exited(0))
        #expect(undo.lines.first?.hasPrefix("There is no ") == true)
        let written = try machine.run("guard", "exclude", "a/b \"c\"")
        #expect(try written.waitForEnd() == .exited(0))
        #expect(written.output.contains("/exclude-a%2Fb%20%22c%22.conf: the guard leaves"), "\(written.output)")
        let lines = try machine.run("guard", "config")
        #expect(try lines.waitForEnd() == .exited(0))
        #expect(lines.lines.last?.hasPrefix("program: { application.name = a/b \"c\" } or {") == true, "\(lines.lines)")
        for name in ["~mpv", "!mpv", "a\nb", ""] {
            let wrong = try machine.run("guard", "exclude", "--", name)
            #expect(try wrong.waitForEnd() == .exited(2))
        }
    }
}
