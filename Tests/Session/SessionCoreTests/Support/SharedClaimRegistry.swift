import AudioModel
import TestSupport

@testable import SessionCore

/// A server with several sessions in processes of their own, reduced to what the order of events can do to them.
///
/// What a session sends reaches the server in its order, and what the server has noted reaches each session in the
/// server's order; how long either takes is at random, or the caller's choice, and differs from session to session.
struct SharedClaimRegistry {
    enum Note: Hashable {
        case added(owner: Int, ClaimID, ClaimSerial, SessionConfiguration)
        case suspended(Entry, ClaimSerial)
        /// `hadEffect`: its session was active with it until then.
        case removed(owner: Int, ClaimSerial, notifiesOthers: Bool, hadEffect: Bool)
        case foreignStreams([ForeignStream])
    }

    enum Request: Hashable {
        case claim(ClaimID, SessionConfiguration)
        case suspend(ClaimID)
        /// `hadEffect`: the session was active until then.
        case release(ClaimID, notifyOthers: Bool, hadEffect: Bool)
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
        /// Its session has become active with it, and has not said since that it waits.
        var hasEffect = false

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
    /// Those that not all have read.
    private(set) var notes: [Note] = []
    /// What runs now and belongs to no session.
    private(set) var foreignStreams: [ForeignStream] = []
    /// Those of them that are calls, each with the newest claim when it began.
    private(set) var foreignCalls: [UInt64: ClaimSerial] = [:]
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

    mutating func join() {
        start(clientCount)
        clientCount += 1
    }

    /// A new process is told first what is in the claim registry, in the order of serials, and what else runs.
    private mutating func start(_ owner: Int) {
        clients[owner] = Client(position: notes.count)
        for (serial, entry) in entries.sorted(by: { $0.key < $1.key }) {
            feed(owner, .host(.peerChanged(entry.peer(with: serial))))
        }
        if !foreignStreams.isEmpty { feed(owner, .host(.foreignStreamsChanged(foreignStreams))) }
        feed(owner, .host(.inventoryChanged(Inventory(ports: [Ports.speaker], defaultOutputUID: Ports.speaker.uid))))
        feed(owner, .configurationRequested(call(), Bench.music))
        feed(owner, .streamOpened(StreamID(number: 1), policy))
    }

    mutating func kill(_ owner: Int) {
        clients[owner] = nil
        for (serial, entry) in entries.sorted(by: { $0.key < $1.key }) where entry.owner == owner {
            // What its session has not said of it, the others judge by the claims that have an effect.
            let verdict = arbitration { $0.hasEffect || $0 == entry }.verdict(on: serial)
            remove(serial, notifiesOthers: false, hadEffect: entry.hasEffect || verdict == .effective)
        }
    }

    /// A process is killed, and a new one takes its number.
    mutating func restart(_ owner: Int) {
        kill(owner)
        start(owner)
    }

    // MARK: Programs without a session

    /// These run from now on, and no others.
    mutating func run(_ streams: [ForeignStream]) {
        let known = foreignCalls
        foreignStreams = streams
        foreignCalls = [:]
        for stream in streams where ForeignRoles.standard.effect(ofRole: stream.role) == .interrupts {
            foreignCalls[stream.id] = known[stream.id] ?? ClaimSerial(number: serialCount)
        }
        notes.append(.foreignStreams(streams))
    }

    /// A call begins, or the one that is there ends.
    mutating func toggleCall() { run(foreignStreams.isEmpty ? [ForeignStream(id: serialCount, role: "Phone")] : []) }

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
        switch Int.random(in: 0..<22, using: &random) {
        case 0..<5: feed(owner, .activationRequested(call()))
        case 5..<8:
            feed(owner, .deactivationRequested(call(), notifyOthers: Bool.random(using: &random)))
        case 8..<13: play(owner)
        case 13..<15: feed(owner, .pauseRequested(client.stream))
        case 15..<18: feed(owner, .configurationRequested(call(), configurations.randomElement(using: &random)!))
        case 18..<20: toggleCall()
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
        guard case .active(let id) = clients[owner]!.machine.state.stage,
            let serial = entries.first(where: { $0.value.owner == owner && $0.value.id == id })?.key
        else { return }
        remove(serial, notifiesOthers: false, hadEffect: true)
        feed(owner, .host(.claimRefused(id, .refused("destroyed"))))
    }

    /// The server ends, with all that is on its way.
    mutating func crash() {
        entries = [:]
        (foreignStreams, foreignCalls) = ([], [:])
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
        case .release(let id, let notifyOthers, let hadEffect):
            let serial = entries.first { $0.value.owner == owner && $0.value.id == id }?.key
            if let serial { remove(serial, notifiesOthers: notifyOthers, hadEffect: hadEffect) }
        }
    }

    private mutating func remove(_ serial: ClaimSerial, notifiesOthers: Bool, hadEffect: Bool) {
        guard let entry = entries.removeValue(forKey: serial) else { return }
        notes.append(.removed(owner: entry.owner, serial, notifiesOthers: notifiesOthers, hadEffect: hadEffect))
    }

