internal import AudioModel
internal import HostPipeWire

/// What the connections of this module know of their server: clients, our claims, cards that are being read, bursts, metadata, the
/// session manager's ranking, and the times of the loop's timer.
///
/// Pure. `receive` returns the facts that follow, in order; `takeRequests` what the loop must do. A connection adds what is its own.
struct PipeWireServerState: Sendable {
    /// A round trip to the server, named by what its answer shows.
    enum RoundTrip: Hashable, Sendable {
        /// The burst is over; at most one is under way.
        case burst
        /// The contents of all claims before ours are known.
        case claims(Int32)
    }

    enum Request: Hashable, Sendable {
        /// The answer is `Input.answered`.
        case sync(RoundTrip)
        /// The answer is `metadataRead`; it comes at once if the reading cannot begin.
        case readMetadata
        /// The answer is `Input.rankingRead`. 0: no session manager is known.
        case readRanking(ofProcess: UInt32)
        /// `timerFired` follows; nil: never.
        case arm(HostTime?)
    }

    enum Input: Hashable, Sendable {
        case message(PipeWireMessage)
        case answered(RoundTrip)
        /// Comes on another thread than the loop's.
        case rankingRead(WirePlumberRankingReader.Ranking)
    }

    /// What the loop's one timer is for.
    private enum Purpose: Hashable {
        case metadata
        /// A ranking was read, which the loop thread must report.
        case ranking
        case wake
    }

    enum Fact: Hashable, Sendable {
        /// A sink, source or card exists; its description follows.
        case announced
        /// Facts that belong together, as one change.
        case inventory([PipeWireFact])
        /// The contents follow.
        case claimAnnounced
        /// A program's node, once our own client is known.
        case program(PipeWireProgramNode)
        case programRemoved(serial: UInt64)
        case link(id: UInt32, output: UInt32, input: UInt32)
        /// A port, a link or another object without a description of its own is gone.
        case removed(id: UInt32)
        /// The session manager or its metadata came or left.
        case managerChanged
        case targetSet(String?, nodeID: UInt32?)
        case granted(PipeWireOwnClaims.Grant)
        case refused(tag: UInt64, String)
        /// The facts so far are one consistent state.
        case settled
        /// The time given to `wake` has come.
        case woken
        case lost(lacksDescriptors: Bool)
    }

    private(set) var clients = PipeWireClients()
    /// A burst has ended before.
    private(set) var hasSettled = false
    /// The newest ranking; nil until the first was read.
    private(set) var ranking: WirePlumberRankingReader.Ranking?
    private let readsMetadata: Bool
    private let readsRanking: Bool
    private var claims = PipeWireOwnClaims()
    private var lastClaims: Int32 = 0
    private var readings = PipeWireReadings()
    private var coalescer = PipeWireChangeCoalescer()
    private var metadata = PipeWireMetadataReading()
    private var times: [Purpose: HostTime] = [:]
    private var armedTime: HostTime?
    private var requests: [Request] = []
    /// The session manager whose ranking was requested; the first reading belongs to the same burst.
    private var rankedProcess: UInt32?
    private var isReadingRanking = false
    /// A ranking that waits for the loop thread, which delivers all facts.
    private var newRanking: WirePlumberRankingReader.Ranking?
    /// The time of the current message.
    private var now = HostTime.zero

    /// - Parameters:
    ///   - readsMetadata: whether changes that the server keeps back are read (decision 58).
    ///   - readsRanking: whether the session manager's files are read (decision 89).
    init(readsMetadata: Bool = true, readsRanking: Bool = true) {
        self.readsMetadata = readsMetadata
        self.readsRanking = readsRanking
    }

    var isSyncing: Bool { coalescer.isSyncing }

    /// The session manager's process; 0 if none is known.
    var managerProcess: UInt32 { clients.manager?.processID ?? 0 }

    /// Starts or prolongs the burst.
    mutating func changed() { if coalescer.changed() == .sync { requests.append(.sync(.burst)) } }

    /// Reports `woken` at this time, instead of the time given before; nil: never.
    mutating func wake(at time: HostTime?) { times[.wake] = time }

    mutating func forgetClaim(_ tag: UInt64) { claims.forget(tag) }

    /// Reads the metadata soon: the default does not match the outputs.
    mutating func doubtDefault(at now: HostTime) {
        self.now = now
        readMetadata(after: metadata.doubted())
    }

    /// Reads the ranking again; a new one is a fact.
    mutating func readRanking() { requests.append(.readRanking(ofProcess: managerProcess)) }

    /// Removes and returns the requests.
    mutating func takeRequests() -> [Request] {
        defer { requests = [] }
        let next = times.values.min()
        guard next != armedTime else { return requests }
        armedTime = next
        return requests + [.arm(next)]
    }

    // MARK: The server's messages

    mutating func receive(_ input: Input, at now: HostTime) -> [Fact] {
        self.now = now
        switch input {
        case .message(let message): return receive(message)
        case .answered(let roundTrip): return answered(roundTrip)
        case .rankingRead(let new):
            noteRanking(new)
            return []
        }
    }

