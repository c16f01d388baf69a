internal import AudioModel
internal import CPipeWireGuardShims
internal import CPipeWireShims
internal import Foundation
internal import GuardCore
internal import HostPipeWire
internal import Threading

/// The guard's connection to a server: its graph, its claims, and what it does to other programs' streams.
///
/// Rule: everything but `isLost`, `begin`, `flush`, `close` and `withLoopLocked` is used with the loop locked.
final class PipeWireGuardConnection: ReplaceableConnection, ServerConnection, @unchecked Sendable {
    /// What happens to targets that are other guards' sinks.
    private enum Leftovers {
        /// - sparing: the sinks of guards that hand over, whose streams are taken over; each is spared until its guard has ended.
        case removed(sparing: Set<String>)
        /// This guard hands over: the targets belong to the next guard.
        case kept
    }

    private enum Life: Equatable {
        /// Delivers nothing before `begin`. Exits: `running`, `closed`.
        case open
        /// Exits: `lost`, `closed`.
        case running
        /// Exit: `closed`.
        case lost
        case closed
    }

    /// A session manager that works needs much less.
    private static let flushSeconds = 1.0
    /// The tag of the claim for the connection's role.
    private static let ownClaim: UInt64 = 0

    private let remote: String?
    private let role: PipeWireGuardHost.Role
    private let deliver: @Sendable (GuardFact) -> Void
    private let onLost: @Sendable () -> Void
    let loop: ClosableLoop
    private let host: OpaquePointer
    private let isFlushed = Latch()

    private var life = Life.open
    var server: PipeWireServerState
    private var graph: PipeWireGuardGraph
    private let sinks: PipeWireGuardSinks
    private var duck: PipeWireDuck?
    /// nil until the first check.
    private var hasManager: Bool?
    /// Holds that wait until streams can be linked to the holding sink: before that, a moved stream would go to the default.
    private var pendingHolds: [UInt64: Bool] = [:]
    private var leftovers = Leftovers.removed(sparing: [])
    private var focusClaim = GuardFocusClaim()
    /// The claims of other guards, with the sink at which a leaving guard has streams.
    private var rivals: [UInt64: String?] = [:]
    private var lacksDescriptors = false
    /// The connection is about to end, and waits until no stream's target is one of its sinks.
    private var isFlushing = false

    init(
        remote: String?, role: PipeWireGuardHost.Role, deliver: @escaping @Sendable (GuardFact) -> Void,
        onLost: @escaping @Sendable () -> Void
    ) throws(HostError) {
        self.remote = remote
        self.role = role
        self.deliver = deliver
        self.onLost = onLost
        loop = try ClosableLoop(remote: remote)
        host = loop.calls.host
        sinks = PipeWireGuardSinks(host)
        graph = PipeWireGuardGraph(parking: sinks.names)
        server = PipeWireServerState(readsMetadata: role.guards)
    }

    deinit { close() }

    func successor() throws(HostError) -> PipeWireGuardConnection {
        try PipeWireGuardConnection(remote: remote, role: role, deliver: deliver, onLost: onLost)
    }

    func begin() {
        let hasThread = loop.run({ [weak self] in self?.receive($0) }) {
            life = .running
            if role != .observing { putOwnClaim() }
            change { _ in }
        }
        if !hasThread { loop.withLock { lost() } }
    }

    func close() {
        loop.close {
            life = .closed
            sinks.free()
            duck.take()?.free()
        }
    }

    var isLost: Bool { loop.withLock { life == .lost } ?? false }

    func withLoopLocked<R>(_ body: () -> R) -> R { loop.withLock(body) ?? body() }

    // MARK: Commands

