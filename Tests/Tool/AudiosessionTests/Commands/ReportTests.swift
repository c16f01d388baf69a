import Foundation
import Testing

@testable import ProgramRuntime
@testable import SessionRuntime
@testable import audiosession

@Suite struct ReportTests {
    private let route = RouteReport(
        host: "pipewire", currentRoute: RouteFacts(outputs: [FakeBackend.headphones]),
        ports: PortInventory(entries: [
            .init(port: FakeBackend.headphones, isOutput: true, isDefault: true),
            .init(port: FakeBackend.speaker, isOutput: true, isDefault: false),
            .init(
                port: PortFacts(uid: "mic", name: "Mic\u{1B}", portType: "MicrophoneBuiltIn", channels: 1),
                isOutput: false, isDefault: true),
        ]))

    @Test func route_isATableWithTheRouteAndTheDefaultsMarked() {
        #expect(
            route.lines == [
                "Host: pipewire", "Route: Cans (Headphones)", "",
                "      DIRECTION  TYPE               NAME     CHANNELS  UID",
                ">  *  output     Headphones         Cans     2         sim.headphones",
                "      output     Speaker            Speaker  2         sim.speaker",
                "   *  input      MicrophoneBuiltIn  Mic\u{FFFD}     1         mic", "",
                "> current route   * default",
            ])
    }

    @Test func route_asJSON_carriesDirectionAndDefault() {
        var small = route
        small.ports.entries.removeLast(2)
        #expect(
            small.json.text
                == #"{"host":"pipewire","currentRoute":{"outputs":[{"uid":"sim.headphones","name":"Cans","#
                + #""portType":"Headphones","channels":2}],"inputs":[]},"ports":[{"uid":"sim.headphones","name":"Cans","#
                + #""portType":"Headphones","channels":2,"direction":"output","default":true}],"heldByGuard":[]}"#)
    }

    @Test func route_withAPortWithACaveat_saysWhy() {
        var report = route
        report.ports.entries[1].caveat = "Speaker is a virtual sink.\u{7}"
        #expect(
            report.lines.last
                == "Note: Speaker is a virtual output: when the device behind it is unplugged, sound may go on elsewhere. "
                + "A hardware output is safe.")
        #expect(report.json.text.contains(#""default":false,"caveat":"Speaker is a virtual sink.\u0007"}"#))
    }

    @Test func route_withSeveralPortsWithACaveat_hasOneNote() {
        var report = route
        for index in report.ports.entries.indices { report.ports.entries[index].caveat = "It is virtual." }
        #expect(report.lines.count { $0.hasPrefix("Note: ") } == 1)
        #expect(report.lines.last?.hasPrefix("Note: Cans, Speaker") == true)
        #expect(report.lines.last?.contains("are virtual outputs: ") == true)
    }

    @Test func route_withAVirtualMicrophone_hasNoNote() {
        var report = route
        for index in report.ports.entries.indices where !report.ports.entries[index].isOutput {
            report.ports.entries[index].caveat = "It is virtual."
        }
        #expect(report.ports.entries.contains { $0.caveat != nil })
        #expect(!report.lines.contains { $0.hasPrefix("Note: ") })
    }

    @Test func route_whileAGuardHoldsPrograms_namesThem() {
        var report = route
        report.heldByGuard = ["Held by guard: mpv, Cans left 12 s ago."]
        #expect(report.lines.last == "Held by guard: mpv, Cans left 12 s ago.")
        #expect(report.json.text.hasSuffix(#","heldByGuard":["Held by guard: mpv, Cans left 12 s ago."]}"#))
    }

    @Test func route_withAnEndlessName_staysATable() {
        var report = route
        report.ports.entries[0].port.name = String(repeating: "long", count: 15_000)
        report.ports.entries[1].port.uid = String(repeating: "uid", count: 15_000)
        #expect(report.lines.allSatisfy { $0.count < 300 })
        #expect(report.lines.contains { $0.contains("longlon…") } && report.lines.contains { $0.hasSuffix("uid…") })
        #expect(report.json.text.contains(report.ports.entries[0].port.name), "JSON leaves nothing out")
    }

    @Test func route_withoutPorts_saysSo() {
        let empty = RouteReport(host: "pipewire", currentRoute: RouteFacts(), ports: PortInventory(entries: []))
        #expect(
            empty.lines == [
                "Host: pipewire", "Route: no output", "",
                "No ports are connected. Run 'audiosession doctor' to find the reason.",
            ])
    }

    private let healthy = ServerDiagnosis(
        clientLibrary: "1.0.5", server: .reachable("PipeWire 1.0.5"), sessionManager: "WirePlumber 0.4.13",
        outputCount: 2, realTime: .granted(priority: 83), mayLink: true, smallestQuantum: 32)
    private let machine = EnvironmentFacts(
        runtimeDirectory: "/run/user/1", hasSocket: true, hasServerProgram: true, hasSessionManagerProgram: true,
        realTimeLimit: 95, openFileLimit: 1024, osRelease: "ID=debian\n")

    @Test func doctor_whereTheDefaultIsVirtual_warns() {
        var server = healthy
        server.defaultOutputCaveat = "Effects is a virtual sink."
        let diagnosis = Diagnosis(server: server, environment: machine)
        #expect(diagnosis.canPlay)
        #expect(diagnosis.checks.last?.verdict == .warning)
        #expect(diagnosis.checks.last?.finding == "Effects is a virtual sink.")
        #expect(diagnosis.checks.last?.remedy?.contains("audiosession play --device") == true)
    }

    @Test func doctor_whereTheDefaultTakesNoSound_saysWhatToDo() {
        var server = healthy
        server.silentOutput = "USB Headset"
        let diagnosis = Diagnosis(server: server, environment: machine)
        #expect(!diagnosis.canPlay)
        #expect(diagnosis.checks.last?.finding == "USB Headset takes no sound: it has begun no cycle for 3 s")
        #expect(diagnosis.checks.last?.remedy?.contains("systemctl --user restart pipewire") == true)
    }

    @Test func healthyMachine_canPlay() {
        let diagnosis = Diagnosis(server: healthy, environment: machine)
        #expect(diagnosis.canPlay)
        #expect(
            diagnosis.lines == [
                "ok  client library      libpipewire 1.0.5",
                "ok  open files          up to 1024",
                "ok  server              PipeWire 1.0.5",
                "ok  session manager     WirePlumber 0.4.13",
                "ok  outputs             2 outputs",
                "ok  real-time priority  granted, priority 83",
                "ok  output links        allowed: no audio reaches another output after an unplug",
                "ok  sleep               detected: sessions are interrupted before the machine sleeps",
                "ok  voice processing    available: PipeWire's echo canceller",
                "ok  guard               not running; it could pause other programs on an unplug: audiosession guard"
                    + " install",
                "ok  FFmpeg              installed",
                "ok  SoundTouch          installed",
                "ok  espeak-ng           installed",
                "ok  smallest quantum    32 frames",
                "", "Audio playback works.",
            ])
    }

    @Test func doctor_withoutTheEchoCanceller_namesItsPackage() throws {
        var server = healthy
        server.voiceCaveat = "The plugin cannot be loaded."
        let diagnosis = Diagnosis(server: server, environment: machine)
        let check = try #require(diagnosis.checks.first { $0.name == "voice processing" })
        #expect(check.verdict == .warning && diagnosis.canPlay)
        #expect(check.finding == "The plugin cannot be loaded.")
        #expect(check.remedy == "apt install libspa-0.2-modules")
    }

    /// PipeWire's own rule for virtual machines.
    @Test func doctor_whereTheServerAllowsLargeQuantaOnly_warnsOfTheJack() throws {
        var server = healthy
        server.smallestQuantum = 1024
        let diagnosis = Diagnosis(server: server, environment: machine)
        let check = try #require(diagnosis.checks.first { $0.name == "smallest quantum" })
        #expect(check.verdict == .warning && diagnosis.canPlay)
        #expect(check.finding.hasPrefix("1024 frames: "))
        #expect(check.remedy?.contains("vm.overrides") == true)
    }

    @Test func doctor_whileAGuardRuns_saysWhatItSays() {
        var machine = machine
        machine.guardStatus = ["The guard is running.", "Nothing is paused."]
        let check = Diagnosis(server: healthy, environment: machine).checks.first { $0.name == "guard" }
        #expect(check?.finding == "The guard is running. Nothing is paused.")
    }

    @Test func doctor_afterAGuardThatWasKilled_saysWhatItHasLeft() {
        var machine = machine
        machine.leftMutes = ["card/speaker"]
        let check = Diagnosis(server: healthy, environment: machine).checks.first { $0.name == "guard" }
        #expect(check?.verdict == .warning)
        #expect(check?.finding == "a guard was killed and has left this muted: card/speaker")
        #expect(check?.remedy == "audiosession guard repair")
    }

    @Test func problemReport_replacesNamesOfDevices_alwaysByTheSameWord() {
        var server = healthy
        server.defaultOutputCaveat = "Speaker is a virtual sink."
        let report = ProblemReport(
            system: "Debian", diagnosis: Diagnosis(server: server, environment: machine), ports: route.ports,
            route: RouteFacts(outputs: [FakeBackend.headphones]), trace: ["{}"], traceSeconds: 10)
        #expect(report.lines.contains("warning  default output: port-2 is a virtual sink."))
        #expect(report.lines.contains { $0.hasPrefix("port-1  output  Headphones") && $0.contains("in the route") })
        #expect(!report.lines.contains { $0.contains("Cans") || $0.contains("sim.headphones") })
        #expect(report.lines.suffix(2) == ["Trace of 10 s:", "{}"])
    }

    @Test func problemReport_withATraceThatHasMetTheSecondPortFirst_callsItThatInItsTableToo() {
        let pseudonyms = Pseudonyms()
        let inTheTrace = pseudonyms.word(for: FakeBackend.speaker.uid, kind: "port")
        let report = ProblemReport(
            system: "Debian", diagnosis: Diagnosis(server: healthy, environment: machine), ports: route.ports,
            trace: ["{\"uid\":\"\(inTheTrace)\"}"], traceSeconds: 10, pseudonyms: pseudonyms)
        #expect(report.lines.contains { $0.hasPrefix("port-1  output  Speaker") })
        #expect(report.lines.contains { $0.hasPrefix("port-2  output  Headphones") })
        #expect(report.lines.last == "{\"uid\":\"port-1\"}")
        #expect(pseudonyms.word(for: FakeBackend.speaker.uid, kind: "name") == "name-1")
    }

    @Test func librariesThatAreMissing_areWarningsWithOneCommandEach() {
        var facts = machine
        (facts.hasFFmpeg, facts.hasSoundTouch, facts.osRelease) = (false, false, "ID=fedora\n")
        facts.hasEspeakNG = false
        let diagnosis = Diagnosis(server: healthy, environment: facts)
        #expect(diagnosis.canPlay)
        #expect(
            diagnosis.checks.filter { $0.verdict == .warning }.map(\.remedy) == [
                "dnf install ffmpeg-free", "dnf install soundtouch", "dnf install espeak-ng",
            ])
    }

    @Test func warnings_doNotForbidPlaying() {
        var facts = healthy
        facts.realTime = .denied
        facts.mayLink = false
        facts.sleepCaveat = "no system bus"
        let diagnosis = Diagnosis(server: facts, environment: machine)
        #expect(diagnosis.canPlay)
        #expect(
            diagnosis.checks.filter { $0.verdict == .warning }.map(\.name) == [
                "real-time priority", "output links", "sleep",
            ])
        #expect(diagnosis.checks.allSatisfy { ($0.remedy == nil) == ($0.verdict == .ok) })
    }

    @Test(arguments: [
        (false, String?.none, false, "apt install pipewire wireplumber"), (true, nil, false, "set XDG_RUNTIME_DIR"),
        (true, "/run/user/1", true, "the socket exists, but no server answers"),
        (true, "/run/user/1", false, "systemctl --user start pipewire wireplumber"),
    ])
    func noServer_isMissingWithTheRemedyThatFits(
        isInstalled: Bool, directory: String?, hasSocket: Bool, remedy: String
    ) throws {
        var facts = healthy
        facts.server = .unreachable("Host is down")
        var machine = machine
        machine.hasServerProgram = isInstalled
        machine.runtimeDirectory = directory
        machine.hasSocket = hasSocket
        let diagnosis = Diagnosis(server: facts, environment: machine)
        let check = try #require(diagnosis.checks.first { $0.name == "server" })
        #expect(check.verdict == .missing)
        #expect(check.finding == "not reachable: Host is down")
        #expect(check.remedy?.hasPrefix(remedy) == true)
        #expect(!diagnosis.canPlay)
        #expect(
            diagnosis.lines.last == "Audio playback does not work here; the simulated host does (--host simulated).")
    }

    /// Each has one thing to do, which goes before what would not help.
    @Test func noServer_whereAnotherThingIsInTheWay_isMissingWithThatRemedy() throws {
        var facts = healthy
        facts.server = .unreachable("Host is down")
        func remedy(_ machine: EnvironmentFacts) throws -> String {
            let diagnosis = Diagnosis(server: facts, environment: machine)
            #expect(!diagnosis.canPlay)
            return try #require(diagnosis.checks.first { $0.name == "server" }?.remedy)
        }
        var machine = machine
        machine.hasServerProgram = false
        machine.socketOwner = "alice\u{1B}"
        #expect(
            try remedy(machine)
                == "the server's directory belongs to alice\u{FFFD}: run audiosession as that user, without sudo or su")
        machine.hasPulseAudio = true
        #expect(
            try remedy(machine)
                == "PulseAudio has the devices; have PipeWire take its place: apt install pipewire pipewire-pulse wireplumber"
                + " && systemctl --user mask --now pulseaudio.socket pulseaudio.service"
                + " && systemctl --user enable --now pipewire pipewire-pulse wireplumber")
        facts.hasClientConfiguration = false
        #expect(try remedy(machine) == "apt install pipewire; it has client.conf, which the client library needs")
    }

    @Test func noOutputs_wherePulseAudioRuns_haveThatReason() {
        var (server, machine) = (healthy, machine)
        (server.outputCount, machine.hasPulseAudio) = (0, true)
        let outputs = Diagnosis(server: server, environment: machine).checks.first { $0.name == "outputs" }
        #expect(outputs?.verdict == .missing)
        #expect(outputs?.remedy?.hasPrefix("PulseAudio has the devices") == true)
    }

    /// PipeWire's replacement writes the same file.
    @Test func pulseAudio_isToldFromItsReplacement() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pulse-\(getpid())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let folder = directory.appendingPathComponent("pulse")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(!EnvironmentFacts.isPulseAudioRunning(inDirectory: directory.path))
        for name in ["pipewire-pulse", "pulseaudio"] {
            // The kernel names a process by the file that it was started from.
            let program = directory.appendingPathComponent(name)
            try FileManager.default.createSymbolicLink(atPath: program.path, withDestinationPath: "/bin/cat")
            let (process, input, output) = (Process(), Pipe(), Pipe())
            (process.executableURL, process.standardInput, process.standardOutput) = (program, input, output)
            try process.run()
            defer { process.terminate() }
            // Before it answers, it may still be a copy of this process.
            input.fileHandleForWriting.write(Data("a".utf8))
            _ = try output.fileHandleForReading.read(upToCount: 1)
            try "\(process.processIdentifier)\n".write(
                to: folder.appendingPathComponent("pid"), atomically: true, encoding: .utf8)
            #expect(EnvironmentFacts.isPulseAudioRunning(inDirectory: directory.path) == (name == "pulseaudio"))
        }
        try "1x".write(to: folder.appendingPathComponent("pid"), atomically: true, encoding: .utf8)
        #expect(!EnvironmentFacts.isPulseAudioRunning(inDirectory: directory.path))
    }

    /// The server is there, and its socket too.
    @Test func tooFewOpenFiles_areMissing_andTheServerIsNotToBlame() {
        var machine = machine
        machine.openFileLimit = 24
        let reachable = Diagnosis(server: healthy, environment: machine)
        #expect(reachable.checks.filter { $0.verdict == .missing }.map(\.name) == ["open files"])
        #expect(!reachable.canPlay)
        var facts = healthy
        facts.server = .unreachable("too many open files")
        #expect(
            Diagnosis(server: facts, environment: machine).lines == [
                "ok       client library      libpipewire 1.0.5",
                "MISSING  open files          only 24 may be open at once; audiosession needs 64",
                "MISSING  server              not reachable: too many open files",
                "ok       real-time priority  granted, priority 83",
                "ok       FFmpeg              installed",
                "ok       SoundTouch          installed",
                "ok       espeak-ng           installed",
                "", "What to do:",
                "  open files: raise the limit: ulimit -n 1024 (where the shell refuses that, in a new login)",
                "  server: raise the limit of open files first, then check again: audiosession doctor",
                "", "Audio playback does not work here; the simulated host does (--host simulated).",
            ])
    }

    @Test(arguments: [0, 63])
    func tooFewOpenFiles_areNamedByTheError(limit: Int) {
        let error = #expect(throws: BackendError.self) { try ProcessLimit.openFiles.check(limit) }
        #expect(
            error?.message
                == "only \(limit) files may be open at once, and audiosession needs 64; raise the limit: ulimit -n 1024 "
                + "(where the shell refuses that, in a new login).")
        #expect(throws: Never.self) { try ProcessLimit.openFiles.check(64) }
    }

    @Test func tooLittleAddressSpace_isNamedByDoctorAndTheError() {
        var machine = machine
        machine.addressSpaceLimit = 300_000_000
        let missing = Diagnosis(server: healthy, environment: machine).checks.filter { $0.verdict == .missing }
        #expect(missing.map(\.name) == ["address space"])
        #expect(missing.first?.finding == "only 300 MB may be used; audiosession needs 1000 MB")
        let error = #expect(throws: BackendError.self) { try ProcessLimit.addressSpace.check(300_000_000) }
        #expect(
            error?.message
                == "only 300 MB of address space may be used, and audiosession needs 1000 MB; raise the limit: "
                + "ulimit -v unlimited (where the shell refuses that, in a new login).")
        #expect(throws: Never.self) { try ProcessLimit.addressSpace.check(1_000_000_000) }
    }

    @Test func missingParts_areEachNamed() {
        var facts = healthy
        facts.clientLibrary = nil
        facts.sessionManager = nil
        facts.outputCount = 0
        let diagnosis = Diagnosis(server: facts, environment: machine)
        #expect(
            diagnosis.checks.filter { $0.verdict == .missing }.map(\.name)
                == ["client library", "session manager", "outputs"])
    }

    @Test func diagnosis_asJSON_hasOneObjectACheck() {
        var facts = healthy
        facts.server = .unreachable("a \"b\"")
        let text = Diagnosis(server: facts, environment: machine).json.text
        #expect(text.hasPrefix(#"{"version":"\#(LibraryVersion.current)","canPlay":false,"checks":["#))
        #expect(
            text.contains(
                #"{"name":"server","verdict":"missing","finding":"not reachable: a \"b\"","#
                    + #""remedy":"the socket exists, but no server answers: systemctl --user restart pipewire"}"#))
        #expect(text.contains(#"{"name":"client library","verdict":"ok","finding":"libpipewire 1.0.5","remedy":null}"#))
    }
}
