import AudioModel
import AudioRuntime
import Dispatch
import Foundation
import HostInterface
import HostPipeWire
import OpenAVFAudio
import SessionCore
import Synchronization

/// The one file that reaches for the library's session and hosts.
enum Library {
    /// - Parameter host: nil leaves the choice to `AUDIOSESSION_HOST`, and to `auto` where that is not set.
    /// - Throws: `StudioError` when the host cannot be reached.
    static func openStudio(host: HostChoice?) throws(StudioError) -> any Studio {
        let environment = ProcessInfo.processInfo.environment
        let asked = try HostChoice.asked(by: host, environment: environment)
        // The library goes on with its standard table; a program can stop and say so.
        do {
            _ = try ForeignRoles(parsing: environment["AUDIOSESSION_ROLES"] ?? "")
        } catch {
            throw StudioError(code: "badParam", message: "AUDIOSESSION_ROLES: \(error.message)")
        }
        do {
            try AudioSessionHost.select(asked.audioSessionHost)
        } catch {
            throw StudioError(
                code: "unreachable",
                message: "\(error) Use --host simulated to go on without a sound server; nothing sounds then.")
        }
        return SessionStudio(session: AVAudioSession.sharedInstance())
    }

    /// What a client of the sound server can learn about it.
    ///
    /// Takes a moment: it connects.
    static func serverFacts() -> ServerFacts {
        let host = PipeWireHost()
        defer { host.shutdown() }
        let inventory = Mutex(Inventory.empty)
        let hasArrived = DispatchSemaphore(value: 0)
        do throws(HostError) {
            try host.start { event in
                guard case .inventoryChanged(let ports) = event else { return }
                inventory.withLock { $0 = ports }
                hasArrived.signal()
            }
        } catch {
            return ServerFacts(
                clientLibrary: PipeWireHost.libraryVersion, server: .unreachable(error.message), sessionManager: nil,
                outputCount: 0, realTime: .unknown, mayLink: nil)
        }
        _ = hasArrived.wait(timeout: .now() + 3)
        let ports = inventory.withLock { $0 }
        guard let diagnosis = host.diagnosis else {
            return ServerFacts(
                clientLibrary: PipeWireHost.libraryVersion, server: .unreachable("the server went away"),
                sessionManager: nil, outputCount: 0, realTime: .unknown, mayLink: nil)
        }
        return ServerFacts(
            clientLibrary: diagnosis.libraryVersion, server: .reachable("PipeWire \(diagnosis.serverVersion)"),
            sessionManager: diagnosis.sessionManager, outputCount: ports.outputs.count,
            defaultOutputCaveat: ports.defaultOutputUID.flatMap { host.promiseOff(portUID: $0) },
            realTime: diagnosis.dataThread.realTime, mayLink: diagnosis.mayLink,
            sleepCaveat: diagnosis.sleepWatch.caveat)
    }
}

extension HostChoice {
    fileprivate var audioSessionHost: AudioSessionHost {
        switch self {
        case .pipewire: .pipeWire
        case .simulated: .simulated
        case .auto: .automatic
        }
    }
}

extension PipeWireDiagnosis.DataThread {
    fileprivate var realTime: ServerFacts.RealTime {
        switch self {
        case .realtime(let priority): .granted(priority: priority)
        case .ordinary: .denied
        case .notSeen: .unknown
        }
    }
}

extension PipeWireDiagnosis.SleepWatch {
    fileprivate var caveat: String? { if case .off(let reason) = self { reason } else { nil } }
}
