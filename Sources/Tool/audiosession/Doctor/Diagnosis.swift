import ArgumentParser
import ProgramRuntime
import SessionRuntime

/// Checks the facts about the server and the machine, and says what to do.
///
/// Pure.
struct Diagnosis: Hashable, Sendable {
    var checks: [Check]

    /// False if a requirement is missing.
    var canPlay: Bool { !checks.contains { $0.verdict == .missing } }

    /// A sound server answers.
    var hasServer: Bool { checks.contains { $0.name == "server" && $0.verdict == .ok } }

    init(server: ServerDiagnosis, environment: EnvironmentFacts) {
        checks = [Self.library(server), Self.openFiles(environment)]
        if environment.addressSpaceLimit < ProcessLimit.addressSpace.needed {
            checks.append(Self.addressSpace(environment.addressSpaceLimit))
        }
        checks.append(Self.server(server, environment))
        let libraries = Self.optionalLibraries(environment)
        guard case .reachable = server.server else {
            checks += [Self.realTime(server, environment)] + libraries
            return
        }
        checks += [
            Self.sessionManager(server, environment), Self.outputs(server, environment),
            Self.realTime(server, environment), Self.links(server), Self.sleep(server), Self.voice(server),
            Self.guardCheck(server, environment),
        ]
        checks += libraries
        if let quantum = server.smallestQuantum { checks.append(Self.quantum(quantum)) }
        if let name = server.silentOutput { checks.append(Self.silentOutput(name)) }
        if let caveat = server.defaultOutputCaveat { checks.append(Self.virtualOutput(caveat)) }
    }

    private static func library(_ facts: ServerDiagnosis) -> Check {
        let name = "client library"
        if let version = facts.clientLibrary { return Check(name, .ok, "libpipewire \(version.printable)") }
        return Check(
            name, .missing, "this build has none; only the simulated host is available",
            remedy: "apt install libpipewire-0.3-dev pkg-config, then build again")
    }

    private static func optionalLibraries(_ environment: EnvironmentFacts) -> [Check] {
        func check(_ name: String, _ isInstalled: Bool, _ use: String, _ package: SystemPackage) -> Check {
            isInstalled
                ? Check(name, .ok, "installed")
                : Check(
                    name, .warning, "not installed: \(use)", remedy: environment.installCommand(package))
        }
        return [
            check("FFmpeg", environment.hasFFmpeg, "no M4A, AAC and Windows Media, and no addresses", .ffmpeg),
            check("SoundTouch", environment.hasSoundTouch, "no other speed than the file's", .soundTouch),
            check("espeak-ng", environment.hasEspeakNG, "apps of this library do not speak", .espeakNG),
        ]
    }

    private static func openFiles(_ environment: EnvironmentFacts) -> Check {
        let name = "open files"
        let limit = environment.openFileLimit
        let needed = ProcessLimit.openFiles.needed
        if limit >= needed { return Check(name, .ok, "up to \(limit)") }
        return Check(
            name, .missing, "only \(limit) may be open at once; audiosession needs \(needed)",
            remedy: ProcessLimit.openFiles.remedy)
    }

    private static func addressSpace(_ limit: Int) -> Check {
        Check(
            "address space", .missing, "only \(limit / 1_000_000) MB may be used; audiosession needs 1000 MB",
            remedy: ProcessLimit.addressSpace.remedy)
    }

