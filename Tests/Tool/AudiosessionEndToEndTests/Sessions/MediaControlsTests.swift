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

    /// FFmpeg, which would read it too, takes more memory than the program.
    @Test(arguments: [("flac", "flac"), ("mp3", "libmp3lame")])
    func pictureOfAFile_isShown_withoutFFmpeg(ending: String, codec: String) throws {
        let picture = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
                    + "rkJggg=="))
        let path = try EncodedFile.writeTagged(
            ["title": "Tune"], picture: picture, codec: codec, ending: ending, in: machine.directory)
        var environment = machine.environment(host: "simulated")
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let run = try ToolRun(["play", path, "--loop", "--events", "json"], environment: environment)
        try run.wait(for: "playing (user) \(URL(filePath: path).lastPathComponent)")
        var address = ""
        for _ in 1...500 where address.isEmpty { address = try bus.playerctl("metadata", "mpris:artUrl") }
        let url = try #require(URL(string: address))
        #expect(try Data(contentsOf: url) == picture)
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/\(run.processID)/maps")?.readToEnd())
        #expect(maps.contains("libsndfile".utf8) && !maps.contains("libavformat".utf8))
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(run.errors == "")
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func loopShuffleAndThePictureBesideTheFile_areShownAndChanged() throws {
        let paths = try ["a.flac", "b.flac"].map {
            try TestFile.write(.quadrature(hertz: 440), seconds: 60, format: .flac16, named: $0, in: machine.directory)
        }
        let picture = Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3])
        try picture.write(to: URL(fileURLWithPath: machine.directory.path("Cover.JPG")))
        var environment = machine.environment(host: "simulated")
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let run = try ToolRun(["play"] + paths + ["--events", "json"], environment: environment)
        try run.wait(for: "playing (user) a.flac")
        var url = ""
        for _ in 1...500 where url.isEmpty { url = try bus.playerctl("metadata", "mpris:artUrl") }
        #expect(try Data(contentsOf: #require(URL(string: url))) == picture)
        func expect(_ question: [String], _ answer: String) throws {
            var found = ""
            for _ in 1...500 where found != answer { found = try PrivateBus.playerctl(question, at: bus.address) }
            #expect(found == answer)
        }
        try expect(["loop"], "None")
        _ = try bus.playerctl("loop", "Playlist")
        try expect(["loop"], "Playlist")
        try expect(["shuffle"], "Off")
        _ = try bus.playerctl("shuffle", "On")
        try expect(["shuffle"], "On")
        run.send(SIGTERM)
        #expect(try run.waitForEnd() == .exited(0))
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
        for _ in 1...500 where status != "Playing" { status = try bus.playerctl("status") }
        #expect(status == "Playing")
        #expect(try bus.playerctl("metadata", "xesam:title") == "Tune")
        _ = try bus.playerctl("pause")
        try run.wait(for: "paused (user) tone.flac")
        let lines = run.lines.count
        _ = try bus.playerctl("play")
        try run.wait(forLine: "playing again", from: lines) { $0.contains(#""state":"playing","cause":"user""#) }
        run.send(SIGINT)
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(run.errors == "")
    }
}
