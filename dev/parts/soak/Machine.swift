import Foundation
import OpenAudioSession
import PipeWireRig
import TestAudio

/// A private PipeWire with a speaker, on which this process and its children play.
final class Machine {
    let server: PrivatePipeWire
    let directory: TemporaryDirectory
    private(set) var speaker: VirtualSink
    private(set) var headset: VirtualSink?
    private(set) var microphone: VirtualSource?
    private(set) var idleSessionManagers = 0

    init() throws {
        directory = try TemporaryDirectory()
        server = try PrivatePipeWire.start()
        speaker = try Self.makeSpeaker(server)
        for (name, value) in server.environment { setenv(name, value, 1) }
        try AudioSessionHost.select(.pipeWire)
    }

    private static func makeSpeaker(_ server: PrivatePipeWire) throws -> VirtualSink {
        try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
    }

    func plugHeadset() throws {
        if headset != nil { return }
        headset = try server.makeSink(name: "headset", formFactor: "headphone", bus: "usb", priority: 1500)
    }

    func pullHeadset() {
        headset?.meter.stop()
        headset?.destroy()
        headset = nil
    }

    func plugMicrophone() throws {
        if microphone != nil { return }
        microphone = try server.makeSource(name: "mic", formFactor: "microphone", bus: "usb", channels: ["MONO"])
        microphone?.play(frames: nil)
    }

    func pullMicrophone() {
        microphone?.destroy()
        microphone = nil
    }

    /// The devices come back with the server, as hardware does.
    func restartServer() throws {
        let (hadHeadset, hadMicrophone) = (headset != nil, microphone != nil)
        (headset, microphone) = (nil, nil)
        try server.restartPipeWire()
        speaker = try Self.makeSpeaker(server)
        if hadHeadset { try plugHeadset() }
        if hadMicrophone { try plugMicrophone() }
    }

    func restartSessionManager() throws {
        idleSessionManagers += try server.restartSessionManager(untilDefaultSinkIs: "speaker")
    }

    func tone(seconds: Double, named name: String) throws -> String {
        try TestFile.write(.quadrature(hertz: 1000), seconds: seconds, named: name, in: directory)
    }

    /// Starts `audiosession`, which the build puts beside this program.
    ///
    /// - Parameter words: the command that starts it, in its own way.
    func start(_ arguments: [String], through words: [String] = []) throws -> Program {
        try Program(
            arguments, through: words, environment: server.environment,
            log: directory.path("program-\(UUID().uuidString)"))
    }
}

/// A run of `audiosession`.
final class Program {
    private let process = Process()
    private let log: String

    init(
        _ arguments: [String], through words: [String] = [], environment: [String: String], log: String
    ) throws {
        self.log = log
        try Data().write(to: URL(filePath: log))
        let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "audiosession")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words + [tool.path] + arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = process.standardOutput
        try process.run()
    }

    deinit { end(by: SIGKILL) }

    var isRunning: Bool { process.isRunning }
    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
    /// The values of one field of its event lines of one kind, in order.
    func values(of field: String, in event: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                object["event"] as? String == event
            else { return nil }
            return object[field].map { "\($0)" }
        }
    }
    /// The newest state of its only player or recorder.
    var state: String? { values(of: "state", in: "player").last ?? values(of: "state", in: "recorder").last }

    func end(by signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
        process.waitUntilExit()
    }

    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// What must not grow.
struct Footprint {
    let descriptors, threads, kilobytes: Int

    static func now() -> Footprint {
        func count(_ path: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
        }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber)
        return Footprint(
            descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"),
            kilobytes: memory.flatMap { Int($0) } ?? 0)
    }
}
