internal import AudioModel
internal import CPipeWireGuardShims
internal import CPipeWireShims
internal import Foundation
internal import GuardCore
internal import HostPipeWire
internal import SessionCore
internal import Synchronization
internal import Threading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The guard's connection to a server: the shim's host, its graph, the two parking sinks and the ducking sink.
///
/// Threads: functions run with the loop locked, except `init`, `begin`, `flush`, `close` and `isLost`.
final class PipeWireGuardConnection: Sendable {
    private struct State {
        var graph: PipeWireGuardGraph
        var clients = PipeWireClients()
        var readings = PipeWireReadings()
        var claims = PipeWireOwnClaims()
        var coalescer = PipeWireChangeCoalescer()
        var metadata = PipeWireMetadataReading()
        /// When to read the metadata; the loop has one timer, for this, `wakeTime` and `newRanking`.
        var readingTime: HostTime?
        var wakeTime: HostTime?
        /// Created by `begin`.
        var rankingReader: WirePlumberRankingReader?
        /// What it has read, until the loop thread applies it.
        var newRanking: WirePlumberRankingReader.Ranking?
        /// nil until the first one was read.
        var ranking: WirePlumberRankingReader.Ranking?
        /// The first inventory is complete; a program that connects later is a new one.
        var hasSettled = false
        /// The round trip for which the coalescer waits.
        var sync: Int32?
        /// nil until the first check.
        var hasManager: Bool?
        var catchSink: Park?
        var holdSink: Park?
        /// The holding sink's node; nil until the server has named it.
        var holdNode: UInt32?
        /// Holds that wait until streams can be linked to the holding sink: before that, a moved stream would go to the default.
        var pendingHolds: [UInt64: Bool] = [:]
        var leftovers = Leftovers.removed(sparing: [])
        var duck: PipeWireDuck?
        /// The tag of the claim for the focus holders on the bus; nil without a claim.
        var focusClaim: UInt64?
        /// The claim to make once the server has `focusClaim`: of a burst of requests, claims follow one after the other.
        var nextFocus: FocusClaim??
        var isClaiming = false
        var lastClaim: UInt64 = 0
        /// The claims of other guards, with the sink at which a leaving guard has streams.
        var rivals: [UInt64: String?] = [:]
        var lacksDescriptors = false
        var life = Life.open
        /// The connection is about to end, and waits until no stream's target is one of its sinks.
        var isFlushing = false

        /// The process whose ranking counts; 0: no session manager is known.
        var managerProcess: UInt32 { clients.manager?.processID ?? 0 }
    }

    /// What happens to targets that are other guards' sinks.
    private enum Leftovers {
        /// - sparing: the sinks of guards that hand over, whose streams are taken over; each is spared until its guard has ended.
        case removed(sparing: Set<String>)
        /// This guard hands over: the targets belong to the next guard.
        case kept
    }

    private enum Life: Equatable {
        /// Delivers nothing before `begin`.
        case open
        case running
        case lost
        case closed
    }

    /// A session manager that works needs much less.
    private static let flushSeconds = 1.0
    /// The tag of the claim for the connection's role.
    private static let ownClaim: UInt64 = 0

    /// Rule: used with the loop locked; removed from the state before the sink is freed.
    private struct Park: @unchecked Sendable { let pointer: OpaquePointer }

    /// The claim mode of a guard that serves only the focus.
    static let focusMode = "focus"
    /// The claim mode of a guard that keeps another guard's holds until the next guard comes.
    static let keepMode = "keep"
    static let handoverKey = "audiosession.guard.hands-over"
    /// The most bytes of another guard's text; a longer text is ignored.
    static let longestHandover = 64 * 1024

    private let parking = PipeWireParking(processID: getpid())
    private let role: PipeWireGuardHost.Role
    private let deliver: @Sendable (GuardFact) -> Void
    private let onLost: @Sendable () -> Void
    private let state: Mutex<State>
    private let isFlushed = Latch()
    /// nil after `close`.
    private let loop: Mutex<PipeWireLoop?>

