import Foundation

/// A message bus of the test's own; ends with it.
public final class PrivateBus {
    public struct NotStarted: Error {}

    public let address: String
    private let daemon = Process()

    public init() throws {
        let output = Pipe()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        daemon.arguments = [
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:tmpdir=/tmp", "--print-address=1",
        ]
        daemon.standardOutput = output
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        // The daemon prints its address when it listens.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !address.isEmpty else { throw NotStarted() }
    }

    deinit { stop() }

    /// As a crash of the bus.
    public func stop() {
        guard daemon.isRunning else { return }
        kill(daemon.processIdentifier, SIGKILL)
        daemon.waitUntilExit()
    }
}

extension PrivateBus {
    /// Runs playerctl on this bus, and waits for its end.
    ///
    /// - Returns: what it printed on the standard output, trimmed.
    public func playerctl(_ words: String...) throws -> String { try Self.playerctl(words, at: address) }

    /// As `playerctl(_:)`, on the bus with this address.
    public static func playerctl(_ words: [String], at address: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["playerctl"] + words
        process.environment = ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/local/bin:/usr/bin:/bin"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
