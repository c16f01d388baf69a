internal import AudioModel
internal import HostInterface

/// The known state of one server, and the results of each fact: commands for the shim and events for the session.
///
/// A value that calls nothing. `PipeWireEventEmitter` applies the facts, carries out the commands and delivers the events.
struct PipeWireEventState {
    enum Life: Equatable {
        /// Exit: the connection ends -> `lost`.
        case connected
        /// The server's words, and the reason that the session will receive. Exit: the loss was reported -> `lossReported`.
        case lost(String, reason: String)
        case lossReported
    }

    /// A command for the shim.
    enum Command: Equatable {
        case sync
        case syncDeparture(UInt64)
        case syncClaims
        case arm(HostTime?)
        case closeGate(PipeWireStreamHandle)
        case openGate(PipeWireStreamHandle)
        case destroyLink(id: UInt32)
        case breakNode(PipeWireStreamHandle)
        case unlink(PipeWireStreamHandle)
        /// Makes the shim react to the loss of these targets.
        case watch(PipeWireStreamHandle, [WatchedTarget])
        /// The next three may fail.
        case setRoute(StreamID, deviceID: UInt32, cardDevice: Int32, routeIndex: Int32)
        case makeNode(StreamID, PipeWireStreamHandle, channels: [String])
        case addLink(StreamID, PipeWireStreamHandle, target: Int, ourPort: UInt32, theirPort: UInt32)
        case setProfile(deviceID: UInt32, Int32)
        /// The answer is `metadataRead`; it comes at once if the reading cannot begin.
        case readMetadata
        /// Read the session manager's files, on another thread; the answer is the fact `rankingRead`.
        case readRanking(ofProcess: UInt32)
        /// The answer is `linkStandingStreams`.
        case look([StreamID: PipeWireStreamHandle])
        /// The server has read the newest release, or will never read it.
        case endRelease
    }

    /// How much of its state the server has reported.
    enum Progress: Hashable, Sendable {
        /// The server has not reported its state yet.
        case waiting
        /// The state is reported, but no default is chosen or no output exists: the session manager may be starting.
        case settled
        case complete
        case lost
    }

    private static let restMilliseconds: UInt64 = 100

    /// The first event is `connectionRestored`, together with the first inventory.
    private let followsALoss: Bool
    /// The time of the current change.
    var now = HostTime.zero
    /// The first report was requested: `start` has returned, or the connection has replaced a lost one.
    private var isOpen = false
    var facts = PipeWireInventory()
    /// The last state that the session received; nil before the first inventory.
    private(set) var lastSent: PipeWireInventory?
    private(set) var life = Life.connected
    private(set) var progress = Progress.waiting
    var coalescer = PipeWireChangeCoalescer()
    /// The round trip for which the coalescer waits.
    private var sync: Int32?
    /// The round trips after which departures of claims are reported.
    private var departures: [Int32: UInt64] = [:]
    var deadlines = PipeWireDeadlines()
    private var armedTime: HostTime?
    /// Losses to report with the next inventory, even if the inventory has not changed.
    var losses: [PortLoss] = []
    private var programs = PipeWireProgramTracker()
    private var claims = PipeWireOwnClaims()
    private(set) var clients = PipeWireClients()
    private var readings = PipeWireReadings()
    /// The graph's settings.
    private var settings: [String: UInt32] = [:]
    /// The round trip after which the server has read the newest release that notifies others.
    private var unreadRelease: Int32?
    var streams: [StreamID: Stream] = [:]
    var targets = PipeWireStreamTargets()
    private var metadata = PipeWireMetadataReading()
    var managerStart = PipeWireManagerStart()
    private var managerProcess: UInt32?
    /// The ranking of `managerProcess` is being read; it belongs to the same burst.
    private var isReadingRanking = false
    /// The streams that the user has moved, and whose new output the session has received.
    var movedStreams: Set<StreamID> = []
    var profiles = PipeWireProfileSwitch()
    /// Events that wait for the first inventory, or for the end of a call.
    var outbox: [HostEvent] = []
    var commands: [Command] = []

    init(followsALoss: Bool) { self.followsALoss = followsALoss }

    var isLost: Bool { life != .connected }
    /// Whether an inventory was delivered or is about to be delivered.
    var hasReported: Bool { lastSent != nil }

