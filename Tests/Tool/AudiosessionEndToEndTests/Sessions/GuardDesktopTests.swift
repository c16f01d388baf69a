import BusRig
import Foundation
import PipeWireRig
import Testing

/// The guard on a session bus: players with MPRIS, and the notification.
@Suite("audiosession guard on a desktop", .ownThread, .serialized)
struct GuardDesktopTests {
    /// A guard and a program whose player is in this process, as its stream says.
    private static func scene() throws -> (GuardScene, PlayerStandIn) {
        let scene = try GuardScene()
        return (scene, try PlayerStandIn(address: scene.machine.server.busAddress, name: "music.instance1"))
    }

    private func hold(_ scene: GuardScene) throws -> ToneGenerator {
        try scene.hold("Music", process: Int(getpid()))
    }

    @Test func player_isPaused_andPlaysWhenTheHeadsetReturns() throws {
        let (scene, player) = try Self.scene()
        let music = try hold(scene)
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        try scene.machine.plugHeadset()
        try player.log.wait(for: "a start") { $0 == ["Pause", "Play"] }
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        #expect(player.playbackStatus == "Playing")
        withExtendedLifetime(music) {}
    }

    @Test func guardHandsOver_playerStaysPaused_andTheNextGuardStartsIt() throws {
        let (scene, player) = try Self.scene()
        let music = try hold(scene)
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        #expect(try scene.ask("stop", "--keep").last == "The guard has ended.")
        try scene.startGuard()
        try scene.run.wait(forOutput: "Music stays paused, as under the guard before.")
        #expect(player.log.entries == ["Pause"])
        try scene.machine.plugHeadset()
        try player.log.wait(for: "a start") { $0 == ["Pause", "Play"] }
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }

    @Test func userPressesPlayInThePlayer_programContinuesOnTheSpeaker() throws {
        let (scene, player) = try Self.scene()
        let music = try hold(scene)
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        player.set("Playing")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try scene.run.wait(forOutput: "Continued Music: it was started again.")
        #expect(player.log.entries == ["Pause"])
        withExtendedLifetime(music) {}
    }

    @Test func playerClosesItsStream_andPlaysWhenTheHeadsetReturns() throws {
        let (scene, player) = try Self.scene()
        let music = try hold(scene)
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        music.stop()
        try scene.run.wait(forOutput: "Music ended while it was paused.")
        try scene.machine.plugHeadset()
        try player.log.wait(for: "a start") { $0 == ["Pause", "Play"] }
    }

    /// What a person has heard stop does not start because a program ends.
    @Test func guardEnds_playerStaysPaused() throws {
        let (scene, player) = try Self.scene()
        let music = try hold(scene)
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        scene.run.send(SIGTERM)
        #expect(try scene.run.waitForEnd() == .exited(0))
        // This stream pays its player no heed.
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        #expect(player.log.entries == ["Pause"])
        #expect(scene.run.output.contains("Let Music go: the guard ends."))
        withExtendedLifetime(music) {}
    }

    @Test func notification_saysWhatWaits_andItsButtonReleases() throws {
        let scene = try GuardScene()
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        let music = try scene.play("A & B", process: 11)
        let film = try scene.play("Film", process: 12)
        scene.machine.pullHeadset()
        try scene.waitUntilHeld("A & B")
        try scene.waitUntilHeld("Film")
        let here = #""default", "", "0", "Play here""#
        let words = "1: Paused: A & B, Film | USB Headset left. | [\(here)]"
        // One or two notifications: both holds may be known before the first is sent.
        try scene.run.wait(forOutput: "Paused Film")
        let first = "1: Paused: A & B | USB Headset left. | [\(here), \"1\", \"Leave alone\"]"
        try notifications.log.wait(for: "both programs") { $0 == [words] || $0 == [first, words] }
        notifications.press(1, "0")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try notifications.log.wait(for: "its end") { $0.last == "1 closed" }
        #expect(try scene.ask("status").last == "Nothing is paused.")
        withExtendedLifetime((music, film)) {}
    }

    @Test func notification_isClicked_programContinuesHere() throws {
        let scene = try GuardScene()
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        let music = try scene.hold("Music")
        try notifications.log.wait(for: "the program") { $0.count == 1 }
        notifications.press(1, "default")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }

    @Test func program_isLeftAloneWithTheNotification_andThatIsTakenBackWithTheNext() throws {
        let scene = try GuardScene()
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        let music = try scene.hold("Music")
        try notifications.log.wait(for: "the program") { $0.count == 1 }
        notifications.press(1, "1")
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        let words = "2: Music is left alone from now on | It plays on when the headphones leave. | [\"0\", \"Undo\"]"
        try notifications.log.wait(for: "the way back") { $0.contains(words) && $0.contains("1 closed") }
        #expect(try #require(try scene.ask("config").last).contains("guard.action = leave-alone"))
        let count = scene.run.output.count
        notifications.press(2, "0")
        try scene.run.wait(forOutput: "The configuration was read again.", from: count)
        #expect(try scene.ask("config").allSatisfy { !$0.hasPrefix("program:") })
        withExtendedLifetime(music) {}
    }

    @Test func firstGuard_saysWhatItDoes_andTheNextDoesNot() throws {
        let scene = try GuardScene()
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        for _ in 0..<2 {
            scene.run.send(SIGTERM)
            #expect(try scene.run.waitForEnd() == .exited(0))
            try scene.startGuard()
            try GuardScene.waitUntilWatching(scene.machine.server)
            try notifications.log.wait(for: "a welcome") { $0.count == 1 }
        }
        let music = try scene.hold("Music")
        try notifications.log.wait(for: "the program") { $0.count == 2 }
        #expect(notifications.log.entries[0].hasPrefix("1: Headphones guard is on | When headphones leave"))
        withExtendedLifetime(music) {}
    }

    @Test func firstGuard_turnedOffByItsWelcome_isOff() throws {
        let scene = try GuardScene()
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        scene.run.send(SIGTERM)
        #expect(try scene.run.waitForEnd() == .exited(0))
        try scene.startGuard()
        try notifications.log.wait(for: "a welcome") { $0.count == 1 }
        notifications.press(1, "0")
        try scene.run.wait(forOutput: "The guard is off: nothing is held")
        #expect(try scene.ask("status").first?.hasPrefix("The guard is off") == true)
    }
}
