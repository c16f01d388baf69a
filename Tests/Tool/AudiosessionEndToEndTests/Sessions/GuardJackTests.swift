import Foundation
import PipeWireRig
import Testing

/// A card whose jack switches one sink between headphones and speaker, and a guard that mutes the speaker beforehand.
@Suite("audiosession guard --arm-jack", .ownThread, .serialized)
struct GuardJackTests {
    private final class Scene {
        let server: PrivatePipeWire
        let card: VirtualCard
        let music: ToneGenerator

        /// - Parameter likeACP: the card calls its speaker unavailable while the headphones are in, as most do.
        init(likeACP: Bool) throws {
            server = try PrivatePipeWire.start()
            card = try server.makeCard(likeACP ? .likeACP : .init())
            try server.waitUntilDefaultSink(is: card.sinkName)
            music = try server.makeTone(
                name: "Music", properties: ["application.name": "Music", "application.process.id": "11"])
            music.play(frames: nil)
            try server.waitUntil("Music", feeds: card.sinkName)
        }

        deinit { server.stop() }

        func run(_ words: String...) throws -> ToolRun {
            var environment = server.environment
            environment["SWIFT_BACKTRACE"] = "enable=no"
            return try ToolRun(["guard"] + words, environment: environment)
        }

        func ask(_ words: String...) throws -> [String] {
            let run = try ToolRun(["guard"] + words, environment: server.environment)
            _ = try run.waitForEnd()
            return run.lines
        }

        /// Asks until the guard says so; the card's frames are the clock.
        func wait(untilStatusHas line: String) throws {
            for _ in 0..<200 {
                if try ask("status").contains(line) { return }
                try card.wait(frames: card.reading.frames + 4_800)
            }
            Issue.record("never said: \(line)")
        }

        static let armed = "Speaker is muted while the headphones are in."

        func waitUntilArmed() throws { try wait(untilStatusHas: Self.armed) }

        /// Lets the card play for a while.
        func run(seconds: Double) throws { try card.wait(frames: card.reading.frames + Int(seconds * 48_000)) }

        /// What WirePlumber has stored of the card, which it does after a second; on a busy machine, later.
        ///
        /// - Parameter isStored: waits until then, or for 20 s of the card's time.
        func storedRoutes(until isStored: (Set<String>) -> Bool = { _ in true }) throws -> Set<String> {
            try run(seconds: 2)
            for _ in 0..<36 where !isStored(try readRoutes()) { try run(seconds: 0.5) }
            return try readRoutes()
        }

        private func readRoutes() throws -> Set<String> {
            let directory = (server.environment["XDG_STATE_HOME"] ?? "") + "/wireplumber"
            // Where it has stored nothing there is no file.
            let text = try? String(contentsOfFile: directory + "/default-routes", encoding: .utf8)
            return Set((text ?? "").split(separator: "\n").map(String.init))
        }

        /// WirePlumber stores a port when it has switched there because the port became available; 0.5.18 when its user changes it.
        func useBothPorts() throws {
            card.unplugHeadphones()
            try card.waitUntilActive(.speaker)
            try run(seconds: 0.5)
            try server.run(["wpctl", "set-mute", "@DEFAULT_AUDIO_SINK@", "0"])
            try run(seconds: 0.5)
            card.plugHeadphones()
            try card.waitUntilActive(.headphones)
            try server.waitUntilDefaultSink(is: card.sinkName)
            try run(seconds: 0.5)
            try server.run(["wpctl", "set-mute", "@DEFAULT_AUDIO_SINK@", "0"])
        }
    }

    /// WirePlumber 0.5.18 stores nothing of a port that is unavailable, as its script says.
    private static let managerForgets =
        (try? String(contentsOfFile: "/usr/share/wireplumber/scripts/device/state-routes.lua", encoding: .utf8))?
        .contains("route.available ~= \"no\" and route.save") == true

    private static var pulls: Int { ProcessInfo.processInfo.environment["JACK_PULLS"].flatMap { Int($0) } ?? 2 }

