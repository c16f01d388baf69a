import AudioModel
import AudioRuntime
import Dispatch
import HostInterface
import HostPipeWire
import OpenAVFAudio
import Synchronization

/// What a client can find out about the sound server.
struct ServerFacts: Hashable, Sendable {
    enum Server: Hashable, Sendable {
        /// "PipeWire 1.0.5".
        case reachable(String)
        /// The client library's message.
        case unreachable(String)
    }

    enum RealTime: Hashable, Sendable {
        case granted(priority: Int)
        case denied
        case unknown
    }

    /// "1.0.5"; nil in a build without PipeWire.
    var clientLibrary: String?
    var server: Server
    /// "WirePlumber 0.4.13"; nil if none is running.
    var sessionManager: String?
    var outputCount: Int
    /// Why audio may go on elsewhere after an unplug of the default output; nil if it cannot.
    var defaultOutputCaveat: String?
    /// The priority of the data thread.
    var realTime: RealTime
    /// Whether this client may create links itself, which "no frame on the speaker" requires.
    ///
    /// nil: unknown.
    var mayLink: Bool?
    /// Why sessions are not notified before the machine sleeps; nil if they are.
    var sleepCaveat: String?
}

extension ServerFacts {
    /// Connects to the sound server and asks it; takes a moment.
    static func gather() -> ServerFacts {
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
            return .unreachable(error.message)
        }
        _ = hasArrived.wait(timeout: .now() + 3)
        let ports = inventory.withLock { $0 }
        guard let diagnosis = host.diagnosis else { return .unreachable("the server stopped") }
        return ServerFacts(
            clientLibrary: diagnosis.libraryVersion, server: .reachable("PipeWire \(diagnosis.serverVersion)"),
            sessionManager: diagnosis.sessionManager, outputCount: ports.outputs.count,
            defaultOutputCaveat: ports.defaultOutputUID.flatMap { host.promiseOff(portUID: $0) },
            realTime: diagnosis.dataThread.realTime, mayLink: diagnosis.mayLink,
            sleepCaveat: diagnosis.sleepWatch.caveat)
    }

    private static func unreachable(_ message: String) -> ServerFacts {
        ServerFacts(
            clientLibrary: PipeWireHost.libraryVersion, server: .unreachable(message), sessionManager: nil,
            outputCount: 0, realTime: .unknown, mayLink: nil)
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
