internal import AudioModel
internal import EngineCore
internal import Foundation
package import HostDiagnosis
internal import HostInterface
internal import HostPipeWire
internal import SessionRuntime
internal import SleepWatch
internal import Threading

/// What a client can find out about the sound server.
package struct ServerDiagnosis: Hashable, Sendable {
    package enum Server: Hashable, Sendable {
        /// "PipeWire 1.0.5".
        case reachable(String)
        /// The client library's message.
        case unreachable(String)
    }

    package typealias RealTime = PipeWireDiagnosis.RealTime

    /// "1.0.5"; nil in a build without PipeWire.
    package var clientLibrary: String?
    package var server: Server
    /// The client library finds its configuration, without which it connects to no server.
    package var hasClientConfiguration = true
    /// "WirePlumber 0.4.13"; nil if none is running.
    package var sessionManager: String?
    package var outputCount: Int
    /// Why audio may go on elsewhere after an unplug of the default output; nil if it cannot.
    package var defaultOutputCaveat: String?
    /// The name of the default output, if it takes no sound: its driver does not run.
    package var silentOutput: String?
    /// The priority of the data thread.
    package var realTime: RealTime
    /// Whether this client may create links itself, which "no frame on the speaker" requires.
    ///
    /// nil: unknown.
    package var mayLink: Bool?
    /// The smallest cycle that the server allows, in frames; nil: unknown.
    package var smallestQuantum: Int?
    /// Why voice processing is not there; nil if it is.
    package var voiceCaveat: String?
    /// Why sessions are not notified before the machine sleeps; nil if they are.
    package var sleepCaveat: String?
}

extension ServerDiagnosis {
    /// Connects to the sound server and asks it; takes a moment.
    package static func gather() -> ServerDiagnosis {
        let host = PipeWireHost(sleepBus: LogindSleep.Bus.system)
        defer { host.shutdown() }
        let inventory = Monitor<Inventory?>(nil)
        do throws(HostError) {
            try host.start { event in
                guard case .inventoryChanged(let ports, losses: _) = event else { return }
                inventory.update { $0 = ports }
            }
        } catch {
            return .unreachable(error.message)
        }
        inventory.wait(atMostSeconds: 3) { $0 == nil }
        let ports = inventory.withLock { $0 } ?? .empty
        let output = ports.defaultOutputUID.flatMap { uid in ports.outputs.first { $0.uid == uid } }
        let silentOutput = output.flatMap { takesSound($0, on: host) ? nil : $0.name }
        guard let diagnosis = host.diagnosis else { return .unreachable("the server stopped") }
        return ServerDiagnosis(
            clientLibrary: diagnosis.libraryVersion, server: .reachable("PipeWire \(diagnosis.serverVersion)"),
            sessionManager: diagnosis.sessionManager, outputCount: ports.outputs.count,
            defaultOutputCaveat: ports.defaultOutputUID.flatMap { host.unplugCaveat(ofPort: $0) },
            silentOutput: silentOutput, realTime: diagnosis.realTime, mayLink: diagnosis.mayLink,
            smallestQuantum: diagnosis.smallestQuantum, voiceCaveat: EchoCancellation.problem,
            sleepCaveat: diagnosis.sleepCaveat)
    }

    /// Plays silence there for a moment.
    ///
    /// - Returns: false where no cycle has begun within 3 s; true also where no stream can be linked, which is another fault.
    private static func takesSound(_ port: AudioModel.Port, on host: PipeWireHost) -> Bool {
        let engine = EngineRenderer(sampleRate: host.sampleRate, maximumFrames: 8192)
        do throws(HostError) {
            let stream = try host.openStream(
                StreamConfiguration(
                    id: StreamID(number: 1), title: "audiosession doctor", sampleRate: host.sampleRate, role: "Test",
                    renderer: engine.renderer))
            defer { withExtendedLifetime(engine) { stream.close() } }
            try stream.link(to: [port.uid])
            stream.start()
            for _ in 0..<300 where engine.lastCycle == nil { Thread.sleep(forTimeInterval: 0.01) }
            return engine.lastCycle != nil
        } catch {
            return true
        }
    }

    private static func unreachable(_ message: String) -> ServerDiagnosis {
        ServerDiagnosis(
            clientLibrary: PipeWireHost.libraryVersion, server: .unreachable(message),
            hasClientConfiguration: PipeWireHost.hasClientConfiguration, sessionManager: nil, outputCount: 0,
            realTime: .unknown, mayLink: nil)
    }
}