    private static func server(_ facts: ServerDiagnosis, _ environment: EnvironmentFacts) -> Check {
        let name = "server"
        switch facts.server {
        case .reachable(let server): return Check(name, .ok, server.printable)
        case .unreachable(let words):
            let remedy =
                if environment.openFileLimit < ProcessLimit.openFiles.needed {
                    "raise the limit of open files first, then check again: audiosession doctor"
                } else if !facts.hasClientConfiguration {
                    environment.installCommand(.pipeWire) + "; it has client.conf, which the client library needs"
                } else if environment.hasPulseAudio {
                    environment.pulseAudioRemedy
                } else if let owner = environment.socketOwner {
                    "the server's directory belongs to \(owner.printable): run audiosession as that user, without sudo or su"
                } else if !environment.hasServerProgram {
                    environment.installCommand(.pipeWire, .wirePlumber) + ", then log in again or: "
                        + "systemctl --user start pipewire wireplumber"
                } else if environment.runtimeDirectory == nil {
                    "set XDG_RUNTIME_DIR (usually /run/user/UID), as a login session does; "
                        + "without a login: loginctl enable-linger USER"
                } else if environment.hasSocket {
                    "the socket exists, but no server answers: systemctl --user restart pipewire"
                } else {
                    "systemctl --user start pipewire wireplumber"
                }
            return Check(name, .missing, "not reachable: \(words.printable)", remedy: remedy)
        }
    }

    private static func sessionManager(_ facts: ServerDiagnosis, _ environment: EnvironmentFacts) -> Check {
        let name = "session manager"
        if let manager = facts.sessionManager { return Check(name, .ok, manager.printable) }
        return Check(
            name, .missing, "none is running: devices are not opened, and there is no default output",
            remedy: environment.hasSessionManagerProgram
                ? "systemctl --user start wireplumber"
                : environment.installCommand(.wirePlumber) + ", then: systemctl --user start wireplumber")
    }

    private static func outputs(_ facts: ServerDiagnosis, _ environment: EnvironmentFacts) -> Check {
        let name = "outputs"
        switch facts.outputCount {
        case 0:
            return Check(
                name, .missing, "none",
                remedy: environment.hasPulseAudio
                    ? environment.pulseAudioRemedy
                    : "connect one, or list what the session manager knows: wpctl status (package wireplumber)")
        case 1: return Check(name, .ok, "1 output")
        default: return Check(name, .ok, "\(facts.outputCount) outputs")
        }
    }

    private static func realTime(_ facts: ServerDiagnosis, _ environment: EnvironmentFacts) -> Check {
        let name = "real-time priority"
        let remedy =
            "\(environment.installCommand(.rtkit)), or allow it in /etc/security/limits.d/audio.conf: @audio - rtprio 95, "
            + "join that group and log in again"
        switch facts.realTime {
        case .granted(let priority): return Check(name, .ok, "granted, priority \(priority)")
        case .denied: return Check(name, .warning, "not granted: audio may drop out under load", remedy: remedy)
        case .unknown:
            return environment.realTimeLimit > 0
                ? Check(name, .ok, "allowed up to \(environment.realTimeLimit)")
                : Check(name, .warning, "this user's limit is 0; only rtkit can grant it", remedy: remedy)
        }
    }

    private static func silentOutput(_ name: String) -> Check {
        Check(
            "default output", .missing, "\(name.printable) takes no sound: it has begun no cycle for 3 s",
            remedy: "connect it again, make another output the default (wpctl status, then wpctl set-default ID), "
                + "or start the server again: systemctl --user restart pipewire wireplumber")
    }

    private static func virtualOutput(_ caveat: String) -> Check {
        Check(
            "default output", .warning, caveat.printable,
            remedy: "make a hardware output the default (wpctl status, then wpctl set-default ID), or choose one "
                + "(audiosession route, then audiosession play --device UID)")
    }

    private static func sleep(_ facts: ServerDiagnosis) -> Check {
        let name = "sleep"
        guard let caveat = facts.sleepCaveat else {
            return Check(name, .ok, "detected: sessions are interrupted before the machine sleeps")
        }
        return Check(
            name, .warning, "not detected: \(caveat.printable)",
            remedy: "if this machine sleeps: apt install systemd libsystemd0, then check that logind answers: "
                + "systemd-inhibit --list")
    }

    private static func voice(_ facts: ServerDiagnosis) -> Check {
        let name = "voice processing"
        guard let caveat = facts.voiceCaveat else { return Check(name, .ok, "available: PipeWire's echo canceller") }
        return Check(name, .warning, caveat.printable, remedy: "apt install libspa-0.2-modules")
    }

