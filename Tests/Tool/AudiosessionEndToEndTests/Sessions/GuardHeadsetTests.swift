import BusRig
import Foundation
import PipeWireRig
import Testing

/// A Bluetooth headset that plays music, and programs that open its microphone.
///
/// The headset is a card of the rig with BlueZ's profiles and the loopback that WirePlumber 0.5 makes. WirePlumber 0.5 switches it 0.5 s
/// after a stream was linked to that loopback; 0.4 switches it for the role Communication.
@Suite("audiosession guard and a Bluetooth headset", .ownThread, .serialized)
struct GuardHeadsetTests {
    private static let rounds = Int(ProcessInfo.processInfo.environment["OAV_HEADSET_ROUNDS"] ?? "") ?? 2
    /// Longer than WirePlumber's 0.5 s.
    private static let secondFrames = 48_000

    private let scene: GuardScene
    private let card: VirtualCard

    init() throws {
        scene = try GuardScene("--headset", "keep")
        var configuration = VirtualCard.Configuration.headset
        configuration.hasLoopback = true
        card = try scene.machine.server.makeCard(configuration)
        try scene.machine.server.waitUntilDefaultSink(is: card.sinkName)
        try scene.machine.server.waitUntilDefaultSource(is: card.sourceName)
    }

    private func plugMicrophone() throws -> VirtualSource {
        let microphone = try scene.machine.server.makeSource(
            name: "mic", description: "Mic", formFactor: "microphone", bus: "usb", channels: ["MONO"])
        microphone.play(frames: nil)
        try scene.machine.server.waitUntil("the microphone has a port") { graph in
            graph.node(named: "mic").map { node in graph.ports.contains { $0.node == node.id } } ?? false
        }
        return microphone
    }

    private func record(_ name: String, role: String = "Production") throws -> Process {
        try scene.machine.server.spawn([
            "pw-record", "--media-role", role, "-P", "{ node.name=\(name) application.name=\(name) }",
            scene.machine.directory.path("\(name).wav"),
        ])
    }

    private func node(_ name: String) throws -> UInt32 {
        try #require(try scene.machine.server.graph.node(named: name)?.id)
    }

    private func isPlayingMusicASecondLater() throws -> Bool {
        card.mark()
        try card.wait(frames: Self.secondFrames)
        return card.profile == .on
    }

    @Test func program_getsTheOtherMicrophone_andTheHeadsetPlaysOn() throws {
        let microphone = try plugMicrophone()
        for round in 1...Self.rounds {
            let recorder = try record("recorder-\(round)")
            try scene.machine.server.waitUntil("mic", feeds: "recorder-\(round)")
            #expect(try isPlayingMusicASecondLater())
            #expect(try scene.machine.server.graph.feeders(of: "recorder-\(round)") == ["mic"])
            recorder.terminate()
            recorder.waitUntilExit()
        }
        #expect(
            scene.run.output.contains("recorder-1 records with Mic, so that the headset goes on playing music."),
            "\(scene.run.output)")
        withExtendedLifetime(microphone) {}
    }

    @Test func call_getsTheHeadset() throws {
        let microphone = try plugMicrophone()
        let call = try record("call", role: "Communication")
        try card.waitForProfile(.handsFree)
        try scene.machine.server.waitUntil(card.sourceName, feeds: "call")
        call.terminate()
        withExtendedLifetime(microphone) {}
    }

    @Test func guardEnds_andTheProgramHasTheMicrophoneThatTheManagerChooses() throws {
        let microphone = try plugMicrophone()
        let recorder = try record("recorder")
        try scene.machine.server.waitUntil("mic", feeds: "recorder")
        let node = try node("recorder")
        #expect(try scene.ask("stop").last == "The guard has ended.")
        #expect(scene.run.output.contains("recorder records with the microphone that the session manager chooses."))
        try scene.machine.server.waitUntilMetadata(subject: node, key: "target.object", is: nil)
        try scene.machine.server.waitUntil(card.sourceName, feeds: "recorder")
        recorder.terminate()
        withExtendedLifetime(microphone) {}
    }

    /// The mixer has the last word.
    @Test func personChoosesTheHeadset_andTheGuardLeavesIt() throws {
        let microphone = try plugMicrophone()
        let recorder = try record("recorder")
        try scene.machine.server.waitUntil("mic", feeds: "recorder")
        try scene.machine.server.setTarget(ofNode: node("recorder"), to: card.sourceName)
        try scene.machine.server.waitUntil(card.sourceName, feeds: "recorder")
        #expect(try scene.ask("stop").last == "The guard has ended.")
        #expect(try scene.machine.server.graph.feeders(of: "recorder") == [card.sourceName])
        recorder.terminate()
        withExtendedLifetime(microphone) {}
    }

    @Test func noOtherMicrophone_isSaid_alsoOnTheDesktop() throws {
        let notifications = try NotificationsStandIn(address: scene.machine.server.busAddress)
        let recorder = try record("recorder")
        try scene.run.wait(forOutput: "recorder records with it. Meanwhile the headset sounds as in a call.")
        try notifications.log.wait(for: "the words") { log in
            log.contains { $0.hasPrefix("1: The headset has the only microphone | recorder records with it.") }
        }
        #expect(try scene.machine.server.graph.feeders(of: "recorder") == [card.sourceName])
        recorder.terminate()
    }

    /// What `keep` is for: without it, the program stays where the session manager has put it.
    @Test func withoutTheSetting_theProgramHasTheHeadset() throws {
        let microphone = try plugMicrophone()
        #expect(try scene.ask("stop").last == "The guard has ended.")
        try scene.startGuard()
        try scene.run.wait(forOutput: "The guard is running")
        let recorder = try record("recorder")
        try scene.machine.server.waitUntil(card.sourceName, feeds: "recorder")
        _ = try isPlayingMusicASecondLater()
        #expect(try scene.machine.server.graph.feeders(of: "recorder") == [card.sourceName])
        recorder.terminate()
        withExtendedLifetime(microphone) {}
    }
}