    func apply(_ command: GuardCommand) {
        guard life == .open || life == .running else { return }
        switch command {
        case .takeServer(let sinks): takeServer(sparing: Set(sinks))
        case .setCatch(let priority): sinks.setCatch(priority)
        case .hold(let stream, let cutsLinks):
            pendingHolds[stream] = cutsLinks
            holdPending()
        case .cutStrays(let stream):
            for link in graph.strays(ofStream: stream) { oav_pw_host_destroy_link(host, link) }
        case .duck(let stream):
            if let node = graph.nodeID(ofStream: stream) { setTarget(of: node, to: sinks.names.duckName) }
        case .giveMicrophone(let stream, let name):
            // Uses the name, as `hold` does.
            guard let node = graph.nodeID(ofStream: stream) else { return }
            setTarget(of: node, to: name)
            // WirePlumber 0.5 reads no target before the link that it makes is ready, which may take longer than its 0.5 s.
            for link in graph.headsetLinks(toNode: node) { oav_pw_host_destroy_link(host, link) }
        case .openDuck(let output):
            duck = PipeWireDuck(host, named: sinks.names.duckName, output: output)
            advanceDuck()
        case .linkDuck(let output):
            duck?.output = output
            advanceDuck()
        case .fadeDuck(let decibels, let seconds): duck?.fade(decibels: decibels, seconds: seconds)
        case .closeDuck: duck.take()?.free()
        case .configureSink(let name):
            // The name comes from another program: its quotation marks must not end the JSON text.
            let json = name.map { "{\"name\":\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"}" }
            _ = oav_pw_host_set_configured_sink(host, json)
        case .claimFocus(let claim): if let step = focusClaim.request(claim) { claimFocus(step) }
        case .acknowledge(let serials):
            oav_pw_claim_say(
                host, Self.ownClaim, "audiosession.guard.obeys", serials.map(String.init).joined(separator: " "))
        case .announceHandover(let holds):
            leftovers = .kept
            let handover = GuardHandover(sink: sinks.names.holdName, holds: holds)
            let text = (try? JSONEncoder().encode(handover)).map { String(decoding: $0, as: UTF8.self) }
            oav_pw_claim_say(host, Self.ownClaim, GuardRival.Purpose.handoverKey, text ?? "")
        case .release(let stream, let target):
            pendingHolds[stream] = nil
            release(stream, target: target)
        case .switchPort(let uid, let isMuted, let isRemembered):
            guard let route = graph.route(ofPort: uid) else { return }
            // Only the mute is set, not the volume.
            var mute = oav_pw_volume(is_muted: isMuted == true, amplitude: 0, channel_count: 0)
            withUnsafePointer(to: &mute) { mute in
                let mute = isMuted == nil ? nil : mute
                _ = oav_pw_host_set_route(host, route.deviceID, route.cardDevice, route.index, mute, isRemembered)
            }
        case .wake(let time):
            server.deadlines.set(.wake, at: time)
            sendRequests()
        }
    }

    private func putOwnClaim() {
        let (status, words) = loop.calls.putClaim(Self.ownClaim, in: OAV_PW_CLAIMS_OF_GUARDS, mode: role.claimMode)
        if status != OAV_PW_OK { tell(.failed(words)) }
    }

    /// The new claim comes first, so that no session resumes in between.
    private func claimFocus(_ step: GuardFocusClaim.Step) {
        if step.made != nil {
            let (status, _) = loop.calls.putClaim(
                step.tag, in: OAV_PW_CLAIMS_OF_SESSIONS, configuration: step.made.configuration)
            if status != OAV_PW_OK { focusClaim.failed(step.tag) }
        }
        if let old = step.withdrawn {
            server.forgetClaim(old)
            _ = oav_pw_claim_withdraw(host, old, true)
        }
    }

    private func takeServer(sparing names: Set<String>) {
        if role.makesSinks {
            leftovers = .removed(sparing: names)
            sinks.makeHold()
            removeLeftovers()
        }
        // The facts follow at the end of a round trip.
        graph.tellAgain()
        hasManager = nil
        server.changed()
        sendRequests()
    }

    /// Replaces the holding sink, which another program has removed: its streams are on their way to the default.
    private func replaceHoldSink(removed node: UInt32) {
        guard life == .running, sinks.holdNode == node else { return }
        sinks.remakeHold()
        deliver(.holdSinkLost)
    }

    private func holdPending() {
        guard !pendingHolds.isEmpty, let node = sinks.findHoldNode(), graph.hasInputs(node) else { return }
        let pending = pendingHolds
        pendingHolds = [:]
        for (stream, cutsLinks) in pending.sorted(by: { $0.key < $1.key }) { hold(stream, cutsLinks: cutsLinks) }
    }

