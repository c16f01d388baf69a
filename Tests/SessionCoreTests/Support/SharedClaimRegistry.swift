import AudioModel
import SessionCore
import TestSupport

/// A server with several sessions in processes of their own, reduced to what the order of events can do to them.
///
/// What a session sends reaches the server in its order, and what the server has noted reaches each session in the
/// server's order; how long either takes is at random, or the caller's choice, and differs from session to session.
struct SharedClaimRegistry {
    enum Note: Hashable {
        case added(owner: Int, ClaimID, ClaimSerial, SessionConfiguration)
        case suspended(Entry, ClaimSerial)
        case removed(owner: Int, ClaimSerial, notifiesOthers: Bool)
    }

    enum Request: Hashable {
        case claim(ClaimID, SessionConfiguration)
        case suspend(ClaimID)
        case release(ClaimID, notifyOthers: Bool)
    }

    struct Client {
        fileprivate(set) var machine = SessionMachine()
        fileprivate(set) var invariants = SessionInvariants()
        /// How far it has read the server's notes.
        fileprivate(set) var position: Int
        /// On their way to the server.
        fileprivate(set) var requests: [Request] = []
        fileprivate let stream = StreamID(number: 1)
    }

    /// What may arrive next: a client's oldest request at the server, or the server's oldest unread note at the client.
    struct Arrival: Hashable {
        var owner: Int
        var isRequest: Bool
    }

    struct Entry: Hashable {
        let owner: Int
        let id: ClaimID
        let configuration: SessionConfiguration
        var isWaiting = false

        func peer(with serial: ClaimSerial, isPlaying: Bool = false) -> Peer {
            Peer(
                serial: serial, configuration: configuration, isPlaying: isPlaying && !isWaiting, isWaiting: isWaiting,
                owner: UInt64(owner))
        }
    }

    private(set) var clients: [Int: Client] = [:]
    /// What is in the claim registry now.
    private(set) var entries: [ClaimSerial: Entry] = [:]
    private(set) var violations: [String] = []
    private(set) var notes: [Note] = []
    private var serialCount: UInt64 = 0
    private var clientCount = 0
    private var callCount: UInt64 = 0
    private var random: Seeded
    private(set) var time = HostTime.zero

    private let policy: StreamPolicy

    init(seed: UInt64, clients: Int, policy: StreamPolicy = StreamPolicy()) {
        self.policy = policy
        random = Seeded(seed: seed)
        for _ in 0..<clients { join() }
    }

    // MARK: Processes

    /// A new process is told first what is in the claim registry, in the order of serials.
    mutating func join() {
        let owner = clientCount
        clientCount += 1
        clients[owner] = Client(position: notes.count)
        feed(owner, .host(.inventoryChanged(Inventory(ports: [Ports.speaker], defaultOutputUID: Ports.speaker.uid))))
        feed(owner, .configurationRequested(call(), Bench.music))
        feed(owner, .streamOpened(StreamID(number: 1), policy))
        for (serial, entry) in entries.sorted(by: { $0.key < $1.key }) {
            feed(owner, .host(.peerChanged(entry.peer(with: serial))))
        }
    }

    mutating func kill(_ owner: Int) {
        clients[owner] = nil
        for (serial, entry) in entries where entry.owner == owner { remove(serial, notifiesOthers: false) }
    }

    /// Takes the sound, also under an interruption.
    mutating func takeSound(_ owner: Int) {
        play(owner)
        feed(owner, .activationRequested(call()))
    }

    mutating func play(_ owner: Int) {
        let client = clients[owner]!
        feed(owner, .playRequested(call(), client.stream, generation: client.machine.state.generation))
    }

    /// Hands the sound back, or releases the claim with which it waits.
    mutating func leave(_ owner: Int) { feed(owner, .deactivationRequested(call(), notifyOthers: true)) }

    mutating func randomClient() -> Int { clients.keys.sorted().randomElement(using: &random)! }