    /// Applies one change.
    ///
    /// - Returns: the result of `change`, and the commands for the shim.
    mutating func update<R>(at time: HostTime, _ change: (inout Self) -> R) -> (R, [Command]) {
        now = time
        let result = change(&self)
        let running = streams.values.lazy.filter(\.isRunning).map(\.tracker.link)
        apply(profiles.update(running: running, in: facts))
        requestRanking()
        if deadlines.next != armedTime {
            armedTime = deadlines.next
            commands.append(.arm(armedTime))
        }
        defer { commands = [] }
        return (result, commands)
    }

    private mutating func requestRanking() {
        let process = clients.manager?.processID
        guard process != managerProcess else { return }
        managerProcess = process
        guard let process else { return }
        isReadingRanking = true
        commands.append(.readRanking(ofProcess: process))
    }

    // MARK: The server's facts

    mutating func receive(_ message: PipeWireMessage) {
        metadata.note(message)
        switch message {
        case .object(let object): appeared(object)
        case .removed(let object): removed(object)
        case .measured(let fact): apply(fact)
        case .chosen(let fact): apply(fact)
        case .reading(let part, let device): read(part, of: device)
        case .setting(let key, let value): set(key, to: value)
        case .synced(let seq): synced(seq)
        case .timerFired: timerFired()
        case .streamLinked(let id, let node): track(id) { $0.linked(nodeID: node) }
        case .streamLost(let id, let end): linkEnded(id, end)
        case .streamPaused(let id): paused(id)
        case .streamRunning(let id): track(id) { $0.running() }
        case .streamFailed(let id, let words): failed(id, words, hasNode: false)
        case .streamNamed(let id, let node): named(id, nodeID: node)
        case .metadataFound(let key, let value): metadata.found(key, value)
        case .metadataRead(let isComplete):
            let (changes, again) = metadata.ended(isComplete: isComplete)
            for (key, value) in changes { receive(key.message(value)) }
            readMetadata(after: again)
        case .targetSet(let target, let node):
            updatePrograms { $0.setTarget(target, ofNode: node) }
            changeTargets { if let node { $0.set(target, ofNode: node) } else { $0.removeAll() } }
        case .claimNamed(let claim, let node): named(claim, nodeID: node)
        case .claimsRead(let seq): claimsRead(seq)
        case .claimFailed(let claim, let words): refused(claim, .refused(words))
        case .ownClient(let id): learnOwnClient(id)
        case .lost(let words, let lacksDescriptors): lost(words, lacksDescriptors: lacksDescriptors)
        }
    }

    /// Asks the server for its state.
    mutating func begin() { apply(coalescer.changed()) }

    mutating func appeared(_ object: PipeWireObject) {
        switch object {
        case .announced: apply(coalescer.changed())
        case .node(let node): apply(.nodeChanged(node))
        case .device(let device): apply(.deviceChanged(device))
        case .programAnnounced(let serial, let node, let client, let isClaim):
            updatePrograms { $0.added(serial, clientID: client, isClaim: isClaim) }
            if isClaim, claims.announced(nodeID: node, serial: serial) { commands.append(.syncClaims) }
        case .program(let node): if let node = clients.admit(node) { report(node) }
        case .port(let port): apply(.portAdded(port))
        case .link(let id, let output, let input, let isOurs):
            if !isOurs { linkedByOthers(id, from: output, to: input) }
        case .client, .factory, .metadata:
            let isManager = clients.note(object)
            if isManager { managerChanged() }
            if case .metadata = object { apply(coalescer.changed()) }
            if case .client(_, let client) = object, !isManager, progress != .waiting {
                readMetadata(after: metadata.connected(client))
            }
        }
    }

    private mutating func readMetadata(after milliseconds: UInt64?) {
        if let milliseconds { deadlines.set(.metadata, at: now.advanced(byMilliseconds: milliseconds)) }
    }

    mutating func removed(_ object: PipeWireObject.Removal) {
        switch object {
        case .node(let id): apply(.nodeRemoved(id: id))
        case .device(let id):
            readings.forget(id)
            apply(.deviceRemoved(id: id))
        case .program(let serial): removeProgram(serial)
        case .other(let id):
            if clients.remove(id) { managerChanged() }
            removePort(id)
        }
    }

    private mutating func managerChanged() {
        guard progress != .waiting else { return }
        // At once: by the end of a long burst, the session manager may already have paused streams.
        noteManager()
        apply(coalescer.changed())
    }

    mutating func read(_ part: PipeWireReadings.Part, of device: UInt32) {
        let facts = readings.add(part, of: device)
        if part == .begun { apply(coalescer.changed()) }
        for fact in facts { apply(fact) }
    }

