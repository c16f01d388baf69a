internal import AudioModel

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
        case server(PipeWireServerState.Request)
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
    var server = PipeWireServerState(readsVolumes: true)
    /// Losses to report with the next inventory, even if the inventory has not changed.
    var losses: [PortLoss] = []
    private var programs = PipeWireProgramTracker()
    /// The graph's settings.
    private var settings: [String: UInt32] = [:]
    private var unread: Unread?
    var streams: [StreamID: Stream] = [:]
    var targets = PipeWireStreamTargets()
    var managerStart = PipeWireManagerStart()
    /// The streams that the user has moved, and whose new output the session has received.
    var movedStreams: Set<StreamID> = []
    var profiles = PipeWireProfileSwitch()
    /// Events that wait for the first inventory, or for the end of a call.
    var outbox: [HostEvent] = []
    var commands: [Command] = []

    init(followsALoss: Bool) { self.followsALoss = followsALoss }

    var clients: PipeWireClients { server.clients }
    var isLost: Bool { life != .connected }
    /// The server's words about a loss that was not reported.
    var lossWords: String { if case .lost(let words, _) = life { words } else { "" } }
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
        commands += server.takeRequests().map(Command.server)
        defer { commands = [] }
        return (result, commands)
    }

    // MARK: The server's facts

    /// Asks the server for its state.
    mutating func begin() { server.changed() }

    mutating func receive(_ message: PipeWireMessage) {
        switch message {
        case .setting(let key, let value): set(key, to: value)
        case .streamLinked(let id, let node): track(id) { $0.linked(nodeID: node) }
        case .streamLost(let id, let end): linkEnded(id, end)
        case .streamPaused(let id): paused(id)
        case .streamRunning(let id): track(id) { $0.running() }
        case .streamFailed(let id, let words): failed(id, words, hasNode: false)
        case .streamNamed(let id, let node): named(id, nodeID: node)
        case .claimsRead(let seq): if unread == .release(seq) { endRelease() }
        case .object, .removed, .measured, .chosen, .reading, .synced, .timerFired, .metadataFound, .metadataRead,
            .rankingRead, .targetSet, .claimNamed, .claimFailed, .ownClient, .lost:
            for fact in server.receive(message, at: now) { apply(fact) }
        }
    }

    private mutating func apply(_ fact: PipeWireServerState.Fact) {
        switch fact {
        case .announced: break
        case .inventory(let facts): for fact in facts { apply(fact) }
        case .removed(let id): removePort(id)
        case .link(let id, let output, let input, let isOurs):
            if !isOurs { linkedByOthers(id, from: output, to: input) }
        case .programAnnounced(let serial, let client, let isClaim):
            updatePrograms { $0.added(serial, clientID: client, isClaim: isClaim) }
        case .program(let node): report(node)
        case .programRemoved(let serial): removeProgram(serial)
        case .programDeparted(let serial): updatePrograms { [now] in $0.departed(serial, at: now) }
        // At once: by the end of a long burst, the session manager may already have paused streams.
        case .managerChanged: if progress != .waiting { noteManager() }
        case .targetSet(let target, let node):
            updatePrograms { $0.setTarget(target, ofNode: node) }
            changeTargets { if let node { $0.set(target, ofNode: node) } else { $0.removeAll() } }
        case .granted(let grant): send(.claimGranted(ClaimID(number: grant.tag), ClaimSerial(number: grant.serial)))
        case .refused(let tag, let words): send(.claimRefused(ClaimID(number: tag), .refused(words)))
        case .settled: settled()
        case .requestsRead: if unread == .profiles { endRelease() }
        case .due(let purpose): apply(purpose)
        case .lost(let words, let lacksDescriptors): lost(words, lacksDescriptors: lacksDescriptors)
        }
    }

    /// Stores a setting of the graph; 0 means that it is not set.
    mutating func set(_ key: String, to value: UInt32) {
        let keys = ["clock.rate", "clock.force-rate", "clock.min-quantum", "clock.force-quantum"]
        guard keys.contains(key) else { return }
        settings[key] = value == 0 ? nil : value
        guard let rate = settings["clock.force-rate"] ?? settings["clock.rate"] else { return }
        server.changed()
        apply(.graphRateSet(Double(rate)))
    }

    /// The smallest cycle that the server allows, in frames.
    var smallestQuantum: Int? { (settings["clock.force-quantum"] ?? settings["clock.min-quantum"]).map { Int($0) } }

    private mutating func settled() {
        progress = facts.isComplete ? .complete : .settled
        server.deadlines.set(.rest, at: now.advanced(byMilliseconds: Self.restMilliseconds))
        trackAll { $0.settled(in: $1) }
        linkAwaitingStreams()
        advanceLinks()
        noteManager()
        if clients.hasManager { trackAll { tracker, _ in tracker.managerCame() } }
        report()
    }

    private mutating func apply(_ fact: PipeWireFact) {
        facts.apply(fact)
        switch fact {
        case .nodeChanged: noteHoldingSinks()
        case .nodeRemoved(let id):
            trackAll { tracker, _ in tracker.nodeRemoved(id) }
            noteHoldingSinks()
        case .routesChanged(let id, _, _): trackAll { $0.routesChanged(ofDevice: id, in: $1) }
        case .graphRateSet: endStreamsAtUnusableRate()
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
        if isChannel { server.changed() }
    }

    private mutating func lost(_ message: String, lacksDescriptors: Bool) {
        guard !isLost else { return }
        let limit = "this program has reached its limit of open files; raise it (ulimit -n), or close some"
        life = .lost(lacksDescriptors ? limit : message, reason: lacksDescriptors ? limit : "")
        progress = .lost
        programs = PipeWireProgramTracker()
        server.deadlines.set(.programs, at: nil)
        for id in streams.keys { track(id) { $0.failed() } }
        endRelease()
        reportLoss()
    }

    // MARK: Time

    private mutating func apply(_ purpose: PipeWireDeadlines.Purpose) {
        switch purpose {
        case .report:
            isOpen = true
            reportLoss()
            report()
        case .rest: rested()
        case .unreadRelease: endRelease()
        case .programs: updatePrograms { [now] in $0.debounce(at: now) }
        case .managerStart: commands.append(.look(linkedStreams))
        case .links: advanceLinks()
        case .stream(let id): timedOut(id)
        case .profile(let id): apply(profiles.timedOut(id, in: facts))
        case .alarm(let time): if !isLost { outbox.append(.timeReached(time)) }
        case .metadata, .ranking, .wake: break
        }
    }

    private mutating func rested() {
        guard !isLost, !server.isSyncing else { return }
        for id in streams.keys { streams[id]?.tracker.rested() }
        facts.apply(.rested)
        report()
    }

    // MARK: Other programs

    /// Reports other programs at once instead of at the end of a burst: a session that waits for a claim needs the report early.
    mutating func updatePrograms(_ change: (inout PipeWireProgramTracker) -> Void) {
        change(&programs)
        server.deadlines.set(.programs, at: programs.nextDeadline)
        if lastSent != nil, !isLost { outbox += programs.drainEvents() }
    }

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
        var needsSync = false
        updatePrograms { [now] in needsSync = $0.removed(serial, at: now) }
        if needsSync { server.askForDeparture(of: serial) }
    }

    // MARK: Requests that the server has not read

    /// What the server has yet to read: only the newest.
    enum Unread: Equatable {
        /// A release that notifies others. Exit: `claimsRead` with this number -> nil.
        case release(Int32)
        /// The former profiles of cards. Exit: `requestsRead` -> nil.
        case profiles
    }

    var awaitsReading: Bool { unread != nil }

    mutating func expectReading(of unread: Unread) {
        self.unread = unread
        // Much longer than a busy machine delays the server; the limit exists for a server that is frozen.
        server.deadlines.set(.unreadRelease, at: now.advanced(byMilliseconds: 1000))
    }

    private mutating func endRelease() {
        forgetRelease()
        commands.append(.endRelease)
    }

    /// Drops the expected reading: no caller waits for it any more.
    mutating func forgetRelease() {
        unread = nil
        server.deadlines.set(.unreadRelease, at: nil)
    }

    // MARK: Events

    /// Sends an event that belongs to no burst; it still waits for the first inventory.
    mutating func send(_ event: HostEvent) { outbox.append(event) }

    /// Reports what has changed; reports nothing in the middle of a burst, whose end is still to come.
    private mutating func report() {
        guard isOpen, progress != .waiting, !server.isSyncing, !isLost else { return }
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