    private mutating func tell(_ owner: Int) {
        let note = notes[clients[owner]!.position]
        clients[owner]!.position += 1
        forgetReadNotes()
        let mayResume = clients[owner]!.machine.state.interruption?.isDirect == true
        let effects = tell(owner, of: note)
        let interruption = clients[owner]!.machine.state.interruption
        let isTold = effects.contains(.postInterruptionEnded(shouldResume: false))
        guard mayResume, isTold || interruption?.isDirect == false else { return }
        if case .removed(_, _, notifiesOthers: false, hadEffect: true) = note { return }
        violations.append("session \(owner) may not resume any more, by \(note)")
    }

    private mutating func forgetReadNotes() {
        let count = clients.values.map(\.position).min() ?? 0
        notes.removeFirst(count)
        for owner in clients.keys { clients[owner]!.position -= count }
    }

    private mutating func tell(_ owner: Int, of note: Note) -> [SessionEffect] {
        switch note {
        case .added(owner, let id, let serial, _): return feed(owner, .host(.claimGranted(id, serial)))
        case .added(let other, let id, let serial, let configuration):
            let entry = Entry(owner: other, id: id, configuration: configuration)
            return feed(owner, .host(.peerChanged(entry.peer(with: serial, isPlaying: true))))
        case .suspended(let entry, let serial):
            return entry.owner == owner ? [] : feed(owner, .host(.peerChanged(entry.peer(with: serial))))
        case .removed(owner, _, notifiesOthers: _, hadEffect: _): return []
        case .removed(_, let serial, let notifiesOthers, hadEffect: _):
            return feed(owner, .host(.peerLeft(serial, notifiesOthers: notifiesOthers)))
        case .foreignStreams(let streams): return feed(owner, .host(.foreignStreamsChanged(streams)))
        }
    }

    @discardableResult
    mutating func feed(_ owner: Int, _ fact: SessionFact) -> [SessionEffect] {
        let event = SessionEvent(time: time, fact: fact)
        let before = clients[owner]!.machine.state
        let effects = clients[owner]!.machine.apply(event)
        let after = clients[owner]!.machine.state
        violations += clients[owner]!.invariants.check(event, effects: effects, before: before, after: after)
        let becameActive = effects.contains(.postBecameActive)
        if case .host(.claimGranted(_, let serial)) = fact, becameActive || after.ownClaim?.serial == serial {
            entries[serial]?.hasEffect = true
        }
        for effect in effects {
            switch effect {
            case .claim(let id, let configuration): clients[owner]!.requests.append(.claim(id, configuration))
            case .suspendClaim(let id):
                clients[owner]!.requests.append(.suspend(id))
                if let serial = after.interruption?.serial { entries[serial]?.hasEffect = false }
            case .release(let id, let notifyOthers):
                let hadEffect = before.activation.isActive || becameActive
                clients[owner]!.requests.append(.release(id, notifyOthers: notifyOthers, hadEffect: hadEffect))
            default: break
            }
        }
        return effects
    }

    mutating func call() -> CallID {
        callCount += 1
        return CallID(number: callCount)
    }
}

extension SharedClaimRegistry {
    /// The rule, applied to what the server has now.
    private func arbitration(among isConcerned: (Entry) -> Bool) -> Arbitration {
        let claims = entries.filter { isConcerned($0.value) }
            .map { Arbitration.Claim(serial: $0.key, configuration: $0.value.configuration) }
        return Arbitration(claims, foreignCalls: Array(foreignCalls.values))
    }

    /// What has to hold when nothing is on its way any more, and does not.
    var disagreements: [String] {
        var found: [String] = []
        let arbitration = arbitration { !$0.isWaiting }
        for (serial, entry) in entries where !entry.isWaiting && arbitration.verdict(on: serial) != .effective {
            found.append("claim \(serial.number) has lost, and is in the claim registry")
        }
        for (owner, client) in clients {
            let state = client.machine.state
            let own = entries.values.filter { $0.owner == owner }
            let others = entries.filter { $0.value.owner != owner }.keys.sorted()
            if own.count > 1 { found.append("session \(owner) has \(own.count) claims") }
            if state.activation.isActive != own.contains(where: { !$0.isWaiting }) {
                found.append("session \(owner) is \(state.stage), and its claims are \(own)")
            }
            if (state.waitingClaim != nil) != own.contains(where: \.isWaiting) {
                found.append("session \(owner) waits: \(state.waitingClaim != nil), and its claims are \(own)")
            }
            if case .claiming = state.activation { found.append("session \(owner) is stuck claiming") }
            if state.peers.map(\.serial) != others {
                found.append("session \(owner) sees \(state.peers), not \(others)")
            }
            if state.interruption?.source == .foreignCall, foreignCalls.isEmpty {
                found.append("session \(owner) waits for the end of a call that has ended")
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
