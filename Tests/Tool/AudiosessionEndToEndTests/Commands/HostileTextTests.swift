import Foundation
import PipeWireRig
import TestAudio
import Testing

/// Untrusted text never controls the terminal: names of files and devices, tags, and words on the command line.
@Suite("audiosession and hostile text", .ownThread, .serialized)
struct HostileTextTests {
    /// Clears the screen, sets the title, breaks the line, and reverses the direction of writing.
    static let hostile = "evil\u{1B}[2J\u{1B}]0;title\u{07}\n\u{9B}31m\u{202E}\u{7F}"

    @Test(arguments: ["text", "json"])
    func fileNameAndTags_withEscapeSequences_areMadeHarmless(style: String) throws {
        let machine = try MachineWithoutServer()
        let path = try TestFile.write(
            .sine(hertz: 440), seconds: 0.1, format: .flac16, title: Self.hostile, artist: Self.hostile,
            named: Self.hostile + ".flac", in: machine.directory)
        let bad = try TestFile.notAudio(named: Self.hostile + ".mp3", in: machine.directory)
        let missing = machine.directory.path(Self.hostile)
        let run = try machine.run("play", path, bad, missing, "--host", "simulated", "--events", style)
        #expect(try run.waitForEnd() == .exited(1))
        expectHarmless(run)
        #expect(run.errors.split(separator: "\n").count == 2)
        if style == "json" {
            #expect(run.story.count == 5)
            #expect(try run.faults() == [])
        } else {
            #expect(run.lines.count == 3)
        }
        let demo = try machine.run("demo", path)
        #expect(try demo.waitForEnd() == .exited(0))
        expectHarmless(demo)
    }

    @Test func wordsOnTheCommandLine_withEscapeSequences_areMadeHarmless() throws {
        let machine = try MachineWithoutServer()
        for arguments in [
            [Self.hostile], ["play", "a.wav", "--host", Self.hostile], ["play", "a.wav", "--category", Self.hostile],
            ["play", "a.wav", "--\(Self.hostile)"], ["play", "a.wav", "--volume", Self.hostile],
            ["route", Self.hostile], ["play", "a.wav", "--host", "simulated", "--device", Self.hostile],
        ] {
            let run = try machine.run(arguments)
            let ending = try run.waitForEnd()
            #expect(ending == .exited(2) || ending == .exited(1))
            expectHarmless(run)
        }
        let run = try machine.run("route", host: Self.hostile)
        #expect(try run.waitForEnd() == .exited(1))
        expectHarmless(run)
    }

    /// Of a scene and of a dump that a stranger has sent.
    @Test func portsOfAScene_withEscapeSequences_areMadeHarmless() throws {
        let machine = try MachineWithoutServer()
        let name = Self.hostile.unicodeScalars.filter { $0 != "\n" }.reduce(into: "") { $0.unicodeScalars.append($1) }
        let scene = machine.directory.path("hostile.scene")
        try """
        scene 1
        title "\(name)"
        port "\(name)" output usbAudio
        plugged "\(name)"
        at 0s player plays
        at 1s program "\(name)" plays and unplug "\(name)"
        expect "\(name)" heard from 2s to 3s
        """.write(toFile: scene, atomically: true, encoding: .utf8)
        let props = ["media.class": "Audio/Sink", "node.name": name, "node.description": name]
        let dump = machine.directory.path("hostile.json")
        try JSONSerialization.data(withJSONObject: [["id": 1, "info": ["props": props]] as [String: Any]])
            .write(to: URL(fileURLWithPath: dump))
        for path in [scene, dump] {
            for options in [[], ["--json"], ["--print"]] {
                let run = try machine.run(["simulate", path] + options)
                _ = try run.waitForEnd()
                #expect(run.output.contains("evil"), "\(run.output) \(run.errors)")
                expectHarmless(run)
            }
        }
    }

    @Test func deviceName_withEscapeSequences_isMadeHarmless() throws {
        let machine = try TestMachine()
        let device = try machine.server.makeSink(
            name: "hostile", description: Self.hostile, formFactor: "headphone", bus: "usb", priority: 2000)
        try machine.server.waitUntilDefaultSink(is: "hostile")
        let path = try machine.tone(seconds: 0.2)
        for arguments in [
            ["route"], ["route", "--json"], ["play", path], ["play", path, "--events", "json"],
            ["play", path, "--device", "nobody"], ["doctor"],
        ] {
            let run = try ToolRun(arguments, environment: machine.environment)
            let ending = try run.waitForEnd()
            #expect(ending == .exited(arguments.contains("nobody") ? 1 : 0), "\(arguments): \(run.errors)")
            expectHarmless(run)
            if arguments != ["doctor"] { #expect((run.output + run.errors).contains("evil"), "\(arguments)") }
        }
        withExtendedLifetime(device) {}
    }

    private func expectHarmless(_ run: ToolRun, sourceLocation: SourceLocation = #_sourceLocation) {
        let harmful = (run.output + run.errors).unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        #expect(harmful.isEmpty, "\(harmful.map { $0.escaped(asASCII: true) })", sourceLocation: sourceLocation)
    }
}
