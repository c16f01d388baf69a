import AudioModel
import GuardCore
import GuardRuntime
import HostSimulated
import SimulatedControls

/// What the guards of one simulated machine have on its server: their claims, and the sinks of the one that has it.
final class SimulatedGuardServer {
    fileprivate struct Guard {
        let host: SimulatedGuardHost
        var rival: GuardRival
    }

    fileprivate var guards: [Guard] = []
    fileprivate var catchPriority: Int?
    /// What its user has chosen in a mixer.
    var configured: String?
    /// The default has left, and the catch is what the session manager has chosen.
    fileprivate var hasCaught = false
    /// The claims of those who hold, by their streams.
    fileprivate var holders: [UInt64: UInt64] = [:]
    private var nextClaim: UInt64 = 1

    fileprivate func add(_ host: SimulatedGuardHost) {
        let rival = GuardRival(serial: nextClaim, name: "guard", purpose: host.purpose)
        nextClaim += 1
        for old in guards { old.host.tell(.rivalChanged(rival)) }
        tellGuards(to: host)
        guards.append(Guard(host: host, rival: rival))
        host.tell(.granted(serial: rival.serial))
    }

    fileprivate func claim(of host: SimulatedGuardHost) -> UInt64 {
        guards.first { $0.host === host }?.rival.serial ?? 0
    }

    /// A guard says something else of itself, and the others act on it.
    fileprivate func change(_ host: SimulatedGuardHost, _ body: (inout GuardRival) -> Void) {
        guard let index = guards.firstIndex(where: { $0.host === host }) else { return }
        let old = guards[index].rival
        body(&guards[index].rival)
        let new = guards[index].rival
        guard new != old else { return }
        for other in guards.map(\.host) where other !== host {
            other.tell(.rivalChanged(new))
            other.settle()
        }
    }

    fileprivate func tellGuards(to host: SimulatedGuardHost) {
        for old in guards { host.tell(.rivalChanged(old.rival)) }
    }

    fileprivate func remove(_ host: SimulatedGuardHost) {
        guard let index = guards.firstIndex(where: { $0.host === host }) else { return }
        let claim = guards.remove(at: index).rival.serial
        if index == 0 { (catchPriority, hasCaught) = (nil, false) }
        holders = holders.filter { $0.value != claim }
        for other in guards { other.host.tell(.rivalLeft(serial: claim)) }
    }
}

/// A simulated machine as the guard sees it: its outputs, and its programs that know nothing of sessions.
///
/// Programs play on the default output unless they are held, as a session manager has it. What the guard is told waits
/// for `settle`, as a server's news does. One thread.
final class SimulatedGuardHost: GuardHost, @unchecked Sendable {
    private let machine: SimulatedHost
    private var deliver: (@Sendable (GuardFact) -> Void)?
    private var events: [HostEvent] = []
    private var inventory = Inventory()
    let server: SimulatedGuardServer
    private let isObserving: Bool
    fileprivate let purpose: GuardRival.Purpose
    private var streams: [UInt64: ForeignStream] = [:]
    private var told: [UInt64: ProgramStream] = [:]
    /// Where each program has sounded, by its name, without repetition.
    private(set) var heard: [String: [String]] = [:]

    /// - Parameter isObserving: it claims nothing.
    init(
        _ host: SimulatedHost, server: SimulatedGuardServer = SimulatedGuardServer(), isObserving: Bool = false,
        purpose: GuardRival.Purpose = .guarding
    ) {
        self.purpose = purpose
        machine = host.anotherApp(named: "guard")
        self.server = server
        self.isObserving = isObserving
    }

    // MARK: GuardHost

