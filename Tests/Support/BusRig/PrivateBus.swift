import CToolRun
import Foundation

/// A message bus of the test's own; ends with it.
public final class PrivateBus {
    public struct NotStarted: Error {}

    public let address: String
    private let daemon: Child
    private var isRunning = true

    public init() throws {
        daemon = try Child([
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:tmpdir=/tmp", "--print-address=1",
        ])
        // The daemon prints its address when it listens.
        let line = String(decoding: daemon.output.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !address.isEmpty else { throw NotStarted() }
    }

    deinit { stop() }

    /// As a crash of the bus.
    public func stop() {
        guard isRunning else { return }
        isRunning = false
        kill(daemon.id, SIGKILL)
        daemon.waitForEnd()
    }
}

/// A program that is looked for on the path, and its output.
///
/// Not Foundation's `Process`: its wait has once not ended while other tests waited for children of theirs.
private struct Child {
    let id: pid_t
    let output: FileHandle

    /// - Parameter variables: added to those of this process.
    init(_ words: [String], variables: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        guard oav_tool_pipe(&ends) == 0 else { throw PrivateBus.NotStarted() }
        defer { close(ends[1]) }
        output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let words = (["env"] + words).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + settings).forEach { free($0) } }
        id = oav_tool_spawn("/usr/bin/env", words, settings, [nothing, ends[1], nothing], nil)
        guard id > 0 else { throw PrivateBus.NotStarted() }
    }

    func waitForEnd() { while waitpid(id, nil, 0) < 0 && errno == EINTR {} }
}

extension PrivateBus {
    /// Runs playerctl on this bus, and waits for its end.
    ///
    /// - Returns: what it printed on the standard output, trimmed.
    public func playerctl(_ words: String...) throws -> String { try Self.playerctl(words, at: address) }

    /// As `playerctl(_:)`, on the bus with this address.
    public static func playerctl(_ words: [String], at address: String) throws -> String {
        try run(["playerctl"] + words, at: address)
    }

    /// Runs a program on the bus with this address, and waits for its end.
    public static func run(_ words: [String], at address: String) throws -> String {
        let child = try Child(words, variables: ["DBUS_SESSION_BUS_ADDRESS": address])
        let data = child.output.readDataToEndOfFile()
        child.waitForEnd()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