    @Test(arguments: managerForgets ? [false] : [false, true])
    func jackIsPulled_speakerHearsNothing(likeACP: Bool) throws {
        let scene = try Scene(likeACP: likeACP)
        let run = try scene.run("--arm-jack")
        for _ in 0..<Self.pulls {
            try scene.waitUntilArmed()
            try scene.server.waitUntil("Music", feeds: scene.card.sinkName)
            scene.card.mark()
            try scene.run(seconds: 0.5)
            #expect(scene.card.headphonesFrames > 0)
            #expect(scene.card.speakerFrames == 0)
            scene.card.unplugHeadphones()
            try scene.card.waitUntilActive(.speaker)
            let reading = try scene.card.wait(frames: scene.card.reading.frames + 24_000)
            #expect(reading.speakerFrames == 0)
            // The speaker itself is not muted any more: released, the program is heard there.
            try scene.wait(untilStatusHas: "The guard is running. No output is watched now.")
            #expect(try scene.ask("release").last == "1 stream continues.")
            try scene.server.waitUntil("Music", feeds: scene.card.sinkName)
            scene.card.mark()
            try scene.run(seconds: 1)
            #expect(scene.card.speakerFrames > 0)
            scene.card.plugHeadphones()
            try scene.card.waitUntilActive(.headphones)
        }
        withExtendedLifetime(run) {}
    }

    /// What is not remembered is not promised; on other systems than `managerForgets` it is.
    @Test func muteOfASpeakerThatIsUnavailable_isPromisedOnlyWhereItIsRemembered() throws {
        let scene = try Scene(likeACP: true)
        let run = try scene.run("--arm-jack")
        guard Self.managerForgets else { return try scene.waitUntilArmed() }
        try run.wait(forOutput: "Speaker cannot be muted beforehand: this session manager does not remember")
        try scene.card.waitUntilActive(.headphones)
        try scene.server.waitUntil("Music", feeds: scene.card.sinkName)
        #expect(!(try scene.ask("status")).contains(Scene.armed))
        #expect(try scene.storedRoutes().filter { $0.contains("\"mute\":true") } == [])
        scene.card.unplugHeadphones()
        try run.wait(forOutput: "Paused Music: ")
        try scene.card.waitUntilActive(.speaker)
        try scene.run(seconds: 0.5)
        #expect(try scene.ask("release").last == "1 stream continues.")
        try scene.server.waitUntil("Music", feeds: scene.card.sinkName)
        scene.card.mark()
        try scene.run(seconds: 1)
        #expect(scene.card.speakerFrames > 0)
    }

    /// And with it, what remains after a kill, and what takes it back.
    @Test(arguments: [SIGTERM, SIGKILL])
    func guardEnds_storedRoutesAreAsBefore(signal: Int32) throws {
        let scene = try Scene(likeACP: !Self.managerForgets)
        try scene.useBothPorts()
        let before = try scene.storedRoutes()
        let run = try scene.run("--arm-jack")
        try scene.waitUntilArmed()
        let during = try scene.storedRoutes(until: { $0 != before })
        #expect(during != before, "WirePlumber has stored no mute: the test proves nothing")
        scene.card.mark()
        run.send(signal)
        _ = try run.waitForEnd()
        if signal == SIGKILL {
            #expect(try scene.storedRoutes() == during)
            #expect(try scene.ask("repair") == ["Every speaker is as it was before."])
        }
        #expect(try scene.storedRoutes(until: { $0 == before }) == before)
        #expect(try scene.ask("repair") == ["There is nothing to repair."])
        #expect(scene.card.speakerFrames == 0)
        #expect(scene.card.activeOutput == .headphones)
        try scene.server.waitUntil("Music", feeds: scene.card.sinkName)
    }

    @Test func killedGuard_nextOneTakesTheMuteBack() throws {
        let scene = try Scene(likeACP: !Self.managerForgets)
        try scene.useBothPorts()
        let before = try scene.storedRoutes()
        let killed = try scene.run("--arm-jack")
        try scene.waitUntilArmed()
        killed.send(SIGKILL)
        _ = try killed.waitForEnd()
        let next = try scene.run()
        try next.wait(forOutput: "Speaker is as it was before.")
        #expect(try scene.storedRoutes(until: { $0 == before }) == before)
    }
}
