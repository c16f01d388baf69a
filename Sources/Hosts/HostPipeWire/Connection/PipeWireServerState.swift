package import AudioModel

/// What every connection knows of its server: clients, our claims, cards that are being read, bursts, metadata, the session
/// manager's ranking, and the times of the loop's timer.
///
/// Pure. `receive` returns the facts that follow, in order; `takeRequests` what the loop must do. A connection adds what is its own.
package struct PipeWireServerState: Sendable {
    /// A round trip to the server, named by what its answer shows.
    package enum RoundTrip: Hashable, Sendable {
        /// The burst is over; at most one is under way.
        case burst
        /// The contents of all claims before ours are known.
        case claims(Int32)
        /// The node that replaces a removed claim is known.
        case departure(serial: UInt64)
        /// The server has read the requests so far.
        case requests
    }

    package enum Request: Hashable, Sendable {
        /// The answer is `synced`.
        case sync(RoundTrip)
        /// The answer is `metadataRead`; it comes at once if the reading cannot begin.
        case readMetadata
        /// Reads the session manager's files on another thread; the answer is `rankingRead`. 0: no session manager is known.
        case readRanking(ofProcess: UInt32)
        /// `timerFired` follows; nil: never.
        case arm(HostTime?)
    }

    package enum Fact: Hashable, Sendable {
        /// A sink, source or card exists; its description follows.
        case announced
        /// Facts that belong together, as one change.
        case inventory([PipeWireFact])
        /// The node of a claim or stream exists, which may be our own; its contents follow.
        case programAnnounced(serial: UInt64, clientID: UInt32?, isClaim: Bool)
        /// A program's node, once our own client is known.
        case program(PipeWireProgramNode)
        case programRemoved(serial: UInt64)
        /// The answer to `askForDeparture`.
        case programDeparted(serial: UInt64)
        case link(id: UInt32, output: UInt32, input: UInt32, isOurs: Bool)
        /// A port, a link or another object without a description of its own is gone.
        case removed(id: UInt32)
        /// The session manager or its metadata came or left.
        case managerChanged
        case targetSet(String?, nodeID: UInt32?)
        case granted(PipeWireOwnClaims.Grant)
        case refused(tag: UInt64, String)
        /// The facts so far are one consistent state.
        case settled
        /// The answer to `askForRequests`.
        case requestsRead
        /// The time of one of `deadlines` has come.
        case due(PipeWireDeadlines.Purpose)
        case lost(String, lacksDescriptors: Bool)
    }

    package private(set) var clients = PipeWireClients()
    /// A burst has ended before.
    package private(set) var hasSettled = false
    /// The newest ranking; nil until the first was read.
    package private(set) var ranking: WirePlumberRankingReader.Ranking?
    /// When to report `due`.
    package var deadlines = PipeWireDeadlines()
    private let readsMetadata: Bool
    private let readsRanking: Bool
    private let readsVolumes: Bool
    private var claims = PipeWireOwnClaims()
    private var lastClaims: Int32 = 0
    private var readings = PipeWireReadings()
    private var coalescer = PipeWireChangeCoalescer()
    private var metadata = PipeWireMetadataReading()
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
    ///   - readsVolumes: whether profiles of cards, and volumes and rates of nodes, are facts; a guard needs none.
    package init(readsMetadata: Bool = true, readsRanking: Bool = true, readsVolumes: Bool = false) {
        self.readsMetadata = readsMetadata
        self.readsRanking = readsRanking
        self.readsVolumes = readsVolumes
    }

    package var isSyncing: Bool { coalescer.isSyncing }

    /// The session manager's process; 0 if none is known.
    package var managerProcess: UInt32 { clients.manager?.processID ?? 0 }

    // MARK: What a connection asks

    /// Starts or prolongs the burst.
    ///
    /// - Returns: the facts, as one change.
    @discardableResult
    package mutating func changed(_ facts: [PipeWireFact] = []) -> [Fact] {
        if coalescer.changed() == .sync { requests.append(.sync(.burst)) }
        return [.inventory(facts)]
    }

    /// - Returns: whether the claim was granted.
    @discardableResult
    package mutating func forgetClaim(_ tag: UInt64) -> Bool { claims.forget(tag) }

    package mutating func askForDeparture(of serial: UInt64) { requests.append(.sync(.departure(serial: serial))) }

    package mutating func askForRequests() { requests.append(.sync(.requests)) }

    /// Reads the metadata soon: the default does not match the outputs.
    package mutating func doubtDefault(at now: HostTime) {
        self.now = now
        readMetadata(after: metadata.doubted())
    }

    /// Reads the ranking again; a new one is a fact.
    package mutating func readRanking() { requests.append(.readRanking(ofProcess: managerProcess)) }

    /// Removes and returns the requests.
    package mutating func takeRequests() -> [Request] {
        defer { requests = [] }
        let next = deadlines.next
        guard next != armedTime else { return requests }
        armedTime = next
        return requests + [.arm(next)]
    }

    // MARK: The server's messages

    package mutating func receive(_ message: PipeWireMessage, at now: HostTime) -> [Fact] {
        self.now = now
        metadata.note(message)
        switch message {
        case .object(let object): return appeared(object)
        case .removed(let object): return removed(object)
        case .chosen(let fact): return changed([fact])
        case .measured(let fact): if readsVolumes { return changed([fact]) }
        case .reading(let part, let device):
            if part.isOfProfiles, !readsVolumes { break }
            let facts = readings.add(part, of: device)
            if part == .begun || !facts.isEmpty { return changed(facts) }
        case .synced(let roundTrip): return synced(roundTrip)
        case .timerFired: return timerFired()
        case .rankingRead(let ranking): noteRanking(ranking)
        case .metadataFound(let key, let value): metadata.found(key, value)
        case .metadataRead(let isComplete):
            let (changes, again) = metadata.ended(isComplete: isComplete)
            let facts = changes.flatMap { receive($0.message($1), at: now) }
            readMetadata(after: again)
            return facts
        case .targetSet(let target, let node): return [.targetSet(target, nodeID: node)]
        case .claimNamed(let claim, let node): if claims.named(claim.number, nodeID: node) { askForClaims() }
        case .claimFailed(let claim, let words):
            claims.forget(claim.number)
            return [.refused(tag: claim.number, words)]
        case .ownClient(let id): return clients.learnOwnID(id).map(Fact.program)
        case .lost(let words, let lacksDescriptors): return [.lost(words, lacksDescriptors: lacksDescriptors)]
        // A host has streams, releases and the graph's settings; `PipeWireEventState` receives these itself.
        case .setting, .claimsRead, .streamLinked, .streamLost, .streamPaused, .streamRunning, .streamFailed,
            .streamNamed:
            break
        }
        return []
    }

    private mutating func appeared(_ object: PipeWireObject) -> [Fact] {
        switch object {
        case .announced:
            changed()
            return [.announced]
        case .node(let node): return changed([.nodeChanged(node)])
        case .device(let device): return changed([.deviceChanged(device)])
        case .port(let port): return changed([.portAdded(port)])
        case .programAnnounced(let serial, let node, let client, let isClaim):
            if isClaim, claims.announced(nodeID: node, serial: serial) { askForClaims() }
            return [.programAnnounced(serial: serial, clientID: client, isClaim: isClaim)]
        case .program(let node): return clients.admit(node).map { [.program($0)] } ?? []
        case .link(let id, let output, let input, let isOurs):
            return [.link(id: id, output: output, input: input, isOurs: isOurs)]
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
        deadlines.set(.ranking, at: .zero)
    }

    private mutating func askForClaims() {
        lastClaims += 1
        claims.asked(lastClaims)
        requests.append(.sync(.claims(lastClaims)))
    }

    private mutating func synced(_ roundTrip: RoundTrip) -> [Fact] {
        switch roundTrip {
        case .claims(let number): return claims.synced(number).map(Fact.granted)
        case .departure(let serial): return [.programDeparted(serial: serial)]
        case .requests: return [.requestsRead]
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
        if let milliseconds { deadlines.advance(.metadata, to: now.advanced(byMilliseconds: milliseconds)) }
    }

    private mutating func timerFired() -> [Fact] {
        armedTime = nil
        return deadlines.removeDue(at: now).flatMap { purpose -> [Fact] in
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
            case .wake, .report, .rest, .programs, .unreadRelease, .profile, .managerStart, .links, .stream, .alarm:
                return [.due(purpose)]
            }
        }
    }
}

extension PipeWireReadings.Part {
    fileprivate var isOfProfiles: Bool {
        switch self {
        case .profile, .activeProfile: true
        case .begun, .route, .active, .over: false
        }
    }
}
