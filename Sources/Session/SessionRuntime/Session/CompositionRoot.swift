package import AudioModel
internal import Foundation
internal import HostSimulated
internal import SessionCore

#if os(Linux)
    internal import HostPipeWire
    internal import SleepWatch
#endif

/// Which host a program asks for.
package enum HostChoice: String, CaseIterable, Sendable {
    /// PipeWire where a server answers, else the simulated host.
    case automatic = "auto"
    case pipeWire = "pipewire"
    case simulated
}

/// What a session runtime connects to.
package enum HostConnection: Hashable, Sendable {
    case pipeWire
    /// A simulated phone in real time.
    case simulated
    /// In place of a server that is not running: a simulated speaker in real time, so that an app's sounds end. It has no
    /// microphone: an app that records gets an error, not silence.
    case standIn
}

/// Makes the host of a program's session and joins the two, as the environment and the program ask.
///
/// Hosts without a session are made where they are used: `ServerDiagnosis` asks one. `AudioSimulator` of the test kit brings
/// its own.
package struct CompositionRoot: Sendable {
    var environment: SessionEnvironment
    /// Connects a session that begins as this machine and has these recorders.
    var connect: Connect = Self.connect
    /// Tells the person at the terminal, in one line.
    var say: @Sendable (String) -> Void = { line in
        FileHandle.standardError.write(Data("OpenAVFAudio: \(line)\n".utf8))
    }

    typealias Connect =
        @Sendable (HostConnection, SessionMachine, [any SessionRecorder]) throws(HostError) -> SessionRuntime

    /// The session runtime that the environment asks for.
    ///
    /// Where that host is unavailable, every activation of the runtime fails: `sharedInstance()` cannot throw, and a
    /// simulated host in its place would only pretend to play.
    package func runtime() -> SessionRuntime {
        let settings = settings(host: nil)
        let host = settings.host ?? .automatic
        do {
            return try runtime(on: host, settings)
        } catch {
            let text =
                "\(error.message) Set \(SessionEnvironment.hostVariable)=simulated to go on without a sound server; "
                + "there is no audio output then."
            say(text)
            return unreachableRuntime(host == .automatic ? .pipeWire : host, because: text, recorders(settings))
        }
    }

    /// - Throws: why the host is unavailable, naming it.
    package func runtime(on host: HostChoice) throws(HostError) -> SessionRuntime {
        try runtime(on: host, settings(host: host))
    }

    private func runtime(
        on host: HostChoice, _ settings: SessionEnvironment.Settings
    ) throws(HostError) -> SessionRuntime {
        let machine = SessionMachine(roles: settings.roles, multiRouteSpeaker: settings.multiRouteSpeaker)
        let recorders = recorders(settings)
        do throws(HostError) {
            switch host {
            case .pipeWire: return try connect(.pipeWire, machine, recorders)
            case .simulated: return try connect(.simulated, machine, recorders)
            case .automatic: return try automaticRuntime(machine, recorders)
            }
        } catch {
            throw .unreachable("The host \"\(host.rawValue)\" is unavailable: \(error.message)")
        }
    }

    private func automaticRuntime(
        _ machine: SessionMachine, _ recorders: [any SessionRecorder]
    ) throws(HostError) -> SessionRuntime {
        do {
            return try connect(.pipeWire, machine, recorders)
        } catch {
            say(
                "PipeWire is unavailable: \(error.message) Using a simulated speaker; there is no audio output, and nothing can "
                    + "be recorded.")
            return try connect(.standIn, machine, recorders)
        }
    }

    private func unreachableRuntime(
        _ host: HostChoice, because text: String, _ recorders: [any SessionRecorder]
    ) -> SessionRuntime {
        do {
            return try SessionRuntime(
                host: UnreachableHost(name: host.rawValue, because: text), recorders: recorders)
        } catch {
            programmerError("a host without a connection failed to start: \(error)")
        }
    }

    private func recorders(_ settings: SessionEnvironment.Settings) -> [any SessionRecorder] {
        settings.trace.map { [SessionTrace($0, say: say)] } ?? []
    }

    /// An app goes on with the defaults where a variable is invalid.
    private func settings(host: HostChoice?) -> SessionEnvironment.Settings {
        environment.settings(host: host) { error, fallback in say("\(error.message) Going on with \(fallback).") }
    }

    @Sendable private static func connect(
        _ connection: HostConnection, _ machine: SessionMachine, _ recorders: [any SessionRecorder]
    ) throws(HostError) -> SessionRuntime {
        switch connection {
        case .pipeWire:
            #if os(Linux)
                let host = PipeWireHost(sleepBus: LogindSleep.Bus.system)
                return try SessionRuntime(host: host, machine: machine, recorders: recorders)
            #else
                throw .unreachable("PipeWire is a server of Linux.")
            #endif
        case .simulated, .standIn:
            let host = SimulatedHost(silent: connection == .simulated ? .phone : .speaker)
            let runtime = try SessionRuntime(host: host, machine: machine, recorders: recorders)
            guard host.runInRealTime() else {
                runtime.shutdown()
                throw .refused("The system has no thread for the simulated host. End other programs, and try again.")
            }
            return runtime
        }
    }
}

extension CompositionRoot {
    package init() { self.init(environment: SessionEnvironment()) }
}