    init(
        remote: String?, role: PipeWireGuardHost.Role, deliver: @escaping @Sendable (GuardFact) -> Void,
        onLost: @escaping @Sendable () -> Void
    ) throws(HostError) {
        self.role = role
        self.deliver = deliver
        self.onLost = onLost
        state = Mutex(State(graph: PipeWireGuardGraph(parking: parking)))
        loop = Mutex(try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_GUARDS))
    }

    deinit { close() }

    /// Starts the loop: facts are delivered from this call on.
    func begin() {
        guard let loop = openLoop else { return }
        let reader = WirePlumberRankingReader { [weak self] in self?.rankingRead($0) }
        state.withLock { ($0.life, $0.rankingReader) = (.running, reader) }
        loop.begin { [weak self] in self?.receive($0) }
        if role != .observing { loop.withLock { putOwnClaim(loop.pointer) } }
        change { _ in }
        if !loop.run() { lost() }
    }

    /// Must not run on the loop thread.
    func close() {
        let closing = loop.withLock { loop in
            defer { loop = nil }
            return loop
        }
        closing?.withLock {
            let (parks, duck) = state.withLock { state -> ([Park], PipeWireDuck?) in
                defer { (state.catchSink, state.holdSink, state.duck, state.life) = (nil, nil, nil, .closed) }
                return ([state.catchSink, state.holdSink].compactMap { $0 }, state.duck)
            }
            for park in parks { oav_pw_park_free(park.pointer) }
            duck?.free()
        }
    }

    var isLost: Bool { state.withLock { $0.life == .lost } }

    func withLoopLocked<R>(_ body: () -> R) -> R { openLoop.map { $0.withLock(body) } ?? body() }

    private var openLoop: PipeWireLoop? { loop.withLock { $0 } }
    private var pointer: OpaquePointer? { openLoop?.pointer }

    // MARK: Commands

    func apply(_ command: GuardCommand) {
        guard let pointer, !isLost else { return }
        switch command {
        case .takeServer(let sinks): takeServer(pointer, sparing: Set(sinks))
        case .setCatch(let priority): setCatch(priority, pointer)
        case .hold(let stream, let cutsLinks):
            state.withLock { $0.pendingHolds[stream] = cutsLinks }
            holdPending()
        case .cutStrays(let stream):
            let links = state.withLock { $0.graph.strays(ofStream: stream) }
            for link in links { oav_pw_host_destroy_link(pointer, link) }
        case .duck(let stream):
            guard let node = state.withLock({ $0.graph.nodeID(ofStream: stream) }) else { return }
            setTarget(of: node, to: parking.duckName, pointer)
        case .openDuck(let output):
            let duck = PipeWireDuck(pointer, named: parking.duckName, output: output)
            state.withLock { $0.duck = duck }
            advanceDuck()
        case .linkDuck(let output):
            state.withLock { $0.duck?.output = output }
            advanceDuck()
        case .fadeDuck(let decibels, let seconds):
            state.withLock { $0.duck }?.fade(decibels: decibels, seconds: seconds)
        case .closeDuck: state.withLock { $0.duck.take() }?.free()
        case .configureSink(let name):
            // The name comes from another program: its quotation marks must not end the JSON text.
            let json = name.map { "{\"name\":\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"}" }
            _ = withOptionalCString(json) { oav_pw_host_set_configured_sink(pointer, $0) }
        case .claimFocus(let claim): claimFocus(claim, pointer)
        case .acknowledge(let serials):
            oav_pw_claim_say(
                pointer, Self.ownClaim, "audiosession.guard.obeys", serials.map(String.init).joined(separator: " "))
        case .announceHandover(let holds):
            state.withLock { $0.leftovers = .kept }
            let handover = GuardHandover(sink: parking.holdName, holds: holds)
            let text = (try? JSONEncoder().encode(handover)).map { String(decoding: $0, as: UTF8.self) }
            oav_pw_claim_say(pointer, Self.ownClaim, Self.handoverKey, text ?? "")
        case .release(let stream, let target):
            state.withLock { _ = $0.pendingHolds.removeValue(forKey: stream) }
            release(stream, target: target, pointer)
        case .switchPort(let uid, let isMuted, let isRemembered):
            guard let route = state.withLock({ $0.graph.route(ofPort: uid) }) else { return }
            // Only the mute is set, not the volume.
            var mute = oav_pw_volume(is_muted: isMuted == true, amplitude: 0, channel_count: 0)
            withUnsafePointer(to: &mute) { mute in
                let mute = isMuted == nil ? nil : mute
                _ = oav_pw_host_set_route(pointer, route.deviceID, route.cardDevice, route.index, mute, isRemembered)
            }
        case .wake(let time):
            state.withLock { $0.wakeTime = time }
            armTimer()
        }
    }

    private func putOwnClaim(_ host: OpaquePointer) {
        let (status, words) =
            if case .holding(let request) = role {
                putClaim(
                    Self.ownClaim, OAV_PW_CLAIMS_OF_SESSIONS, request.claim.configuration, focus: request.text,
                    program: request.program, host)
            } else {
                putClaim(Self.ownClaim, OAV_PW_CLAIMS_OF_GUARDS, mode: role.claimMode, host)
            }
        if status != OAV_PW_OK { tell(.failed(words)) }
    }

    /// Makes the claim a node on the server, which ends with this process.
    private func putClaim(
        _ tag: UInt64, _ registry: oav_pw_claims, _ configuration: SessionConfiguration? = nil, mode: String? = nil,
        focus: String? = nil, program: String? = nil, _ host: OpaquePointer
    ) -> (oav_pw_status, String) {
        withShimText { text, size in
            withOptionalCString(configuration?.category.word) { category in
                withOptionalCString(configuration?.mode.word ?? mode) { mode in
                    withOptionalCString(focus) { focus in
                        withOptionalCString(program) { program in
                            var config = oav_pw_claim_config(
                                tag: tag, registry: registry, focus: focus, program: program, category: category,
                                mode: mode, policy: nil, options: UInt64(configuration?.options.rawValue ?? 0))
                            return oav_pw_claim_put(host, &config, text, size)
                        }
                    }
                }
            }
        }
    }

    /// Makes the claim for the focus holders on the bus.
    ///
    /// The new claim comes first, so that no session resumes in between.
    private func claimFocus(_ claim: FocusClaim?, _ host: OpaquePointer) {
        let change = state.withLock { state -> (old: UInt64?, new: UInt64)? in
            guard !state.isClaiming else {
                state.nextFocus = .some(claim)
                return nil
            }
            state.lastClaim += 1
            state.isClaiming = claim != nil
            defer { state.focusClaim = claim == nil ? nil : state.lastClaim }
            return (state.focusClaim, state.lastClaim)
        }
        guard let (old, new) = change else { return }
        if claim != nil {
            let (status, _) = putClaim(new, OAV_PW_CLAIMS_OF_SESSIONS, claim.configuration, host)
            if status != OAV_PW_OK { state.withLock { $0.isClaiming = false } }
        }
        if let old {
            state.withLock { _ = $0.claims.forget(old) }
            _ = oav_pw_claim_withdraw(host, old, true)
        }
    }

    /// Handles the server's answer to the claim, also a refusal: makes the newest claim that was requested meanwhile.
    private func focusClaimed(_ tag: UInt64, _ host: OpaquePointer) {
        let next = state.withLock { state -> FocusClaim?? in
            guard state.isClaiming, state.focusClaim == tag else { return nil }
            state.isClaiming = false
            return state.nextFocus.take()
        }
        if let next { claimFocus(next, host) }
    }

    private func takeServer(_ host: OpaquePointer, sparing sinks: Set<String>) {
        if role.makesSinks {
            state.withLock { $0.leftovers = .removed(sparing: sinks) }
            makeHoldSink(host)
            removeLeftovers()
        }
        // The facts follow at the end of a round trip.
        state.withLock { state in
            state.graph.tellAgain()
            state.hasManager = nil
            if state.coalescer.changed() == .sync { state.sync = oav_pw_host_sync(host) }
        }
    }

    private func setCatch(_ priority: Int?, _ host: OpaquePointer) {
        let old = state.withLock { state -> Park? in
            defer { state.catchSink = nil }
            return state.catchSink
        }
        // The new sink comes first: the default must not move to the speaker in between.
        if let priority {
            let park = makePark(
                parking.catchName, "Headphones guard (do not choose)", "Audio/Sink", priority, host)
            state.withLock { $0.catchSink = park }
        }
        if let old { oav_pw_park_free(old.pointer) }
    }

    private func makeHoldSink(_ host: OpaquePointer) {
        // With its media class, mixers do not list the sink and it never becomes the default; a target by name finds it.
        let park = makePark(parking.holdName, "Paused by audiosession guard", OAV_PW_PARKING_CLASS, 1, host)
        state.withLock { $0.holdSink = park }
    }

    private func remakeHoldSink(_ host: OpaquePointer) {
        guard let old = state.withLock({ $0.holdSink }) else { return }
        state.withLock { $0.holdNode = nil }
        makeHoldSink(host)
        oav_pw_park_free(old.pointer)
    }

    /// Replaces the holding sink, which another program has removed: its streams are on their way to the default.
    private func replaceHoldSink(removed node: UInt32) {
        guard let pointer, state.withLock({ $0.life == .running && $0.holdNode == node }) else { return }
        remakeHoldSink(pointer)
        deliver(.holdSinkLost)
    }

    private func makePark(
        _ name: String, _ description: String, _ mediaClass: String, _ priority: Int, _ host: OpaquePointer
    ) -> Park? {
        var park: OpaquePointer?
        let (status, _) = withShimText { text, size in
            name.withCString { name in
                description.withCString { description in
                    mediaClass.withCString { mediaClass in
                        var config = oav_pw_park_config(
                            node_name: name, description: description, media_class: mediaClass,
                            priority: Int32(clamping: priority))
                        return oav_pw_park_new(host, &config, &park, text, size)
                    }
                }
            }
        }
        return status == OAV_PW_OK ? park.map { Park(pointer: $0) } : nil
    }

    private func holdPending() {
        guard let pointer else { return }
        let pending = state.withLock { state -> [UInt64: Bool] in
            guard let park = state.holdSink, state.graph.hasInputs(oav_pw_park_node(park.pointer)) else { return [:] }
            defer { state.pendingHolds = [:] }
            return state.pendingHolds
        }
        for (stream, cutsLinks) in pending.sorted(by: { $0.key < $1.key }) {
            hold(stream, cutsLinks: cutsLinks, pointer)
        }
    }

    private func hold(_ stream: UInt64, cutsLinks: Bool, _ host: OpaquePointer) {
        let (node, links) = state.withLock { ($0.graph.nodeID(ofStream: stream), $0.graph.links(ofStream: stream)) }
        guard let node else { return }
        // Uses the name: a session manager would remember a serial for all streams of that role.
        setTarget(of: node, to: parking.holdName, host)
        if cutsLinks { for link in links { oav_pw_host_destroy_link(host, link) } }
    }

    private func release(_ stream: UInt64, target: String?, _ host: OpaquePointer) {
        let (node, serial) = state.withLock { state in
            (state.graph.nodeID(ofStream: stream), target.flatMap { state.graph.serial(ofSink: $0) })
        }
        guard let node else { return }
        if let serial {
            setTarget(of: node, to: String(serial), type: "Spa:Id", host)
        } else {
            setTarget(of: node, to: nil, type: nil, host)
        }
    }

    private func setTarget(
        of node: UInt32, to target: String?, type: String? = "Spa:String", _ host: OpaquePointer
    ) {
        guard oav_pw_host_set_target(host, node, type, target) else { return }
        state.withLock { $0.graph.noteAsked(target, ofNode: node) }
    }

    // MARK: Facts

    private func receive(_ message: PipeWireMessage) {
        state.withLock { $0.metadata.note(message) }
        switch message {
        case .object(let object): appeared(object)
        case .removed(let object): removed(object)
        case .chosen(let fact): change { $0.apply(fact) }
        case .reading(.profile, _), .reading(.activeProfile, _): break
        case .reading(let part, let device): read(part, of: device)
        case .synced(let seq): synced(seq)
        case .timerFired: timerFired()
        case .metadataFound(let key, let value): state.withLock { $0.metadata.found(key, value) }
        case .metadataRead(let isComplete):
            let (changes, again) = state.withLock { $0.metadata.ended(isComplete: isComplete) }
            for (key, value) in changes { receive(key.message(value)) }
            readMetadata(after: again)
        case .targetSet(let target, let node?): setTarget(target, ofNode: node)
        case .targetSet(_, nil): change { $0.removeTargets() }
        case .claimNamed(let claim, let node): askForClaims { $0.named(claim.number, nodeID: node) }
        case .claimFailed(let claim, let words): claimFailed(claim.number, words)
        case .ownClient(let id): learnOwnClient(id)
        case .lost(_, let lacksDescriptors):
            if lacksDescriptors, role.makesSinks, !state.withLock({ $0.lacksDescriptors }) {
                deliver(.descriptorsRanOut)
            }
            lost()
        // This connection creates no streams.
        case .measured, .setting, .claimsRead, .streamLinked, .streamLost,
            .streamPaused, .streamRunning, .streamFailed, .streamNamed:
            break
        }
    }

    // MARK: The timer

    private func armTimer() {
        guard let pointer else { return }
        let next = state.withLock { state in
            [state.wakeTime, state.readingTime, state.newRanking.map { _ in .zero }].compactMap { $0 }.min()
        }
        oav_pw_host_arm(pointer, next.map { max($0.nanoseconds, 1) } ?? 0)
    }

    private func timerFired() {
        let now = HostTime.monotonic
        let (wakes, reads) = state.withLock { state -> (Bool, Bool) in
            let (wakes, reads) = (state.wakeTime.map { $0 <= now } == true, state.readingTime.map { $0 <= now } == true)
            if wakes { state.wakeTime = nil }
            if reads {
                state.readingTime = nil
                state.metadata.began()
            }
            return (wakes, reads)
        }
        if reads, let pointer, !oav_pw_host_read_metadata(pointer) { receive(.metadataRead(isComplete: false)) }
        applyRanking()
        armTimer()
        if wakes { deliver(.timeReached) }
    }

    /// The server may have delayed a default or a target (decision 58).
    private func readMetadata(after milliseconds: UInt64?) {
        guard let milliseconds else { return }
        let time = HostTime.monotonic.advanced(bySeconds: Double(milliseconds) / 1000)
        state.withLock { $0.readingTime = min($0.readingTime ?? time, time) }
        armTimer()
    }

    private func programConnected(_ client: PipeWireClients.Client) {
        guard role.guards else { return }
        readMetadata(after: state.withLock { $0.hasSettled ? $0.metadata.connected(client) : nil })
    }

    /// An unreported default would have no catching sink.
    private func doubtDefault() {
        guard role.guards else { return }
        readMetadata(after: state.withLock { $0.graph.hasNewDoubt() ? $0.metadata.doubted() : nil })
    }

    private func change(_ body: (inout PipeWireGuardGraph) -> Void) {
        guard let pointer else { return }
        let (facts, hasLostManager) = state.withLock { state -> ([GuardFact], Bool) in
            guard state.life == .running else { return ([], false) }
            body(&state.graph)
            noteHoldNode(&state)
            let hadManager = state.hasManager == true
            noteManager(&state)
            if state.coalescer.changed() == .sync { state.sync = oav_pw_host_sync(pointer) }
            return (state.graph.drainFacts(), hadManager && state.hasManager == false)
        }
        // The next manager (WirePlumber 0.4.13) does not set up a sink that another manager has set up: it would lose streams there.
        if hasLostManager { remakeHoldSink(pointer) }
        for fact in facts { deliver(fact) }
        holdPending()
        advanceDuck()
    }

    /// - Parameter change: returns whether a round trip is needed.
    private func askForClaims(_ change: (inout PipeWireOwnClaims) -> Bool) {
        guard let pointer else { return }
        state.withLock { if change(&$0.claims) { $0.claims.asked(oav_pw_host_sync(pointer)) } }
    }

    private func claimFailed(_ tag: UInt64, _ words: String) {
        state.withLock { _ = $0.claims.forget(tag) }
        if tag == Self.ownClaim { tell(.failed(words)) } else if let pointer { focusClaimed(tag, pointer) }
    }

    /// Links the ducking sink to its output once both have ports.
    private func advanceDuck() {
        let (isReady, facts) = state.withLock { state -> (Bool, [GuardFact]) in
            guard let duck = state.duck else { return (false, []) }
            if let sink = duck.sinkNode { state.graph.setParkNode(sink, .duck) }
            return (duck.advance(state.graph), state.graph.drainFacts())
        }
        for fact in facts { deliver(fact) }
        if isReady { deliver(.duckReady) }
    }

    private func synced(_ seq: Int32) {
        guard let pointer else { return }
        for grant in state.withLock({ $0.claims.synced(seq) }) {
            if grant.tag == Self.ownClaim {
                // The server sent its name before this answer.
                deliver(.serverNamed(oav_pw_host_server_cookie(pointer)))
                tell(.granted(serial: grant.serial))
            } else {
                focusClaimed(grant.tag, pointer)
            }
        }
        let (facts, isOver, isSettled) = state.withLock { state -> ([GuardFact], Bool, Bool) in
            guard state.life == .running, state.sync == seq else { return ([], false, false) }
            state.sync = nil
            var (isOver, isSettled) = (false, false)
            noteHoldNode(&state)
            let isReading = state.readings.areUnderWay || state.clients.ownID == nil
            switch state.coalescer.synced(isEnumerating: isReading) {
            case .none: break
            case .sync: state.sync = oav_pw_host_sync(pointer)
            case .settled:
                isOver = true
                // Without the ranking of this session manager, the state is not complete: the ranking begins another burst.
                guard state.ranking?.process == state.managerProcess else { break }
                state.graph.noteSettled()
                state.hasSettled = true
                isSettled = true
            }
            return (state.graph.drainFacts(), isOver, isSettled)
        }
        // The session manager may have stored another choice since.
        if isOver { readRanking() }
        for fact in facts { deliver(fact) }
        if isSettled { doubtDefault() }
        if isSettled, role.makesSinks { watchDescriptors() }
    }

    /// Reports once that few descriptors are left; reports it again only after there were enough.
    private func watchDescriptors() {
        let lacks = oav_pw_lacks_descriptors()
        let isNew = state.withLock { state in
            defer { state.lacksDescriptors = lacks }
            return lacks && !state.lacksDescriptors
        }
        if isNew { deliver(.descriptorsRanOut) }
    }

    private func setTarget(_ target: String?, ofNode id: UInt32) {
        change { $0.setTarget(target, ofNode: id) }
        removeLeftovers()
        noteFlushed()
    }

    /// Waits at most `flushSeconds` until the session manager has processed the last requests.
    ///
    /// Requests that are on their way when a connection ends are lost: removed targets would stay. Must not run on the loop thread.
    func flush() {
        guard let loop = openLoop else { return }
        loop.withLock {
            state.withLock { $0.isFlushing = true }
            noteFlushed()
        }
        isFlushed.wait(timeoutSeconds: Self.flushSeconds)
    }

    private func noteFlushed() {
        let isDone = state.withLock {
            $0.isFlushing && (!$0.graph.hasOwnTargets || $0.life != .running || $0.hasManager != true)
        }
        if isDone { isFlushed.raise() }
    }

    /// Removes the targets that a killed guard has left behind.
    ///
    /// While another guard owns the server, the targets belong to that guard.
    private func removeLeftovers() {
        guard let pointer else { return }
        let nodes = state.withLock { state -> [UInt32] in
            guard state.holdSink != nil, case .removed(let sinks) = state.leftovers else { return [] }
            return state.graph.leftovers(sparing: sinks)
        }
        for node in nodes { setTarget(of: node, to: nil, type: nil, pointer) }
    }

    private func tell(_ change: GuardClaimChange) {
        guard state.withLock({ $0.life == .running }) else { return }
        deliver(.guardsChanged(change))
    }

    private func appeared(_ object: PipeWireObject) {
        switch object {
        case .announced: change { _ in }
        case .node(let node): change { $0.apply(.nodeChanged(node)) }
        case .device(let device): change { $0.apply(.deviceChanged(device)) }
        case .programAnnounced(let serial, let node, _, true):
            askForClaims { $0.announced(nodeID: node, serial: serial) }
            // The first inventory waits for the other guard's properties.
            change { _ in }
        case .programAnnounced: break
        case .program(let node): if let node = state.withLock({ $0.clients.admit(node) }) { report(node) }
        case .port(let port): change { $0.apply(.portAdded(port)) }
        case .link(let id, let output, let input, _): change { $0.addLink(id, from: output, to: input) }
        case .client(_, let client):
            guard state.withLock({ $0.clients.note(object) }) else { return programConnected(client) }
            // Begun here, the reading is over at the end of the first burst.
            readRanking()
            change { _ in }
        case .factory, .metadata: if state.withLock({ $0.clients.note(object) }) { change { _ in } }
        }
    }

    private func removed(_ object: PipeWireObject.Removal) {
        switch object {
        case .node(let id):
            replaceHoldSink(removed: id)
            change { $0.apply(.nodeRemoved(id: id)) }
        case .device(let id):
            state.withLock { $0.readings.forget(id) }
            change { $0.apply(.deviceRemoved(id: id)) }
        case .program(let serial): otherRemoved(serial)
        case .other(let id):
            _ = state.withLock { $0.clients.remove(id) }
            change {
                $0.apply(.portRemoved(id: id))
                $0.removeObject(id)
            }
        }
    }

    /// Applies a card's readings as one change.
    private func read(_ part: PipeWireReadings.Part, of device: UInt32) {
        let facts = state.withLock { $0.readings.add(part, of: device) }
        if part == .begun || !facts.isEmpty { change { $0.apply(facts) } }
    }

    private func learnOwnClient(_ id: UInt32) {
        for node in state.withLock({ $0.clients.learnOwnID(id) }) { report(node) }
    }

    private func report(_ node: PipeWireProgramNode) {
        let clients = state.withLock { $0.clients }
        if node.isCapture {
            // A session of this library announces itself by its claim; effects, filters and meters record nothing.
            guard clients.isForeign(node), !node.isSession, !node.isMeter else { return }
            let capture = PipeWireGuardGraph.Capture(
                serial: node.serial, nodeID: node.nodeID, program: Program(node, clients), isRunning: node.isRunning)
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
        state.withLock { $0.rivals[rival.serial] = .some(sink) }
        tell(.rivalChanged(rival))
    }

    private func otherRemoved(_ serial: UInt64) {
        let wasRival = state.withLock { state in
            state.clients.forget(serial)
            state.claims.removed(serial: serial)
            guard let sink = state.rivals.removeValue(forKey: serial) else { return false }
            // Another leaving guard may still be there, so only this sink is no longer spared.
            if let sink, case .removed(let sinks) = state.leftovers {
                state.leftovers = .removed(sparing: sinks.subtracting([sink]))
            }
            return true
        }
        if wasRival {
            tell(.rivalLeft(serial: serial))
            removeLeftovers()
        } else {
            deliver(.holderLeft(.claim(serial: serial)))
        }
        change { $0.removeStream(serial) }
    }

    private func lost() {
        let wasRunning = state.withLock { state in
            defer { state.life = .lost }
            return state.life == .running
        }
        guard wasRunning else { return }
        deliver(.connectionLost)
        onLost()
    }

    private func noteHoldNode(_ state: inout State) {
        guard let park = state.holdSink else { return }
        let id = oav_pw_park_node(park.pointer)
        guard id != .max else { return }
        state.holdNode = id
        state.graph.setParkNode(id, .hold)
    }

    private func noteManager(_ state: inout State) {
        let hasManager = state.clients.keepsTargets
        guard state.hasManager != hasManager else { return }
        if state.hasManager != nil || !hasManager { state.graph.changeManager(isPresent: hasManager) }
        state.hasManager = hasManager
    }

    private func readRanking() {
        let (reader, process) = state.withLock { ($0.rankingReader, $0.managerProcess) }
        reader?.read(ofProcess: process)
    }

    /// Hands a ranking to the loop thread, which delivers all facts.
    private func rankingRead(_ ranking: WirePlumberRankingReader.Ranking) {
        openLoop?.withLock {
            let isNew = state.withLock { state in
                state.newRanking = ranking == state.ranking ? nil : ranking
                return state.newRanking != nil
            }
            if isNew { armTimer() }
        }
    }

    private func applyRanking() {
        let changed = state.withLock { state -> WirePlumberRankingReader.Ranking? in
            let ranking = state.newRanking.take()
            if let ranking { state.ranking = ranking }
            return ranking
        }
        if let changed { change { $0.setRanking(changed.rules, stored: changed.stored) } }
    }
}

