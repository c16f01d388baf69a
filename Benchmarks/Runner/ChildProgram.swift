import Foundation
import PipeWireRig

/// A program as a client of a private server, and what it costs.
final class ChildProgram {
    /// CLOCK_MONOTONIC in nanoseconds, just before it was started.
    let startedAt: UInt64
    private let process = Process()
    private let output = Pipe()

    /// Starts a program on PATH, where dev/bench puts the `audiosession` of dev/make release first.
    private init(_ program: String, _ arguments: [String], of server: PrivatePipeWire) throws {
        process.executableURL = try Self.find(program)
        process.arguments = arguments
        process.environment = server.environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        startedAt = Clock.nanoseconds
        try process.run()
    }

    /// pw-play with this library's cycle; by itself it asks for twice as many frames.
    static func pwPlay(_ file: String, of server: PrivatePipeWire) throws -> ChildProgram {
        try ChildProgram("pw-play", ["--latency=1024", file], of: server)
    }

    static func audioSession(_ file: String, of server: PrivatePipeWire) throws -> ChildProgram {
        try ChildProgram("audiosession", ["play", "--host", "pipewire", "--events", "json", file], of: server)
    }

    static func mpv(_ file: String, of server: PrivatePipeWire) throws -> ChildProgram {
        try ChildProgram("mpv", ["--no-config", "--no-video", "--really-quiet", "--ao=pipewire", file], of: server)
    }

    static func call(seconds: Double, of server: PrivatePipeWire) throws -> ChildProgram {
        try ChildProgram(
            "audiosession", ["call", "--host", "pipewire", "--duration", "\(seconds)", "--events", "json"], of: server)
    }

    static var hasJackDelay: Bool { (try? find("jack_iodelay")) != nil && (try? find("pw-jack")) != nil }

    /// Measures the way from its port jack_delay:out to jack_delay:in, and prints it line by line.
    static func jackDelay(cycleFrames: Int, of server: PrivatePipeWire) throws -> ChildProgram {
        // It keeps the cycle that it finds, which the others may not have asked for yet.
        try ChildProgram(
            "env", ["PIPEWIRE_LATENCY=\(cycleFrames)/48000", "stdbuf", "-oL", "pw-jack", "jack_iodelay"], of: server)
    }

    private static func find(_ program: String) throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let places = path.split(separator: ":").map { URL(fileURLWithPath: String($0), isDirectory: true) }
        for place in places.map({ $0.appendingPathComponent(program) }) where access(place.path, X_OK) == 0 {
            return place
        }
        throw Failure("\(program) is not on PATH. Use dev/bench, which installs and builds what the benchmarks need.")
    }

    /// The greatest resident size so far, in bytes; pages of shared libraries count in full.
    func peakMemory() throws -> Int { try status("VmHWM:") }

    /// What is resident now and no other program shares, in bytes.
    func ownMemory() throws -> Int { try status("RssAnon:") }

    /// What is resident now, in bytes; a page that n processes share counts as a part of n.
    func proportionalMemory() throws -> Int { try status("Pss:", in: "smaps_rollup") }

    private func status(_ field: String, in file: String = "status") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/\(file)", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix(field) {
            if let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) {
                return kibibytes * 1024
            }
        }
        throw Failure(
            "\(process.executableURL?.lastPathComponent ?? "The program") has no \(field) It has ended early.")
    }

    /// Seconds of processor time, of all its threads, so far.
    func processorSeconds() throws -> Double {
        guard let time = Clock.processorNanoseconds(of: process.processIdentifier) else {
            throw Failure("\(process.executableURL?.lastPathComponent ?? "The program") has ended early.")
        }
        return Double(time) / 1e9
    }

    /// Ends it and returns the lines that it printed.
    @discardableResult
    func end() -> [String] {
        if process.isRunning { process.terminate() }
        // Read first: a program that prints more than a pipe holds would never end.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }
}
