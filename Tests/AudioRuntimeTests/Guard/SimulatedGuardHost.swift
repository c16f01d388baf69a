import AudioModel
import HostInterface
import HostSimulated

/// A simulated machine as the guard sees it: its outputs, and its programs that know nothing of sessions.
///
/// Programs play on the default output unless they are held, as a session manager has it. What the guard is told waits
/// for `settle`, as a server's news does. One thread.
final class SimulatedGuardHost: GuardHost, @unchecked Sendable {
    private let machine: SimulatedHost
    private var deliver: (@Sendable (GuardFact) -> Void)?
    private var events: [HostEvent] = []
    private var inventory = Inventory()
    private var catchPriority: Int?
    /// The default has left, and the catch is what the session manager has chosen.
    private var hasCaught = false
    private var streams: [UInt64: ForeignStream] = [:]
    private var heldIDs: Set<UInt64> = []
    private var told: [UInt64: ProgramStream] = [:]
    /// Where each program has sounded, by its name, without repetition.
    private(set) var heard: [String: [String]] = [:]

    init(_ host: SimulatedHost) { machine = host.anotherApp(named: "guard") }

    // MARK: GuardHost

    func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError) {
        self.deliver = deliver
        try machine.start { [weak self] event in self?.events.append(event) }
        settle()
    }

    func perform<R>(_ body: () -> R) -> R { body() }

    func now() -> HostTime { machine.now() }

    func shutdown() { machine.shutdown() }

    func apply(_ command: GuardCommand) {
        switch command {
        case .setCatch(let priority):
            catchPriority = priority
            if priority == nil { hasCaught = false }
        case .hold(let id, _): heldIDs.insert(id)
        case .release(let id, _): heldIDs.remove(id)
        // Its cards remember nothing.
        case .switchPort: break
        case .wake(let time): if let time { machine.wake(at: time) }
        }
    }

    // MARK: The machine's news

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

    private var isStale: Bool { streams.contains { told[$0.key] != fact($0.value) } || toldDefault != defaultSink }
    private var toldDefault: GuardOutputs.DefaultSink?

    private func take(_ event: HostEvent) {
        switch event {
        case .inventoryChanged(let new, _):
            let hasLeft = inventory.defaultOutputUID.map { uid in !new.outputs.contains { $0.uid == uid } } ?? false
            inventory = new
            if hasLeft, catchPriority != nil { hasCaught = true }
        case .foreignStreamsChanged(let new):
            for id in streams.keys.sorted() where !new.contains(where: { $0.id == id }) {
                streams[id] = nil
                told[id] = nil
                heldIDs.remove(id)
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
        if hasCaught { return .catch }
        return inventory.defaultOutputUID.map { .sink($0) } ?? .none
    }

    private func tellOutputs() {
        let outputs = inventory.outputs.map { port in
            GuardOutput(
                sink: port.uid, uid: port.uid, name: port.name, kind: port.kind,
                priority: port.uid == inventory.defaultOutputUID ? 1500 : 500)
        }
        toldDefault = defaultSink
        deliver?(.outputsChanged(GuardOutputs(outputs: outputs, defaultSink: defaultSink)))
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
            if heldIDs.contains(stream.id) {
                .hold
            } else {
                switch defaultSink {
                case .none: .nowhere
                case .catch: .catch
                case .sink(let name): .sink(name)
                }
            }
        return ProgramStream(
            id: stream.id, program: Program(identity: .client(UInt32(stream.id)), name: stream.name), role: stream.role,
            isRunning: linkTarget != .nowhere, linkTarget: linkTarget)
    }
}