extension GuardRival {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        self.init(
            serial: node.serial, name: clients.name(of: node)?.capped ?? "unnamed",
            processID: clients.processID(of: node), machine: node.properties["application.process.host"]?.capped,
            purpose: Purpose(node),
            obeyed: Set(
                (node.properties["audiosession.guard.obeys"] ?? "").split(separator: " ").compactMap { UInt64($0) }))
    }
}

extension GuardRival.Purpose {
    init(_ node: PipeWireProgramNode) {
        let text = node.properties[PipeWireGuardConnection.handoverKey] ?? ""
        if !text.isEmpty, text.utf8.count <= PipeWireGuardConnection.longestHandover,
            let handover = try? JSONDecoder().decode(GuardHandover.self, from: Data(text.utf8))
        {
            self = .leaving(handover)
            return
        }
        self =
            switch node.properties["audiosession.claim.mode"] {
            case PipeWireGuardConnection.focusMode: .focus
            case PipeWireGuardConnection.keepMode: .keeping
            default: .guarding
            }
    }
}

extension FocusHolder {
    /// - Returns: nil for a claim that asks nothing of programs without a session.
    init?(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        let claim = PipeWireClaim(node, name: clients.name(of: node))
        let request: FocusRequest
        if let text = node.properties["audiosession.focus"] {
            guard let asked = FocusRequest(text: text) else { return nil }
            request = asked
        } else if claim.isWaiting {
            return nil
        } else if claim.configuration.ducksOthers {
            request = FocusRequest(kind: .duck(decibels: FocusHolder.standardDecibels))
        } else if claim.configuration.interruptsSpokenAudio {
            request = FocusRequest(kind: .pauseSpeech)
        } else {
            return nil
        }
        self = request.holder(.claim(serial: node.serial), of: Program(node, clients))
        since = .monotonic
    }
}

