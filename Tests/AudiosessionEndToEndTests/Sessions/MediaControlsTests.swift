import BusRig
import Foundation
import TestAudio
import Testing

/// `audiosession play` and playerctl, on a message bus of the test's own.
@Suite("audiosession and media controls", .ownThread, .serialized)
struct MediaControlsTests {
    private let machine: MachineWithoutServer
    private let bus: PrivateBus

    init() throws {
        machine = try MachineWithoutServer()
        bus = try PrivateBus()
    }

    private func playerctl(_ words: String...) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["playerctl"] + words
        process.environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/local/bin:/usr/bin:/bin"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func pauseAndPlayFromThere_areTheUsers() throws {
        let path = try TestFile.write(
            .quadrature(hertz: 440), seconds: 60, format: .flac16, title: "Tune", named: "tone.flac",
            in: machine.directory)
        var environment = machine.environment(host: "simulated")
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let run = try ToolRun(["play", path, "--events", "json"], environment: environment)
        try run.wait(for: "playing (user) tone.flac")
        // The program connects while it plays.
        var status = ""
        for _ in 1...500 where status != "Playing" { status = try playerctl("status") }
        #expect(status == "Playing")
        #expect(try playerctl("metadata", "xesam:title") == "Tune")
        _ = try playerctl("pause")
        try run.wait(for: "paused (user) tone.flac")
        let lines = run.lines.count
        _ = try playerctl("play")
        try run.wait(forLine: "playing again", from: lines) { $0.contains(#""state":"playing","cause":"user""#) }
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.errors == "")
    }
}
