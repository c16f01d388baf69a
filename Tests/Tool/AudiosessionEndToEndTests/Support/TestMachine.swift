import Foundation
import PipeWireRig
import TestAudio

/// A private PipeWire with a speaker, and a headset that is the default.
final class TestMachine {
    let server: PrivatePipeWire
    private(set) var speaker: VirtualSink
    let directory: TemporaryDirectory
    private(set) var headset: VirtualSink

    /// - Parameter captured: how much of what the first headset plays its meter keeps.
    init(capturing captured: Duration = .zero) throws {
        directory = try TemporaryDirectory()
        server = try PrivatePipeWire.start()
        speaker = try Self.makeSpeaker(server)
        headset = try Self.makeHeadset(server, capturing: captured)
    }

    deinit { server.stop() }

    func pullHeadset() { headset.destroy() }

    func plugHeadset() throws {
        // A person is slower than the session manager.
        try server.waitUntilDefaultSink(is: "speaker")
        headset = try Self.makeHeadset(server)
    }

    /// Stops the server, and all devices with it.
    func killServer() { server.killPipeWire() }

    /// Starts a new server on the same socket, with new devices of the same names.
    func returnServer() throws {
        try server.startPipeWire()
        speaker = try Self.makeSpeaker(server)
        headset = try Self.makeHeadset(server)
    }

    private static func makeSpeaker(_ server: PrivatePipeWire) throws -> VirtualSink {
        try server.makeSink(
            name: "speaker", description: "Speaker", formFactor: "speaker", bus: "pci", priority: 500)
    }

    private static func makeHeadset(
        _ server: PrivatePipeWire, capturing captured: Duration = .zero
    ) throws -> VirtualSink {
        let headset = try server.makeSink(
            name: "usb-headset", description: "USB Headset", formFactor: "headphone", bus: "usb", priority: 1500,
            capturing: captured)
        try server.waitUntilDefaultSink(is: "usb-headset")
        return headset
    }

    /// Writes a loud tone and returns its path.
    ///
    /// - Parameter level: its peak, linear; 0 is silence.
    func tone(seconds: Double, named name: String = "tone.wav", level: Float = 0.5) throws -> String {
        try TestFile.write(
            .quadrature(hertz: 1000, level: Double(level)), seconds: seconds, named: name, in: directory)
    }

    /// Starts the program as a client of this server and of no other.
    func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments, environment: environment) }

    var environment: [String: String] {
        var environment = server.environment
        environment["AUDIOSESSION_HOST"] = "pipewire"
        environment["LANG"] = "C.UTF-8"
        return environment
    }
}

/// A machine without a sound server.
final class MachineWithoutServer {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Without the variables of the real machine, so that its server is never used.
    func environment(host: String?) -> [String: String] {
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
            "LANG": "C.UTF-8",
        ]
        environment["AUDIOSESSION_HOST"] = host
        return environment
    }

    /// Starts the program without a server.
    ///
    /// - Parameter host: `AUDIOSESSION_HOST`.
    func run(_ arguments: [String], host: String? = nil) throws -> ToolRun {
        try ToolRun(arguments, environment: environment(host: host))
    }

    func run(_ arguments: String..., host: String? = nil) throws -> ToolRun { try run(arguments, host: host) }
}

extension ToneGenerator {
    /// Its frames so far, two cycles later: the cycle in which a stream was moved from this sink may still be under way (PipeWire 1.6).
    func playedFrames(afterCyclesOf sink: VirtualSink) throws -> Int {
        sink.meter.mark()
        try sink.meter.wait(frames: 4_096)
        return playedFrames
    }
}