extension Optional where Wrapped == FocusClaim {
    /// A claim configuration that has this meaning for other sessions.
    var configuration: SessionConfiguration {
        switch self {
        case .duck: SessionConfiguration(category: .playback, options: .duckOthers)
        case .pauseSpeech: SessionConfiguration(category: .playback, options: .interruptSpokenAudioAndMixWithOthers)
        case .pause: SessionConfiguration(category: .playback)
        case .call: SessionConfiguration(category: .playAndRecord, mode: .voiceChat)
        // This configuration asks nothing of other sessions.
        case nil: SessionConfiguration(category: .ambient)
        }
    }
}

extension Program {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        let process = clients.processID(of: node)
        let binary = node.properties["application.process.binary"] ?? process.flatMap(ProcessTree.binary)
        // FFmpeg's library uses its own name if its program sets none.
        let said = clients.name(of: node).flatMap { $0.isEmpty || $0.hasPrefix("Lavf") ? nil : $0 }
        self.init(
            identity: process.map { .process($0) } ?? .client(node.clientID ?? .max),
            name: (said ?? binary ?? process.flatMap(ProcessTree.name) ?? "unnamed").capped, binary: binary,
            ancestors: process.map(ProcessTree.ancestors) ?? [])
    }
}

extension PipeWireGuardGraph.Stream {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        self.init(
            serial: node.serial, nodeID: node.nodeID, program: Program(node, clients),
            role: node.properties["media.role"]?.capped, isRunning: node.isRunning, isSilent: node.isSilent,
            standing: clients.isForeign(node) && !node.isSession && node.isMovable ? .movable : .leftAlone,
            group: node.properties["node.link-group"])
    }
}
