import AudioModel
import CRealtime
import HostInterface
import HostSimulated
import SimulatedControls
import Threading

/// A machine with a session that only writes down what it hears, and the renderers of its streams.
final class Bench: Sendable {
    let host: SimulatedHost
    private let heard = Monitor<[HostEvent]>([])
    private let probes = Monitor<[any Sendable]>([])

    convenience init(
        _ machine: SimulatedMachine = .phone, sampleRate: Int = 100, quantum: Int = 4, captureSeconds: Double = 60,
        appName: String = ""
    ) throws {
        try self.init(
            host: SimulatedHost(
                machine, sampleRate: sampleRate, quantum: quantum, captureSeconds: captureSeconds, appName: appName))
    }

    /// Another app's bench on the same machine.
    func anotherApp(named name: String) throws -> Bench { try Bench(host: host.anotherApp(named: name)) }

    init(host: SimulatedHost) throws {
        self.host = host
        try host.start { [unowned self] event in heard.withLock { $0.append(event) } }
    }

    /// The renderers die with the bench; after this the machine calls none of them.
    deinit { host.shutdown() }

    /// Lets a renderer live as long as the bench.
    func keep(_ probe: any Sendable) { probes.withLock { $0.append(probe) } }

    /// What was heard since the last call, in short words: uids without their prefix, a star at the defaults.
    func takeEvents() -> [String] {
        heard.withLock { events in
            defer { events = [] }
            return events.map(describe)
        }
    }

    func claim(_ number: UInt64 = 1, _ configuration: SessionConfiguration = SessionConfiguration()) {
        host.claim(SessionClaim(id: ClaimID(number: number), configuration: configuration))
    }

    func release(_ number: UInt64 = 1, notifyingOthers: Bool = false) {
        host.release(ClaimID(number: number), notifyingOthers: notifyingOthers)
    }

    func open(
        _ number: UInt64 = 1, sampleRate: Double? = nil, maximumFrames: Int = 8192,
        beforeVirtualCycle: (@Sendable () -> Void)? = nil, probe: Probe
    ) throws -> any HostStream {
        keep(probe)
        return try host.openStream(
            StreamConfiguration(
                id: StreamID(number: number), title: "test", sampleRate: sampleRate ?? host.sampleRate,
                maximumFrames: maximumFrames, renderer: probe.renderer, beforeVirtualCycle: beforeVirtualCycle))
    }

    /// A running stream that is linked to these devices' outputs.
    func play(_ number: UInt64 = 1, on devices: SimulatedDevice..., probe: Probe) throws -> any HostStream {
        let stream = try open(number, probe: probe)
        try stream.link(to: devices.compactMap(\.outputUID))
        stream.start()
        return stream
    }
}

func short(_ uid: String) -> String { uid.replacing("simulated.", with: "") }

func describe(_ event: HostEvent) -> String {
    switch event {
    case .inventoryChanged(let inventory, let losses):
        let names = inventory.ports.map { port in
            let isDefault = port.uid == inventory.defaultOutputUID || port.uid == inventory.defaultInputUID
            return short(port.uid) + (isDefault ? "*" : "")
        }
        let lost = losses.map { "lost \(short($0.portUID)) of \($0.stream.number), " }
        return lost.joined() + "ports " + names.joined(separator: " ")
    case .portLost(let loss): return "lost \(short(loss.portUID)) of \(loss.stream.number)"
    case .outputChosenByUser(let uid): return "chosen \(uid.map(short) ?? "none")"
    case .streamFailed(let id, let error): return "failed \(id.number) \(error)"
    case .connectionLost: return "lost"
    case .connectionRestored: return "restored"
    case .claimGranted(let id, _): return "granted \(id.number)"
    case .claimRefused(let id, let error): return "refused \(id.number) \(error)"
    case .streamHeld(let id): return "held \(id.number)"
    case .streamReleased(let id): return "released \(id.number)"
    case .peerChanged(let peer): return "peer \(peer.serial.number) \(peer.name)\(peer.isPlaying ? " plays" : "")"
    case .peerLeft(let serial, let notifiesOthers): return "left \(serial.number)\(notifiesOthers ? " notifying" : "")"
    case .foreignStreamsChanged(let streams):
        return (["foreign"] + streams.map { "\($0.id) \($0.role ?? "no role")" }).joined(separator: " ")
    case .sleepAnnounced: return "sleep"
    case .wokeFromSleep: return "woke"
    case .timeReached(let time): return "time \(time.seconds)"
    }
}

extension SimulatedDevice {
    /// For tests that name the port of a device with one output.
    var output: String { outputUID ?? "no output" }
}