    private func hold(_ stream: UInt64, cutsLinks: Bool) {
        let links = graph.links(ofStream: stream)
        guard let node = graph.nodeID(ofStream: stream) else { return }
        // Uses the name: a session manager would remember a serial for all streams of that role.
        setTarget(of: node, to: sinks.names.holdName)
        if cutsLinks { for link in links { oav_pw_host_destroy_link(host, link) } }
    }

    private func release(_ stream: UInt64, target: String?) {
        guard let node = graph.nodeID(ofStream: stream) else { return }
        if let serial = target.flatMap({ graph.serial(ofSink: $0) }) {
            setTarget(of: node, to: String(serial), type: "Spa:Id")
        } else {
            setTarget(of: node, to: nil, type: nil)
        }
    }

    private func setTarget(of node: UInt32, to target: String?, type: String? = "Spa:String") {
        guard oav_pw_host_set_target(host, node, type, target) else { return }
        graph.noteAsked(target, ofNode: node)
    }

    // MARK: Facts

    var isClosed: Bool { life == .closed }

    func apply(_ fact: PipeWireServerState.Fact) {
        switch fact {
        case .announced: change(isCounted: true) { _ in }
        // The burst waits for a claim's contents.
        case .managerChanged, .programAnnounced(_, _, isClaim: true): change { _ in }
        case .inventory(let facts): apply(facts)
        case .program(let node): report(node)
        case .programRemoved(let serial): removed(serial)
        case .link(let id, let output, let input, _): change { $0.addLink(id, from: output, to: input) }
        case .removed(let id):
            change {
                $0.apply(.portRemoved(id: id))
                $0.removeObject(id)
            }
        case .targetSet(let target, let node?):
            change { $0.setTarget(target, ofNode: node) }
            removeLeftovers()
            noteFlushed()
        case .targetSet(_, nil): change { $0.removeTargets() }
        case .granted(let grant): granted(grant)
        case .refused(tag: Self.ownClaim, let words): tell(.failed(words))
        case .refused(tag: let tag, _): if let step = focusClaim.answered(tag) { claimFocus(step) }
        case .settled: settled()
        case .due(.wake): deliver(.timeReached)
        case .lost(_, let lacksDescriptors):
            if lacksDescriptors, role.makesSinks, !self.lacksDescriptors { deliver(.descriptorsRanOut) }
            lost()
        case .programAnnounced, .programDeparted, .requestsRead, .due: break
        }
    }

    private func apply(_ facts: [PipeWireFact]) {
        for case .nodeRemoved(let id) in facts { replaceHoldSink(removed: id) }
        change(isCounted: true) { graph in
            for case .rankingRead(let rules, let stored) in facts { graph.setRanking(rules, stored: stored) }
            graph.apply(facts)
        }
    }

    /// - Parameter isCounted: whether the server's state has started or prolonged the burst.
    private func change(isCounted: Bool = false, _ body: (inout PipeWireGuardGraph) -> Void) {
        guard life == .running else { return }
        body(&graph)
        noteHoldNode()
        let hasLostManager = noteManager()
        if !isCounted { server.changed() }
        let facts = graph.drainFacts()
        sendRequests()
        // The next manager (WirePlumber 0.4.13) does not set up a sink that another manager has set up: it would lose streams there.
        if hasLostManager { sinks.remakeHold() }
        for fact in facts { deliver(fact) }
        holdPending()
        advanceDuck()
    }

    private func noteHoldNode() { if let id = sinks.findHoldNode() { graph.setParkNode(id, .hold) } }

    /// - Returns: whether the session manager has left.
    private func noteManager() -> Bool {
        let (old, new) = (hasManager, server.clients.keepsTargets)
        guard old != new else { return false }
        if old != nil || !new { graph.changeManager(isPresent: new) }
        hasManager = new
        return old == true
    }

    /// Links the ducking sink to its output once both have ports.
    private func advanceDuck() {
        guard let duck else { return }
        if let sink = duck.sinkNode { graph.setParkNode(sink, .duck) }
        let known = graph
        let isReady = duck.advance(known)
        for fact in graph.drainFacts() { deliver(fact) }
        if isReady { deliver(.duckReady) }
    }

    private func granted(_ grant: PipeWireOwnClaims.Grant) {
        guard grant.tag == Self.ownClaim else {
            if let step = focusClaim.answered(grant.tag) { claimFocus(step) }
            return
        }
        // The server sent its name before this answer.
        deliver(.serverNamed(oav_pw_host_server_cookie(host)))
        tell(.granted(serial: grant.serial))
    }

