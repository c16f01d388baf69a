internal import AudioModel
internal import Foundation
internal import HostInterface
internal import HostPipeWire
internal import HostSimulated
internal import SessionCore

/// The one file that picks a host.
struct DefaultHost: Sendable {
    var environment = SessionEnvironment()
    /// Connects to a host of that kind, for a session that begins as this machine.
    var connect: @Sendable (HostKind, SessionMachine) throws(HostError) -> SessionRuntime = Self.connect
    /// Tells the person at the terminal, in one line.
    var say: @Sendable (String) -> Void = { line in
        FileHandle.standardError.write(Data("OpenAVFAudio: \(line)\n".utf8))
    }

    /// The process that the environment asks for.
    ///
    /// Where that host cannot be had, one whose every activation fails: `sharedInstance()` cannot throw, and to play to
    /// nobody instead would be a lie.
    func process() -> SessionRuntime {
        let host = hostFromEnvironment()
        do {
            return try process(on: host)
        } catch {
            let text =
                "\(error.message) Set \(SessionEnvironment.hostVariable)=simulated to go on without a sound server; "
                + "nothing sounds then."
            say(text)
            return unreachableProcess(host == .simulated ? .simulated : .pipeWire, because: text)
        }
    }

    /// - Throws: `unavailable`.
    func process(on host: AudioSessionHost) throws(AudioSessionHostError) -> SessionRuntime {
        let machine = machineFromEnvironment()
        do {
            switch host {
            case .pipeWire: return try connect(.pipeWire, machine)
            case .simulated: return try connect(.simulated, machine)
            case .automatic: return try automaticProcess(machine)
            }
        } catch {
            throw AudioSessionHostError(
                .unavailable,
                "The host \"\(host.rawValue)\" cannot be had: \(error.message)")
        }
    }

    private func automaticProcess(_ machine: SessionMachine) throws(HostError) -> SessionRuntime {
        do {
            return try connect(.pipeWire, machine)
        } catch {
            say("PipeWire cannot be had: \(error.message) Using the simulated host; nothing sounds.")
            return try connect(.simulated, machine)
        }
    }

    private func unreachableProcess(_ kind: HostKind, because text: String) -> SessionRuntime {
        do {
            return try SessionRuntime(host: UnreachableHost(kind: kind, because: text))
        } catch {
            preconditionFailure("a host without a connection failed to start: \(error)")
        }
    }

    private func hostFromEnvironment() -> AudioSessionHost {
        let word = environment.hostWord
        if word.isEmpty { return .automatic }
        if let host = AudioSessionHost(rawValue: word) { return host }
        let allowed = AudioSessionHost.allCases.map(\.rawValue).joined(separator: ", ")
        say(
            "\(SessionEnvironment.hostVariable) is \"\(word.printable)\", which is none of: \(allowed). "
                + "Going on with auto.")
        return .automatic
    }

    private func machineFromEnvironment() -> SessionMachine {
        SessionMachine(roles: rolesFromEnvironment(), multiRouteSpeaker: speakerFromEnvironment())
    }

    private func rolesFromEnvironment() -> ForeignRoles {
        do {
            return try environment.roles()
        } catch {
            say("\(SessionEnvironment.rolesVariable): \(error.message) Going on with the standard table.")
            return .standard
        }
    }

    private func speakerFromEnvironment() -> MultiRouteSpeaker {
        do {
            return try environment.multiRouteSpeaker()
        } catch {
            say("\(error.message) Going on with \(MultiRouteSpeaker.onlyWhenAlone).")
            return .onlyWhenAlone
        }
    }

    /// The only place where hosts are made.
    @Sendable private static func connect(
        _ kind: HostKind, _ machine: SessionMachine
    ) throws(HostError) -> SessionRuntime {
        switch kind {
        case .pipeWire: try SessionRuntime(host: PipeWireHost(), machine: machine)
        case .simulated: try SessionRuntime(host: SimulatedHost(), machine: machine)
        }
    }
}
