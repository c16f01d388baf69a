import Foundation
import PipeWireRig
import Testing

/// A guard that ends, hangs or loses its server leaves the machine as it was.
@Suite("audiosession guard, and its end", .ownThread, .serialized)
struct GuardSafetyTests {
    /// The lines of WirePlumber's state files, without what belongs to a guard's own sinks.
    private static func state(_ server: PrivatePipeWire) throws -> Set<String> {
        let directory = (server.environment["XDG_STATE_HOME"] ?? "") + "/wireplumber"
        var state: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name != "default-nodes" {
            let text = try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
            for line in text.split(separator: "\n") where !line.contains(ownVolumes) {
                state.insert("\(name): \(withSortedMembers(line))")
            }
        }
        return state
    }

    /// WirePlumber 0.5 writes the members of an object in any order, and adds the map of the channels as soon as the stream has told
    /// it, which may be before a guard or after.
    private static func withSortedMembers(_ line: Substring) -> String {
        guard let equals = line.firstIndex(of: "="),
            var object = (try? JSONSerialization.jsonObject(with: Data(line[equals...].dropFirst().utf8)))
                as? [String: Any],
            case _ = object.removeValue(forKey: "channelMap"),
            let sorted = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        else { return String(line) }
        return line[...equals] + String(decoding: sorted, as: UTF8.self)
    }

    private static let ownVolumes = ":media.name:audiosession"

    /// Configures a default, and waits until WirePlumber has stored it: what changed before is stored by then.
    ///
    /// The frames of a meter are the clock: WirePlumber stores about a second later.
    private static func store(_ name: String, _ scene: GuardScene) throws {
        let server = scene.machine.server
        try server.setDefault(name)
        let path = (server.environment["XDG_STATE_HOME"] ?? "") + "/wireplumber/default-nodes"
        var rounds = 0
        while (try? String(contentsOfFile: path, encoding: .utf8))?.contains("sink=\(name)\n") != true {
            rounds += 1
            try #require(rounds < 100, "WirePlumber has not stored the default")
            scene.machine.speaker.meter.mark()
            _ = try scene.machine.speaker.meter.wait(frames: 9_600)
        }
    }

    /// A sandbox, or a rule of the session manager's, may give a guard the right to look alone.
    @Test func guardThatMayOnlyLook_saysThatTheProgramPlaysOn() throws {
        let scene = try GuardScene()
        let music = try scene.play("Music", process: 11)
        let server = scene.machine.server
        let clients = try scene.clients(of: scene.run.processID)
        let metadata = try #require(scene.dump().first { $0.props?["metadata.name"]?.text == "default" }?.id)
        #expect(!clients.isEmpty)
        for client in clients {
            // r and x, as pw-cli takes them.
            try server.run(["pw-cli", "permissions", "\(client)", "\(metadata)", "320"])
        }
        scene.machine.pullHeadset()
        try scene.run.wait(forOutput: "Music is not paused: it plays on")
        #expect(try scene.ask("status").contains { $0.hasPrefix("Not held: Music, USB Headset left ") })
        #expect(try scene.ask("status", "--json").last?.contains(#""heard":true"#) == true)
        #expect(try scene.target(of: music) == nil)
        try server.waitUntil("Music", feeds: "speaker")
    }

    @Test func programEndsTheCatch_guardMakesItAgain() throws {
        let scene = try GuardScene()
        let server = scene.machine.server
        try server.run(["pw-cli", "destroy", scene.catchName()])
        // What the server has done before this is asked is in it.
        _ = try server.graph
        try scene.waitUntilWatching()
        let music = try scene.hold("Music")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        withExtendedLifetime(music) {}
    }

