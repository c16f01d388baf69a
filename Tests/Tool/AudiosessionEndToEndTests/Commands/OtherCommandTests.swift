import Foundation
import PipeWireRig
import SceneCore
import TestAudio
import Testing

/// The commands besides `play`.
@Suite("audiosession route, watch, doctor, demo", .ownThread, .serialized)
struct OtherCommandTests {
    @Test func route_onAPrivateServer_namesTheRouteAndEveryPort() throws {
        let machine = try TestMachine()
        let table = try machine.run("route")
        #expect(try table.waitForEnd() == .exited(0))
        #expect(table.lines.prefix(2) == ["Host: pipewire", "Route: USB Headset (Headphones)"])
        let headset = try #require(table.lines.first { $0.hasPrefix(">  *  output") })
        #expect(headset.contains("Headphones") && headset.contains("USB Headset"))
        #expect(table.lines.contains { $0.contains("output") && $0.contains("Speaker") && !$0.contains(">") })
        #expect(table.errors == "")

        let json = try machine.run("route", "--json")
        #expect(try json.waitForEnd() == .exited(0))
        #expect(json.lines.count == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(report["host"] as? String == "pipewire")
        let ports = try #require(report["ports"] as? [[String: Any]])
        #expect(Set(ports.compactMap { $0["name"] as? String }) == ["USB Headset", "Speaker"])
        #expect(ports.filter { $0["default"] as? Bool == true }.compactMap { $0["name"] as? String } == ["USB Headset"])
        #expect(ports.allSatisfy { $0["channels"] as? Int == 2 && $0["direction"] as? String == "output" })
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func watch_whileAPlugComesAndGoes_saysSoUntilASignal(signal: Int32) throws {
        let machine = try TestMachine()
        let run = try machine.run("watch", "--json")
        try run.wait(for: "started on pipewire, USB Headset")
        machine.pullHeadset()
        try run.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker")
        try machine.plugHeadset()
        try run.wait(for: "newDeviceAvailable: Speaker -> USB Headset")
        run.send(signal)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.story.count == 3)
        #expect(try run.faults() == [])
        #expect(run.errors == "")
    }