    func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError) {
        self.deliver = deliver
        try machine.start { [weak self] event in self?.events.append(event) }
        if isObserving { server.tellGuards(to: self) } else { server.add(self) }
        settle()
    }

    func perform<R>(_ body: () -> R) -> R { body() }

    func now() -> HostTime { machine.now() }

    func shutdown() {
        server.remove(self)
        machine.shutdown()
    }

    func apply(_ command: GuardCommand) {
        switch command {
        case .takeServer: (told, toldDefault) = ([:], nil)
        case .setCatch(let priority):
            server.catchPriority = priority
            if priority == nil { server.hasCaught = false }
        case .hold(let id, _): server.holders[id] = server.claim(of: self)
        case .release(let id, _): server.holders[id] = nil
        case .announceHandover(let holds):
            let handover = GuardHandover(sink: "hold.\(server.claim(of: self))", holds: holds)
            server.change(self) { $0.purpose = .leaving(handover) }
        case .acknowledge(let claims): server.change(self) { $0.obeyed = Set(claims) }
        // Its cards remember nothing, no link is forgotten, and it has no ducking sink.
        case .giveMicrophone, .switchPort, .cutStrays, .duck, .openDuck, .linkDuck, .fadeDuck, .closeDuck, .claimFocus:
            break
        case .configureSink(let sink):
            server.configured = sink
            settle()
        case .wake(let time): if let time { machine.wake(at: time) }
        }
    }

    // MARK: The machine's news

    fileprivate func tell(_ change: GuardClaimChange) { deliver?(.guardsChanged(change)) }

    /// Tells the guard what has happened, and what came of what it did.
    func settle() {
        repeat {
            while !events.isEmpty { take(events.removeFirst()) }
            // A session manager carries out what was asked for.
            tellOutputs()
            for id in streams.keys.sorted() { tell(id) }
            deliver?(.settled)
        } while !events.isEmpty || isStale
    }

    private var isStale: Bool {
        streams.contains { told[$0.key] != fact($0.value) } || toldDefault != defaultSink
            || toldCatch != (server.catchPriority != nil)
    }
    private var toldDefault: GuardOutputs.DefaultSink?
    private var toldCatch = false

    private func take(_ event: HostEvent) {
        switch event {
        case .inventoryChanged(let new, _):
            let hasLeft = inventory.defaultOutputUID.map { uid in !new.outputs.contains { $0.uid == uid } } ?? false
            inventory = new
            if hasLeft, server.catchPriority != nil { server.hasCaught = true }
        case .foreignStreamsChanged(let new):
            for id in streams.keys.sorted() where !new.contains(where: { $0.id == id }) {
                streams[id] = nil
                told[id] = nil
                server.holders[id] = nil
                deliver?(.streamEnded(id))
            }
            for stream in new { streams[stream.id] = stream }
        case .timeReached: deliver?(.timeReached)
        case .portLost, .outputChosenByUser, .streamFailed, .streamHeld, .streamReleased, .connectionLost,
            .connectionRestored, .claimGranted, .claimRefused, .peerChanged, .peerLeft, .sleepAnnounced,
            .wokeFromSleep:
            break
        }
    }

    private var defaultSink: GuardOutputs.DefaultSink {
        if server.hasCaught { return .catch }
        return inventory.defaultOutputUID.map { .sink($0) } ?? .none
    }

    private func tellOutputs() {
        let outputs = inventory.outputs.map { port in
            GuardOutput(
                sink: port.uid, uid: port.uid, name: port.name, kind: port.kind,
                priority: port.uid == inventory.defaultOutputUID ? 1500 : 500)
        }
        (toldDefault, toldCatch) = (defaultSink, server.catchPriority != nil)
        let ranking = SinkRanking(configured: server.configured, stored: server.configured.map { [$0] } ?? [])
        deliver?(
            .outputsChanged(
                GuardOutputs(
                    outputs: outputs, defaultSink: defaultSink, ranking: ranking, hasCatch: toldCatch)))
    }

    private func tell(_ id: UInt64) {
        guard let stream = streams[id] else { return }
        let fact = fact(stream)
        if case .sink(let name) = fact.linkTarget, heard[stream.name]?.last != name {
            heard[stream.name, default: []].append(name)
        }
        guard told[id] != fact else { return }
        told[id] = fact
        deliver?(.streamChanged(fact))
    }

    private func fact(_ stream: ForeignStream) -> ProgramStream {
        let linkTarget: ProgramStream.LinkTarget =
            if let holder = server.holders[stream.id] {
                holder == server.claim(of: self) ? .hold : .nowhere
            } else {
                switch defaultSink {
                case .none: .nowhere
                case .catch: .catch
                case .sink(let name): .sink(name)
                }
            }
        return ProgramStream(
            id: stream.id, program: Program(identity: .client(UInt32(stream.id)), name: stream.name), role: stream.role,
            isRunning: linkTarget != .nowhere || server.holders[stream.id] != nil, linkTarget: linkTarget)
    }
}
