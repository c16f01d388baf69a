import AudioModel

/// What the facts mean, and what to do about it.
///
/// Pure.
struct Diagnosis: Hashable, Sendable {
    var checks: [Check]

    /// False when something that is needed is missing.
    var canPlay: Bool { !checks.contains { $0.verdict == .missing } }

    init(server: ServerFacts, environment: EnvironmentFacts) {
        checks = [Self.library(server)]
        checks.append(Self.server(server, environment))
        guard case .reachable = server.server else {
            checks.append(Self.realTime(server, environment))
            return
        }
        checks += [
            Self.sessionManager(server, environment), Self.outputs(server), Self.realTime(server, environment),
            Self.links(server), Self.sleep(server),
        ]
        if let caveat = server.defaultOutputCaveat { checks.append(Self.virtualOutput(caveat)) }
    }

    private static func library(_ facts: ServerFacts) -> Check {
        let name = "client library"
        if let version = facts.clientLibrary { return .ok(name, "libpipewire \(version.printable)") }
        return .missing(
            name, "this build has none, it plays on the simulated host only",
            remedy: "apt install libpipewire-0.3-dev pkg-config, then build again")
    }

    private static func server(_ facts: ServerFacts, _ environment: EnvironmentFacts) -> Check {
        let name = "server"
        switch facts.server {
        case .reachable(let server): return .ok(name, server.printable)
        case .unreachable(let words):
            let remedy =
                if !environment.hasServerProgram {
                    "apt install pipewire wireplumber, then log in again or: "
                        + "systemctl --user start pipewire wireplumber"
                } else if environment.runtimeDirectory == nil {
                    "set XDG_RUNTIME_DIR (usually /run/user/UID), which a login session does; "
                        + "without a login: loginctl enable-linger USER"
                } else if environment.hasSocket {
                    "a socket is there but nothing answers: systemctl --user restart pipewire"
                } else {
                    "systemctl --user start pipewire wireplumber"
                }
            return .missing(name, "not reachable: \(words.printable)", remedy: remedy)
        }
    }

    private static func sessionManager(_ facts: ServerFacts, _ environment: EnvironmentFacts) -> Check {
        let name = "session manager"
        if let manager = facts.sessionManager { return .ok(name, manager.printable) }
        return .missing(
            name, "none is connected: no device is opened and there is no default output",
            remedy: environment.hasSessionManagerProgram
                ? "systemctl --user start wireplumber"
                : "apt install wireplumber, then: systemctl --user start wireplumber")
    }

    private static func outputs(_ facts: ServerFacts) -> Check {
        let name = "outputs"
        switch facts.outputCount {
        case 0:
            return .missing(
                name, "none",
                remedy: "connect one, or see what the session manager sees: wpctl status (in the package wireplumber)")
        case 1: return .ok(name, "1 output")
        default: return .ok(name, "\(facts.outputCount) outputs")
        }
    }

    private static func realTime(_ facts: ServerFacts, _ environment: EnvironmentFacts) -> Check {
        let name = "real-time priority"
        let remedy =
            "apt install rtkit, or allow it in /etc/security/limits.d/audio.conf: @audio - rtprio 95, "
            + "join that group and log in again"
        switch facts.realTime {
        case .granted(let priority): return .ok(name, "granted, priority \(priority)")
        case .denied: return .warning(name, "not granted: sound may drop out under load", remedy: remedy)
        case .unknown:
            return environment.realTimeLimit > 0
                ? .ok(name, "allowed up to \(environment.realTimeLimit)")
                : .warning(name, "this user's limit is 0; only rtkit could grant it", remedy: remedy)
        }
    }

    private static func virtualOutput(_ caveat: String) -> Check {
        .warning(
            "default output", caveat.printable,
            remedy: "make a hardware output the default (wpctl status, then wpctl set-default ID), or name one "
                + "(audiosession route, then audiosession play --device UID)")
    }

    private static func sleep(_ facts: ServerFacts) -> Check {
        let name = "sleep"
        guard let caveat = facts.sleepCaveat else {
            return .ok(name, "announced: sessions are interrupted before the machine sleeps")
        }
        return .warning(
            name, "not watched: \(caveat.printable)",
            remedy: "on a machine that sleeps: apt install systemd libsystemd0, and see whether logind answers: "
                + "systemd-inhibit --list")
    }

    private static func links(_ facts: ServerFacts) -> Check {
        let name = "own links"
        switch facts.mayLink {
        case true?: return .ok(name, "allowed: nothing reaches another output when a device goes away")
        case nil: return .ok(name, "not tried")
        case false?:
            return .warning(
                name, "not allowed, as in a sandbox: the first frames after an unplug may reach another output",
                remedy: "run outside the sandbox, or give the client full access in the session manager's settings")
        }
    }
}