    /// Stores a setting of the graph; 0 means that it is not set.
    mutating func set(_ key: String, to value: UInt32) {
        let keys = ["clock.rate", "clock.force-rate", "clock.min-quantum", "clock.force-quantum"]
        guard keys.contains(key) else { return }
        settings[key] = value == 0 ? nil : value
        if let rate = settings["clock.force-rate"] ?? settings["clock.rate"] { apply(.graphRateSet(Double(rate))) }
    }

    /// The smallest cycle that the server allows, in frames.
    var smallestQuantum: Int? { (settings["clock.force-quantum"] ?? settings["clock.min-quantum"]).map { Int($0) } }

    mutating func asked(_ seq: Int32) { sync = seq }

    mutating func askedForDeparture(of serial: UInt64, _ seq: Int32) { departures[seq] = serial }

    mutating func askedForClaims(_ seq: Int32) { claims.asked(seq) }

    mutating func synced(_ seq: Int32) {
        for grant in claims.synced(seq) {
            send(.claimGranted(ClaimID(number: grant.tag), ClaimSerial(number: grant.serial)))
        }
        if let serial = departures.removeValue(forKey: seq) { updatePrograms { [now] in $0.departed(serial, at: now) } }
        guard sync == seq else { return }
        sync = nil
        let isEnumerating = readings.areUnderWay || clients.ownID == nil || isReadingRanking
        let step = coalescer.synced(isEnumerating: isEnumerating)
        apply(step)
        guard step == .settled else { return }
        noteManager()
        if clients.hasManager { trackAll { tracker, _ in tracker.managerCame() } }
        report()
    }

    mutating func apply(_ step: PipeWireChangeCoalescer.Step) {
        switch step {
        case .none: break
        case .sync: commands.append(.sync)
        case .settled:
            progress = facts.isComplete ? .complete : .settled
            deadlines.set(.rest, at: now.advanced(byMilliseconds: Self.restMilliseconds))
            trackAll { $0.settled(in: $1) }
            linkAwaitingStreams()
            advanceLinks()
        }
    }

    mutating func apply(_ fact: PipeWireFact) {
        facts.apply(fact)
        apply(coalescer.changed())
        switch fact {
        case .nodeChanged: noteHoldingSinks()
        case .nodeRemoved(let id):
            trackAll { tracker, _ in tracker.nodeRemoved(id) }
            noteHoldingSinks()
        case .routesChanged(let id, _, _): trackAll { $0.routesChanged(ofDevice: id, in: $1) }
        case .graphRateSet: endStreamsAtUnusableRate()
        case .rankingRead: isReadingRanking = false
        default: break
        }
        advanceLinks()
    }

    private mutating func noteHoldingSinks() {
        let names = Set(facts.nodes.values.map(\.name).filter(PipeWireGuardSink.isHold))
        updatePrograms { $0.setHoldingSinks(names) }
    }

    private mutating func removePort(_ id: UInt32) {
        guard let port = facts.port(id) else { return }
        trackAll { tracker, _ in tracker.portRemoved(ofNode: port.nodeID) }
        let isChannel = facts.isChannel(port)
        facts.apply(.portRemoved(id: id))
        if isChannel { apply(coalescer.changed()) }
    }

    mutating func lost(_ message: String, lacksDescriptors: Bool) {
        guard !isLost else { return }
        let limit = "this program has reached its limit of open files; raise it (ulimit -n), or close some"
        life = .lost(lacksDescriptors ? limit : message, reason: lacksDescriptors ? limit : "")
        progress = .lost
        programs = PipeWireProgramTracker()
        deadlines.remove(.programs)
        for id in streams.keys { track(id) { $0.failed() } }
        endRelease()
        reportLoss()
    }

    // MARK: Time

    mutating func schedule(_ purpose: PipeWireDeadlines.Purpose, at time: HostTime) { deadlines.set(purpose, at: time) }

    mutating func timerFired() {
        armedTime = nil
        for purpose in deadlines.removeDue(at: now) {
            switch purpose {
            case .report:
                isOpen = true
                reportLoss()
                report()
            case .rest: rested()
            case .unreadRelease: endRelease()
            case .programs: updatePrograms { [now] in $0.debounce(at: now) }
            case .managerStart: commands.append(.look(linkedStreams))
            case .metadata:
                metadata.began()
                commands.append(.readMetadata)
            case .links: advanceLinks()
            case .stream(let id): timedOut(id)
            case .profile(let id): apply(profiles.timedOut(id, in: facts))
            case .alarm(let time): if !isLost { outbox.append(.timeReached(time)) }
            }
        }
    }