    private mutating func receive(_ message: PipeWireMessage) -> [Fact] {
        metadata.note(message)
        switch message {
        case .object(let object): return appeared(object)
        case .removed(let object): return removed(object)
        case .chosen(let fact): return changed([fact])
        // A guard needs no profiles of cards, and no volumes and rates of nodes.
        case .reading(.profile, _), .reading(.activeProfile, _), .measured: break
        case .reading(let part, let device):
            let facts = readings.add(part, of: device)
            if part == .begun || !facts.isEmpty { return changed(facts) }
        case .timerFired: return timerFired()
        case .metadataFound(let key, let value): metadata.found(key, value)
        case .metadataRead(let isComplete):
            let (changes, again) = metadata.ended(isComplete: isComplete)
            let facts = changes.flatMap { receive($0.message($1)) }
            readMetadata(after: again)
            return facts
        case .targetSet(let target, let node): return [.targetSet(target, nodeID: node)]
        case .claimNamed(let claim, let node): if claims.named(claim.number, nodeID: node) { askForClaims() }
        case .claimFailed(let claim, let words):
            claims.forget(claim.number)
            return [.refused(tag: claim.number, words)]
        case .ownClient(let id): return clients.learnOwnID(id).map(Fact.program)
        case .lost(_, let lacksDescriptors): return [.lost(lacksDescriptors: lacksDescriptors)]
        // `ClosableLoop` names the round trips; the connections of this module have no streams.
        case .synced, .setting, .claimsRead, .streamLinked, .streamLost, .streamPaused, .streamRunning, .streamFailed,
            .streamNamed:
            break
        }
        return []
    }

    private mutating func changed(_ facts: [PipeWireFact]) -> [Fact] {
        changed()
        return [.inventory(facts)]
    }

    private mutating func appeared(_ object: PipeWireObject) -> [Fact] {
        switch object {
        case .announced:
            changed()
            return [.announced]
        case .node(let node): return changed([.nodeChanged(node)])
        case .device(let device): return changed([.deviceChanged(device)])
        case .port(let port): return changed([.portAdded(port)])
        case .programAnnounced(let serial, let node, _, let isClaim):
            guard isClaim else { return [] }
            if claims.announced(nodeID: node, serial: serial) { askForClaims() }
            // The burst waits for its contents.
            changed()
            return [.claimAnnounced]
        case .program(let node): return clients.admit(node).map { [.program($0)] } ?? []
        case .link(let id, let output, let input, _): return [.link(id: id, output: output, input: input)]
        case .client, .factory, .metadata:
            let isManager = clients.note(object)
            if case .metadata = object { changed() }
            if case .client(_, let client) = object, !isManager, hasSettled, readsMetadata {
                readMetadata(after: metadata.connected(client))
            }
            return isManager ? managerChanged() : []
        }
    }

    private mutating func removed(_ object: PipeWireObject.Removal) -> [Fact] {
        switch object {
        case .node(let id): return changed([.nodeRemoved(id: id)])
        case .device(let id):
            readings.forget(id)
            return changed([.deviceRemoved(id: id)])
        case .program(let serial):
            clients.forget(serial)
            claims.removed(serial: serial)
            return [.programRemoved(serial: serial)]
        case .other(let id): return (clients.remove(id) ? managerChanged() : []) + [.removed(id: id)]
        }
    }

    private mutating func managerChanged() -> [Fact] {
        if hasSettled { changed() }
        let process = clients.manager?.processID
        if process != rankedProcess, process != nil, readsRanking {
            isReadingRanking = true
            readRanking()
        }
        rankedProcess = process
        return [.managerChanged]
    }

    private mutating func noteRanking(_ new: WirePlumberRankingReader.Ranking) {
        guard new != ranking else { return isReadingRanking = false }
        newRanking = new
        times[.ranking] = .zero
    }

    private mutating func askForClaims() {
        lastClaims += 1
        claims.asked(lastClaims)
        requests.append(.sync(.claims(lastClaims)))
    }

    private mutating func answered(_ roundTrip: RoundTrip) -> [Fact] {
        switch roundTrip {
        case .claims(let number): return claims.synced(number).map(Fact.granted)
        case .burst:
            let isEnumerating = readings.areUnderWay || clients.ownID == nil || isReadingRanking
            let step = coalescer.synced(isEnumerating: isEnumerating)
            if step == .sync { requests.append(.sync(.burst)) }
            guard step == .settled else { return [] }
            hasSettled = true
            return [.settled]
        }
    }

    private mutating func readMetadata(after milliseconds: UInt64?) {
        guard let milliseconds else { return }
        let time = now.advanced(bySeconds: Double(milliseconds) / 1000)
        times[.metadata] = min(times[.metadata] ?? time, time)
    }

    private mutating func timerFired() -> [Fact] {
        armedTime = nil
        let due = times.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
        for purpose in due { times[purpose] = nil }
        return due.flatMap { purpose -> [Fact] in
            switch purpose {
            case .metadata:
                metadata.began()
                requests.append(.readMetadata)
                return []
            case .ranking:
                guard let new = newRanking.take() else { return [] }
                ranking = new
                isReadingRanking = false
                return changed([.rankingRead(new.rules, stored: new.stored)])
            case .wake: return [.woken]
            }
        }
    }
}