    @Test func doctor_onAPrivateServer_findsThatPlaybackWorks() throws {
        let machine = try TestMachine()
        let run = try machine.run("doctor")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines.last == "Audio playback works.")
        #expect(run.lines.contains { $0.hasPrefix("ok") && $0.contains("2 outputs") })
        #expect(!run.output.contains("MISSING"))
        let json = try machine.run("doctor", "--json")
        #expect(try json.waitForEnd() == .exited(0))
        let report = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(report?["canPlay"] as? Bool == true)
    }

    /// The commonest fault in the field: everything is there, and the driver of the output does not run.
    @Test func doctor_whoseDefaultOutputStands_namesIt() throws {
        let machine = try TestMachine()
        try machine.server.makeStillSink(
            name: "still", description: "Broken Headset", formFactor: "headphone", bus: "usb", priority: 5000)
        try machine.server.waitUntilDefaultSink(is: "still")
        let run = try machine.run("doctor")
        #expect(try run.waitForEnd() == .exited(1))
        let line = run.lines.first { $0.hasPrefix("MISSING  default output") }
        #expect(line?.contains("Broken Headset takes no sound") == true, "\(run.output)")
        #expect(run.output.contains("default output: connect it again"))
    }

    @Test func tooFewOpenFiles_areNamedByPlayAndDoctor_andNotTheServer() throws {
        let machine = try TestMachine()
        let path = try machine.tone(seconds: 1)
        for arguments in [["play", path], ["record", machine.directory.path("take.wav")], ["guard"], ["watch"]] {
            // With 5, Foundation's run loop cannot be made.
            for count in [5, 8, 24] {
                let run = try ToolRun(arguments, environment: machine.environment, after: "ulimit -n \(count)")
                #expect(try run.waitForEnd() == .exited(1), "\(arguments), \(count)")
                #expect(
                    run.errors
                        == "audiosession: only \(count) files may be open at once, and audiosession needs 64; raise the "
                        + "limit: ulimit -n 1024 (where the shell refuses that, in a new login).\n")
                #expect(run.output == "")
            }
        }
        // With 8, libpipewire cannot even be set up.
        for count in [8, 24] {
            let run = try ToolRun(["doctor"], environment: machine.environment, after: "ulimit -n \(count)")
            #expect(try run.waitForEnd() == .exited(1))
            #expect(run.lines.contains { $0.hasPrefix("MISSING  open files") && $0.contains("only \(count) ") })
            #expect(run.lines.contains { $0.contains("open files: raise the limit: ulimit -n 1024") })
            #expect(!run.output.contains("systemctl"), "\(run.output)")
        }
    }

    @Test func tooLittleAddressSpace_isNamedBeforeAnySound() throws {
        let machine = try TestMachine()
        let path = try machine.tone(seconds: 1)
        for arguments in [["play", path], ["record", machine.directory.path("take.wav")], ["guard"]] {
            let run = try ToolRun(arguments, environment: machine.environment, after: "ulimit -v 300000")
            #expect(try run.waitForEnd() == .exited(1), "\(arguments)")
            #expect(
                run.errors
                    == "audiosession: only 307 MB of address space may be used, and audiosession needs 1000 MB; raise the "
                    + "limit: ulimit -v unlimited (where the shell refuses that, in a new login).\n")
            #expect(run.output == "")
        }
    }

    /// A systemctl that refuses one of its verbs.
    @Test(arguments: [
        ("enable", "see: systemctl --user status audiosession-guard.service"),
        ("restart", "see: systemctl --user status audiosession-guard.service"),
    ])
    func guardInstall_thatSystemdRefuses_saysWhyAndExitsWith1(verb: String, next: String) throws {
        let machine = try MachineWithoutServer()
        let script = "#!/bin/sh\n[ $2 != \(verb) ] || { echo 'Failed: it has a bad setting.' >&2; exit 1; }\n"
        let systemctl = try TestFile.write(bytes: Array(script.utf8), named: "systemctl", in: machine.directory)
        #expect(chmod(systemctl, 0o755) == 0)
        var environment = machine.environment(host: nil)
        environment["PATH"] = "\(machine.directory.path):/usr/bin:/bin"
        let run = try ToolRun(["guard", "install"], environment: environment)
        #expect(try run.waitForEnd() == .exited(1))
        let unit = machine.directory.path(".config/systemd/user/audiosession-guard.service")
        #expect(
            run.errors
                == "audiosession: systemd did not start the guard of \(unit) (Failed: it has a bad setting.); \(next)\n"
        )
        #expect(run.output == "")
    }

    /// No systemctl on the path; where systemd runs all the same, that is told.
    @Test
    func guardInstall_withoutSystemd_writesAnAutostartEntry_thatUninstallRemoves() throws {
        let machine = try MachineWithoutServer()
        var environment = machine.environment(host: nil)
        environment["PATH"] = machine.directory.path
        let entry = machine.directory.path(".config/autostart/audiosession-guard.desktop")
        var run = try ToolRun(["guard", "install", "--exclude", "50% \"x\""], environment: environment)
        guard !FileManager.default.fileExists(atPath: "/run/systemd/system") else {
            #expect(try run.waitForEnd() == .exited(1))
            return #expect(run.errors.contains("log in again, then run: systemctl --user enable --now"))
        }
        #expect(try run.waitForEnd() == .exited(0), "\(run.errors)")
        #expect(
            run.lines == [
                "There is no systemd here. Wrote \(entry): the guard starts with every login to a desktop.",
                "To start it now: audiosession guard",
            ])
        let text = try String(contentsOfFile: entry, encoding: .utf8)
        #expect(text.contains(#"audiosession" "guard" "--exclude" "50%% \\"x\\""#), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: machine.directory.path(".config/systemd")))
        run = try ToolRun(["guard", "uninstall"], environment: environment)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines == ["Removed \(entry)."])
        #expect(!FileManager.default.fileExists(atPath: entry))
    }

    @Test func guardInstall_withALineBreakInAName_isRefusedBeforeTheUnitIsWritten() throws {
        let machine = try MachineWithoutServer()
        let run = try machine.run("guard", "install", "--exclude", "mpv\nExecStartPre=/bin/true")
        #expect(try run.waitForEnd() == .exited(2))
        #expect(run.errors.contains("--exclude was given 'mpv\u{FFFD}ExecStartPre=/bin/true', which has a line break"))
        #expect(!FileManager.default.fileExists(atPath: machine.directory.path(".config")))
    }

    @Test func doctor_withoutAServer_namesWhatToDoAndExitsWith1() throws {
        let run = try MachineWithoutServer().run("doctor")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.lines.contains { $0.hasPrefix("MISSING  server") })
        #expect(run.lines.contains("What to do:"))
        #expect(run.lines.last?.contains("playback does not work here") == true)
        #expect(run.errors == "")
    }

    /// As where the client library is installed alone; the server is not to blame.
    @Test func doctor_withoutAClientConfiguration_namesIt() throws {
        let machine = try TestMachine()
        let environment = machine.environment.merging(["PIPEWIRE_CONFIG_DIR": machine.directory.path]) { $1 }
        let run = try ToolRun(["doctor"], environment: environment)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.lines.contains { $0.hasPrefix("MISSING  server") && $0.contains("library finds no client.conf") })
        #expect(run.lines.contains { $0.hasPrefix("  server: ") && $0.contains("it has client.conf") })
    }

    @Test(arguments: AudioScene.wellKnownNames)
    func demo_ofEachScene_isAsExpectedWithAShortFile(scene: String) throws {
        let machine = try MachineWithoutServer()
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 0.5, in: machine.directory)
        let run = try machine.run("demo", path, "--scene", scene)
        #expect(try run.waitForEnd() == .exited(0), "\(run.output)")
        let verdict = try #require(run.lines.dropLast().last)
        #expect(verdict.hasSuffix(" expectations were met.") || verdict == "The expectation was met.", "\(run.output)")
        #expect(run.lines.contains { $0.contains("player 1") && $0.hasSuffix("plays") })
        #expect(run.lines.contains { $0.contains("|") && $0.hasSuffix(" frames") })
        #expect(run.errors == "")
    }

    @Test func demo_isOfTheHeadphonesThatLeave() throws {
        let machine = try MachineWithoutServer()
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 8, in: machine.directory)
        let run = try machine.run("demo", path)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines.contains { $0.hasPrefix("speaker") && $0.hasSuffix("| silent") })
        #expect(run.output.contains("paused because headphones left; will not resume by itself"))
        #expect(run.lines.last == "By hand, in real time: audiosession play --host simulated \(path)")
    }

    @Test func demo_ofAFileWithoutSound_saysSoAndExitsWith1() throws {
        let machine = try MachineWithoutServer()
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 0, in: machine.directory)
        let run = try machine.run("demo", path, "--scene", "call")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.output.contains("A file ended before the scene did: use one with sound."), "\(run.output)")
    }

    @Test func traceOfAnApp_isASceneThatGivesTheSameEvents() throws {
        let machine = try TestMachine()
        let path = machine.directory.path("app.scene")
        var environment = machine.environment
        environment["AUDIOSESSION_TRACE"] = path
        let app = try ToolRun(["play", machine.tone(seconds: 60), "--events", "json"], environment: environment)
        try app.wait(for: "playing (user) tone.wav")
        machine.pullHeadset()
        try app.wait(for: "oldDeviceUnavailable: USB Headset -> Speaker")
        app.send(SIGINT)
        _ = try app.waitForEnd()
        let scene = try AudioScene(text: String(contentsOfFile: path, encoding: .utf8))
        #expect(!scene.text.contains("headset"))
        let run = try MachineWithoutServer().run("simulate", path)
        #expect(try run.waitForEnd() == .exited(0), "\(scene.text)\n\(run.output)")
        #expect(run.output.contains("paused because port-"), "\(run.output)")
        #expect(run.lines.contains { $0.contains("changed (oldDeviceUnavailable)") })
    }

    @Test func report_hasTheVersionsThePortsAndATrace_withoutNamesOfDevices() throws {
        let machine = try TestMachine()
        let run = try machine.run("report", "--seconds", "0.2")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines.first?.hasPrefix("audiosession ") == true)
        #expect(run.lines.contains { $0.hasPrefix("port-") && $0.contains("output") && $0.contains("default") })
        #expect(run.lines.contains { $0.hasPrefix(#"{"trace""#) })
        #expect(run.lines.contains { $0.hasPrefix(#"{"session""#) })
        for name in ["USB Headset", "usb-headset"] { #expect(!run.output.contains(name), "\(run.output)") }
        #expect(run.errors.hasPrefix("Recording a trace"))
    }

    @Test func report_withoutAServer_hasWhatDoctorFinds() throws {
        let run = try MachineWithoutServer().run("report")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines.contains { $0.hasPrefix("missing  server: not reachable") })
        #expect(run.errors == "")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completions_areGenerated_withTheNamesOfDevices(shell: String) throws {
        let run = try MachineWithoutServer().run("--generate-completion-script", shell)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.output.contains("---completion"))
        #expect(run.errors == "")
    }

    @Test(arguments: [
        (["play", "--device"], ["Headphones", "Speaker"]), (["record", "--input"], ["Microphone"]),
    ])
    func completion_ofADevice_isWhatIsConnected(option: [String], names: [String]) throws {
        let words = [
            "---completion", option[0], "--", option[1], "3", "0", "audiosession", option[0], "x", option[1], "",
        ]
        let run = try MachineWithoutServer().run(words, host: "simulated")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.output.split(separator: "\n").map(String.init) == names)
        let nothing = try MachineWithoutServer().run(words)
        #expect(try nothing.waitForEnd() == .exited(0))
        #expect(nothing.errors == "")
    }

    /// The first word behind the dashes is a program in PATH; the others are files.
    @Test(arguments: [
        (["playerct"], ["playerctl", "playerctld"]),
        (["ls", "/usr/bin/playerct"], ["/usr/bin/playerctl", "/usr/bin/playerctld"]), (["ls", "playerct"], []),
    ])
    func completion_ofACommand_isAProgram(words: [String], found: [String]) throws {
        let line = ["audiosession", "focus", "--"] + words
        let place = ["\(line.count - 1)", "\(words.last?.utf8.count ?? 0)"]
        let run = try MachineWithoutServer().run(["---completion", "focus", "--", "positional@0"] + place + line)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.output.split(separator: "\n").map(String.init) == found)
        #expect(run.errors == "")
    }
}