    /// Two quanta at most are heard on a card's speaker after the pull of its jack.
    private static func quantum(_ frames: Int) -> Check {
        let name = "smallest quantum"
        /// What a player on a jack beside a speaker asks for.
        let wanted = 256
        if frames <= wanted { return Check(name, .ok, "\(frames) frames") }
        return Check(
            name, .warning,
            "\(frames) frames: up to twice as many may be heard on the speaker after the pull of a jack of the same card",
            remedy:
                "set default.clock.min-quantum = \(wanted) in pipewire.conf; PipeWire raises it in a virtual machine, "
                + "by vm.overrides there (since 1.2 by context.properties.rules); then: "
                + "systemctl --user restart pipewire")
    }

    /// Other programs play on after an unplug unless a guard runs.
    private static func guardCheck(_ facts: ServerDiagnosis, _ environment: EnvironmentFacts) -> Check {
        let name = "guard"
        if let status = environment.guardStatus {
            return Check(name, .ok, status.joined(separator: " ").printable)
        }
        guard environment.leftMutes.isEmpty else {
            let ports = environment.leftMutes.sorted().map(\.printable).joined(separator: ", ")
            return Check(
                name, .warning, "a guard was killed and has left this muted: \(ports)",
                remedy: "audiosession guard repair")
        }
        guard facts.sessionManager?.hasPrefix("WirePlumber") == true else {
            return Check(name, .ok, "not running; it needs WirePlumber as session manager")
        }
        return Check(name, .ok, "not running; it could pause other programs on an unplug: audiosession guard install")
    }

    private static func links(_ facts: ServerDiagnosis) -> Check {
        let name = "output links"
        switch facts.mayLink {
        case true?: return Check(name, .ok, "allowed: no audio reaches another output after an unplug")
        case nil: return Check(name, .ok, "not checked")
        case false?:
            return Check(
                name, .warning, "not allowed (sandbox): the first frames after an unplug may reach another output",
                remedy: "run outside the sandbox, or give the client full access in the session manager's settings")
        }
    }
}

// MARK: Report

extension Diagnosis {
    /// For people: a table, then the remedies.
    var lines: [String] {
        let table = Table(
            rows: checks.map { [$0.verdict == .missing ? "MISSING" : $0.verdict.rawValue, $0.name, $0.finding] })
        let remedies = checks.compactMap { check in check.remedy.map { "\(check.name): \($0)" } }
        let verdict =
            canPlay
            ? "Audio playback works." : "Audio playback does not work here; the simulated host does (--host simulated)."
        return table.lines + (remedies.isEmpty ? [] : ["", "What to do:"] + remedies.map { "  " + $0 }) + ["", verdict]
    }

    var json: JSONValue {
        .fields([
            "version": .string(LibraryVersion.current), "canPlay": .bool(canPlay),
            "checks": .array(
                checks.map { check in
                    .fields([
                        "name": .string(check.name), "verdict": .string(check.verdict.rawValue),
                        "finding": .string(check.finding), "remedy": check.remedy.map { .string($0) } ?? .null,
                    ])
                }),
        ])
    }
}

/// One check of the diagnosis.
struct Check: Hashable, Sendable {
    enum Verdict: String, Hashable, Sendable {
        case ok
        /// It works, but with a limit.
        case warning
        /// Playback does not work without it.
        case missing
    }

    var name: String
    var verdict: Verdict
    var finding: String
    /// What to do; nil if there is nothing to do.
    var remedy: String?

    init(_ name: String, _ verdict: Verdict, _ finding: String, remedy: String? = nil) {
        (self.name, self.verdict, self.finding, self.remedy) = (name, verdict, finding, remedy)
    }
}

/// `audiosession doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether audio playback works here, and report what is missing.",
        discussion: "The exit status is 1 if a requirement is missing. Warnings do not change it.")

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func run() throws {
        let diagnosis = Diagnosis(server: ServerDiagnosis.gather(), environment: .gather())
        try DescriptorOutput.print(json ? [diagnosis.json.text] : diagnosis.lines)
        if !diagnosis.canPlay { throw ExitCode(1) }
    }
}