    /// WirePlumber's volumes for roles are such loopbacks.
    @Test func programBehindARolesLoopback_isHeldWithTheHeadset() throws {
        let scene = try GuardScene()
        let server = scene.machine.server
        let loopback = try server.spawn([
            "pw-loopback", "--capture-props",
            #"{ media.class = Audio/Sink, node.name = role-music, device.intended-roles = [ "Music" ] }"#,
            "--playback-props", "{ node.name = role-music-out }",
        ])
        defer { loopback.terminate() }
        try server.waitUntil("role-music-out", feeds: "usb-headset")
        let music = try server.makeTone(
            name: "Music", routing: .automatic(target: "role-music"),
            properties: ["application.name": "Music", "application.process.id": "11"])
        try server.waitUntil("Music", feeds: "role-music")
        scene.machine.headset.meter.mark()
        music.play(frames: nil)
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
        try scene.loseHeadset(holding: "Music")
        try server.waitUntil("role-music-out", feeds: "speaker")
        let loud = try scene.loudFramesOnTheSpeaker()
        #expect(loud <= 2_048, "what the loopback had in its buffer")
        try scene.machine.plugHeadset()
        scene.machine.headset.meter.mark()
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGSEGV])
    func guardEnds_storedStateIsAsBefore(signal: Int32) throws {
        let scene = try GuardScene("--dry-run")
        let music = try scene.play("Music", process: 11, role: "Music")
        defer { music.stop() }
        try Self.store("usb-headset", scene)
        let before = try Self.state(scene.machine.server)
        #expect(!before.isEmpty, "WirePlumber has stored nothing: the test proves nothing")
        scene.run.send(SIGTERM)
        #expect(try scene.run.waitForEnd() == .exited(0))
        try scene.startGuard()
        try scene.waitUntilWatching()
        try scene.loseHeadset(holding: "Music")
        scene.machine.speaker.meter.mark()
        scene.run.send(signal)
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        try Self.store("speaker", scene)
        let changes = try Self.state(scene.machine.server).symmetricDifference(before)
        #expect(changes == [], "\(changes.sorted())")
        let configured = try scene.machine.server.metadata(key: "default.audio.sink")
        #expect(configured?.contains("\"speaker\"") == true, "\(configured ?? "nothing")")
    }

    @Test func guardIsStoppedToKeep_heldProgramIsSilent_andContinuesUnderTheNextGuard() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let held = music.playedFrames
        scene.machine.speaker.meter.mark()
        #expect(try scene.ask("stop", "--keep") == ["The next guard has what this one held.", "The guard has ended."])
        #expect(try scene.run.waitForEnd() == .exited(0))
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        try scene.startGuard()
        try scene.run.wait(forOutput: "Music stays paused, as under the guard before.")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(music.playedFrames == held)
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music") })
        try scene.machine.plugHeadset()
        try scene.waitForNoTarget(of: music)
        try scene.machine.headset.meter.wait(loudFrames: 4_800)
    }

    @Test func guardIsStopped_itSaysWhatIsHeard() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        #expect(
            try scene.ask("stop") == ["Let Music go: the guard ends. It is heard now.", "The guard has ended."])
        #expect(try scene.run.waitForEnd() == .exited(0))
        try scene.machine.speaker.meter.wait(loudFrames: 4_800)
        withExtendedLifetime(music) {}
    }

    @Test func sessionManagerRestarts_heldProgramStaysSilent() throws {
        let scene = try GuardScene()
        let music = try scene.hold("Music")
        let held = music.playedFrames
        scene.machine.speaker.meter.mark()
        try scene.machine.server.restartSessionManager(untilDefaultSinkIs: "speaker")
        #expect(try scene.loudFramesOnTheSpeaker() == 0)
        #expect(music.playedFrames == held)
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music") })
    }

    @Test func watchdog_isFedWhileSomethingPlays_andOffWhenNothingCanHang() throws {
        let machine = try TestMachine()
        let service = try NotifySocket(directory: machine.directory.path)
        var environment = machine.environment
        environment["NOTIFY_SOCKET"] = service.path
        let run = try ToolRun(["guard"], environment: environment)
        #expect(try service.next() == "READY=1")
        try GuardScene.waitUntilWatching(machine.server)
        let music = try machine.server.makeTone(
            name: "Music", properties: ["application.name": "Music", "application.process.id": "11"])
        music.play(frames: nil)
        #expect(try service.next() == "WATCHDOG_USEC=8000000\nWATCHDOG=1")
        // Two pings of its own accord: one that is stopped sends none, and systemd kills it.
        #expect(try service.next() == "WATCHDOG=1")
        #expect(try service.next() == "WATCHDOG=1")
        music.stop()
        while case let message = try service.next(), message != "WATCHDOG_USEC=0" { #expect(message == "WATCHDOG=1") }
        run.send(SIGTERM)
        #expect(try run.waitForEnd() == .exited(0))
    }

    @Test func silentClients_whileARequestComes_doNotKeepItFromItsAnswer() throws {
        let scene = try GuardScene()
        let path = (scene.machine.environment["XDG_RUNTIME_DIR"] ?? "") + "/audiosession-guard.sock"
        let clients = try (0..<4).map { _ in try SilentClient(path) }
        #expect(try scene.ask("status").last == "Nothing is paused.")
        withExtendedLifetime(clients) {}
    }

    @Test func otherCommands_knowWhatAGuardHolds() throws {
        let scene = try GuardScene()
        let watch = try scene.machine.run("watch")
        try watch.wait(forOutput: "route: ")
        let music = try scene.hold("Music")
        try watch.wait(forOutput: "guard: Paused Music: USB Headset left.")
        let route = try scene.machine.run("route")
        #expect(try route.waitForEnd() == .exited(0))
        #expect(route.lines.last?.hasPrefix("Held by guard: Music, USB Headset left ") == true, "\(route.lines)")
        let doctor = try scene.machine.run("doctor")
        try doctor.wait(forOutput: "Held by guard: Music")
        withExtendedLifetime(music) {}
    }
}

/// The socket on which a service manager hears from a service.
private final class NotifySocket {
    struct Silent: Error {}

    let path: String
    private let descriptor: Int32

    init(directory: String) throws {
        path = directory + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try withAddress(path) { bind(descriptor, $0, $1) }
        // Far more than a service takes: only a fault reaches it.
        var time = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func next() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw Silent() }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// Connects and asks nothing.
private final class SilentClient {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try withAddress(path) { connect(descriptor, $0, $1) }
    }

    deinit { close(descriptor) }
}

private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