    private func settled() {
        guard life == .running else { return }
        noteHoldNode()
        // The session manager may have stored another choice since.
        server.readRanking()
        sendRequests()
        // Without the ranking of this session manager, the state is not complete: the ranking begins another burst.
        let isComplete = server.ranking?.process == server.managerProcess
        if isComplete { graph.noteSettled() }
        for fact in graph.drainFacts() { deliver(fact) }
        guard isComplete else { return }
        doubtDefault()
        if role.makesSinks { watchDescriptors() }
    }

    /// An unreported default would have no catching sink.
    private func doubtDefault() {
        guard role.guards, graph.hasNewDoubt() else { return }
        server.doubtDefault(at: .monotonic)
        sendRequests()
    }

    /// Reports once that few descriptors are left; reports it again only after there were enough.
    private func watchDescriptors() {
        let had = lacksDescriptors
        lacksDescriptors = oav_pw_lacks_descriptors()
        if lacksDescriptors, !had { deliver(.descriptorsRanOut) }
    }

    /// Waits at most `flushSeconds` until the session manager has processed the last requests.
    ///
    /// Requests that are on their way when a connection ends are lost: removed targets would stay. Must not run on the loop thread.
    func flush() {
        let isOpen = loop.withLock {
            isFlushing = true
            noteFlushed()
            return true
        }
        if isOpen == true { isFlushed.wait(timeoutSeconds: Self.flushSeconds) }
    }

    private func noteFlushed() {
        if isFlushing, !graph.hasOwnTargets || life != .running || hasManager != true { isFlushed.raise() }
    }

    /// Removes the targets that a killed guard has left behind.
    ///
    /// While another guard owns the server, the targets belong to that guard.
    private func removeLeftovers() {
        guard life == .running, sinks.hasHoldSink, case .removed(let names) = leftovers else { return }
        for node in graph.leftovers(sparing: names) { setTarget(of: node, to: nil, type: nil) }
    }

    private func tell(_ change: GuardClaimChange) { if life == .running { deliver(.guardsChanged(change)) } }

    // MARK: Other programs

    private func report(_ node: PipeWireProgramNode) {
        let clients = server.clients
        if node.isCapture {
            // A session of this library announces itself by its claim; effects, filters and meters record nothing.
            guard clients.isForeign(node), !node.isSession, !node.isMeter else { return }
            let capture = PipeWireGuardGraph.Capture(
                serial: node.serial, nodeID: node.nodeID, program: Program(node, clients), isRunning: node.isRunning,
                role: node.properties["media.role"]?.capped,
                isMovable: node.isMovable && node.properties["target.object"] == nil
                    && node.properties["node.target"] == nil)
            change { $0.change(capture) }
        } else if !node.isClaim {
            let stream = PipeWireGuardGraph.Stream(node, clients)
            change { $0.change(stream) }
        } else if !clients.isForeign(node) {
            // Our own claim.
        } else if node.isGuard {
            rivalChanged(GuardRival(node, clients))
        } else if let holder = FocusHolder(node, clients) {
            deliver(.holderChanged(holder))
        } else {
            deliver(.holderLeft(.claim(serial: node.serial)))
        }
    }

    private func rivalChanged(_ rival: GuardRival) {
        let sink: String? = if case .leaving(let handover) = rival.purpose { handover.sink } else { nil }
        rivals[rival.serial] = .some(sink)
        tell(.rivalChanged(rival))
    }

    private func removed(_ serial: UInt64) {
        if let sink = rivals.removeValue(forKey: serial) {
            // Another leaving guard may still be there, so only this sink is no longer spared.
            if let sink, case .removed(let names) = leftovers {
                leftovers = .removed(sparing: names.subtracting([sink]))
            }
            tell(.rivalLeft(serial: serial))
            removeLeftovers()
        } else {
            deliver(.holderLeft(.claim(serial: serial)))
        }
        change { $0.removeStream(serial) }
    }

    private func lost() {
        let wasRunning = life == .running
        life = .lost
        guard wasRunning else { return }
        deliver(.connectionLost)
        onLost()
    }
}