    private mutating func rested() {
        guard !isLost, !coalescer.isSyncing else { return }
        for id in streams.keys { streams[id]?.tracker.rested() }
        facts.apply(.rested)
        report()
    }

    // MARK: Other programs

    /// Reports other programs at once instead of at the end of a burst: a session that waits for a claim needs the report early.
    mutating func updatePrograms(_ change: (inout PipeWireProgramTracker) -> Void) {
        change(&programs)
        if let time = programs.nextDeadline {
            deadlines.set(.programs, at: time)
        } else {
            deadlines.remove(.programs)
        }
        if lastSent != nil, !isLost { outbox += programs.drainEvents() }
    }

    mutating func learnOwnClient(_ id: UInt32) { for node in clients.learnOwnID(id) { report(node) } }

    private mutating func report(_ node: PipeWireProgramNode) {
        let (isForeign, name) = (clients.isForeign(node), clients.name(of: node))
        updatePrograms { [now] in
            if node.isClaim {
                $0.changed(PipeWireClaim(node, name: name), isForeign: isForeign)
            } else {
                $0.changed(PipeWireOtherStream(node, name: name), isForeign: isForeign, at: now)
            }
        }
    }

    private mutating func removeProgram(_ serial: UInt64) {
        clients.forget(serial)
        claims.removed(serial: serial)
        var needsSync = false
        updatePrograms { [now] in needsSync = $0.removed(serial, at: now) }
        if needsSync { commands.append(.syncDeparture(serial)) }
    }

    // MARK: Our claims

    mutating func named(_ claim: ClaimID, nodeID: UInt32) {
        if claims.named(claim.number, nodeID: nodeID) { commands.append(.syncClaims) }
    }

    mutating func refused(_ claim: ClaimID, _ error: HostError) {
        claims.forget(claim.number)
        send(.claimRefused(claim, error))
    }

    /// - Returns: whether the claim was granted.
    mutating func withdraw(_ claim: ClaimID) -> Bool { claims.forget(claim.number) }

    // MARK: Releases that the server has not read

    var awaitsReading: Bool { unreadRelease != nil }

    /// Records the round trip after which the server has read the newest release.
    mutating func expectReading(of seq: Int32) {
        unreadRelease = seq
        // Much longer than a busy machine delays the server; the limit exists for a server that is frozen.
        deadlines.set(.unreadRelease, at: now.advanced(byMilliseconds: 1000))
    }

    mutating func claimsRead(_ seq: Int32) { if unreadRelease == seq { endRelease() } }

    private mutating func endRelease() {
        forgetRelease()
        commands.append(.endRelease)
    }

    /// Drops the expected reading: no caller waits for it any more.
    mutating func forgetRelease() {
        unreadRelease = nil
        deadlines.remove(.unreadRelease)
    }

    // MARK: Events

    /// Sends an event that belongs to no burst; it still waits for the first inventory.
    mutating func send(_ event: HostEvent) { outbox.append(event) }

    /// Reports what has changed; reports nothing in the middle of a burst, whose end is still to come.
    private mutating func report() {
        guard isOpen, progress != .waiting, !coalescer.isSyncing, !isLost else { return }
        let isFirst = lastSent == nil
        let inventory = facts.inventory
        let hasChanged = lastSent?.inventory != inventory || !losses.isEmpty
        let steps = hasChanged ? lastSent.map { facts.steps(after: $0) } ?? [inventory] : []
        let ports = steps.enumerated().map { HostEvent.inventoryChanged($1, losses: $0 == 0 ? losses : []) }
        lastSent = facts
        losses = []
        outbox.removeAll { if case .portLost = $0 { true } else { false } }
        let others = programs.drainEvents()
        // The first inventory reports every program as present.
        let first: [HostEvent] = isFirst && followsALoss ? [.connectionRestored] : []
        outbox = first + (isFirst ? others + ports : ports + others) + outbox
    }

    /// Reports the loss, unless the server's return was never reported.
    private mutating func reportLoss() {
        guard isOpen, case .lost(_, let reason) = life, !followsALoss || lastSent != nil else { return }
        life = .lossReported
        outbox.append(.connectionLost(reason))
    }

    /// Removes and returns the events that are to be delivered now.
    mutating func takeEvents() -> [HostEvent] {
        guard isOpen, lastSent != nil || isLost else { return [] }
        defer { outbox = [] }
        return outbox
    }
}