    /// Something that an app or its user does, or a kill.
    mutating func act() {
        let owner = randomClient()
        let client = clients[owner]!
        let configurations = [Bench.music, Bench.music, Bench.speech, Bench.mixing, Bench.prompt, Bench.call]
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: feed(owner, .activationRequested(call()))
        case 5..<8:
            feed(owner, .deactivationRequested(call(), notifyOthers: Bool.random(using: &random)))
        case 8..<13: play(owner)
        case 13..<15: feed(owner, .pauseRequested(client.stream))
        case 15..<18: feed(owner, .configurationRequested(call(), configurations.randomElement(using: &random)!))
        default:
            kill(owner)
            join()
        }
    }

    /// All at once; who is active already changes what its claim says.
    mutating func activateAll() {
        for owner in clients.keys.sorted() {
            let state = clients[owner]!.machine.state
            if state.activation.isActive, !state.configuration.isMixable {
                let other = state.configuration == Bench.music ? Bench.speech : Bench.music
                feed(owner, .configurationRequested(call(), other))
            } else {
                feed(owner, .activationRequested(call()))
            }
        }
    }

    // MARK: Time

    /// All that may arrive next.
    var arrivals: [Arrival] {
        let owners = clients.keys.sorted()
        return owners.filter { !clients[$0]!.requests.isEmpty }.map { Arrival(owner: $0, isRequest: true) }
            + owners.filter { clients[$0]!.position < notes.count }.map { Arrival(owner: $0, isRequest: false) }
    }

    mutating func receive(_ arrival: Arrival) {
        if arrival.isRequest { serve(arrival.owner) } else { tell(arrival.owner) }
    }

    /// One thing on its way arrives; false when nothing is.
    mutating func step() -> Bool {
        guard let arrival = arrivals.randomElement(using: &random) else { return false }
        receive(arrival)
        return true
    }

    /// Until nothing is on its way any more; false if that has no end.
    mutating func settle() -> Bool {
        for _ in 0..<100_000 where !step() { return true }
        return false
    }

    /// Lets the time pass that an app has to play again after an interruption.
    mutating func passTime(seconds: Double = 3) {
        time = time.advanced(bySeconds: seconds)
        for owner in clients.keys.sorted() { feed(owner, .host(.timeReached(time))) }
    }

    /// The server refuses the oldest request, which is a claim.
    mutating func refuseClaim(of owner: Int) {
        guard case .claim(let id, _)? = clients[owner]!.requests.first else { return }
        clients[owner]!.requests.removeFirst()
        feed(owner, .host(.claimRefused(id, .refused("refused"))))
    }

    /// Another program removes the active session's claim.
    mutating func destroyClaim(of owner: Int) {
        guard case .active(let id) = clients[owner]!.machine.state.activation,
            let serial = entries.first(where: { $0.value.owner == owner && $0.value.id == id })?.key
        else { return }
        remove(serial, notifiesOthers: false)
        feed(owner, .host(.claimRefused(id, .refused("destroyed"))))
    }

    /// The server ends, with all that is on its way.
    mutating func crash() {
        entries = [:]
        for owner in clients.keys.sorted() {
            clients[owner]!.requests = []
            clients[owner]!.position = notes.count
            feed(owner, .host(.connectionLost("gone")))
        }
    }

    private mutating func serve(_ owner: Int) {
        switch clients[owner]!.requests.removeFirst() {
        case .claim(let id, let configuration):
            serialCount += 1
            let serial = ClaimSerial(number: serialCount)
            entries[serial] = Entry(owner: owner, id: id, configuration: configuration)
            notes.append(.added(owner: owner, id, serial, configuration))
        case .suspend(let id):
            guard let serial = entries.first(where: { $0.value.owner == owner && $0.value.id == id })?.key else {
                return
            }
            entries[serial]!.isWaiting = true
            notes.append(.suspended(entries[serial]!, serial))
        case .release(let id, let notifyOthers):
            let serial = entries.first { $0.value.owner == owner && $0.value.id == id }?.key
            if let serial { remove(serial, notifiesOthers: notifyOthers) }
        }
    }

    private mutating func remove(_ serial: ClaimSerial, notifiesOthers: Bool) {
        guard let entry = entries.removeValue(forKey: serial) else { return }
        notes.append(.removed(owner: entry.owner, serial, notifiesOthers: notifiesOthers))
    }

    private mutating func tell(_ owner: Int) {
        let note = notes[clients[owner]!.position]
        clients[owner]!.position += 1
        switch note {
        case .added(owner, let id, let serial, _): feed(owner, .host(.claimGranted(id, serial)))
        case .added(let other, let id, let serial, let configuration):
            let entry = Entry(owner: other, id: id, configuration: configuration)
            feed(owner, .host(.peerChanged(entry.peer(with: serial, isPlaying: true))))
        case .suspended(let entry, let serial):
            if entry.owner != owner { feed(owner, .host(.peerChanged(entry.peer(with: serial)))) }
        case .removed(owner, _, notifiesOthers: _): break
        case .removed(_, let serial, let notifiesOthers):
            feed(owner, .host(.peerLeft(serial, notifiesOthers: notifiesOthers)))
        }
    }

    mutating func feed(_ owner: Int, _ fact: SessionFact) {
        let event = SessionEvent(time: time, fact: fact)
        let before = clients[owner]!.machine.state
        let effects = clients[owner]!.machine.apply(event)
        let after = clients[owner]!.machine.state
        violations += clients[owner]!.invariants.check(event, effects: effects, before: before, after: after)
        for effect in effects {
            switch effect {
            case .claim(let id, let configuration): clients[owner]!.requests.append(.claim(id, configuration))
            case .suspendClaim(let id): clients[owner]!.requests.append(.suspend(id))
            case .release(let id, let notifyOthers):
                clients[owner]!.requests.append(.release(id, notifyOthers: notifyOthers))
            default: break
            }
        }
    }

    mutating func call() -> CallID {
        callCount += 1
        return CallID(number: callCount)
    }
}

extension SharedClaimRegistry {
    /// What has to hold when nothing is on its way any more, and does not.
    var disagreements: [String] {
        var found: [String] = []
        let claims = entries.filter { !$0.value.isWaiting }
            .map { Arbitration.Claim(serial: $0.key, configuration: $0.value.configuration) }
        let arbitration = Arbitration(claims)
        for claim in claims where arbitration.verdict(on: claim.serial) != .effective {
            found.append("claim \(claim.serial.number) has lost, and is in the claim registry")
        }
        for (owner, client) in clients {
            let state = client.machine.state
            let own = entries.values.filter { $0.owner == owner }
            let others = entries.filter { $0.value.owner != owner }.keys.sorted()
            if own.count > 1 { found.append("session \(owner) has \(own.count) claims") }
            if state.activation.isActive != own.contains(where: { !$0.isWaiting }) {
                found.append("session \(owner) is \(state.activation), and its claims are \(own)")
            }
            if (state.waitingClaim != nil) != own.contains(where: \.isWaiting) {
                found.append("session \(owner) waits: \(state.waitingClaim != nil), and its claims are \(own)")
            }
            if case .claiming = state.activation { found.append("session \(owner) is stuck claiming") }
            if state.peers.map(\.serial) != others {
                found.append("session \(owner) sees \(state.peers), not \(others)")
            }
            for stream in state.streams where stream.playWhenReady && !stream.isStarted {
                if state.interruption == nil, stream.suppression == nil {
                    found.append("stream \(stream.id.number) of session \(owner) waits for nothing")
                }
            }
        }
        return found
    }
}
