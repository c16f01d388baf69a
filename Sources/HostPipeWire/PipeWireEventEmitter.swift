internal import AudioModel
internal import CPipeWireShims
internal import Dispatch
internal import HostInterface
internal import Synchronization

/// Folds one server's facts and turns them into host events.
///
/// The shim's callbacks hold it; it knows no host. Another server, after a loss, has another emitter.
///
/// Threads: facts come with the loop locked, one after the other, and every event is delivered there; the session thread
/// reads locations and hands in claims. The state's lock is held for a decision only: the shim and the session are called
/// after it, the shim first, so that a gate is closed before an event is sent.
final class PipeWireEventEmitter: Sendable {
    private struct State {
        var host: HostHandle?
        var facts = PipeWireInventory()
        /// What the session knows; nil before the first inventory.
        var lastSent: PipeWireInventory?
        var delivery: PipeWireDelivery?
        /// The first report was asked for: `start` has returned, or the connection has replaced a lost one.
        var isOpen = false
        var life = Life.connected
        var hasSettled = false
        var coalescer = PipeWireChangeCoalescer()
        /// The round trip that the coalescer waits for.
        var sync: Int32?
        var deadlines = PipeWireDeadlines()
        var armedTime: HostTime?
        /// Reported with the next inventory, even where that is the same as before.
        var losses: [PortLoss] = []
        var programs = PipeWireProgramTracker()
        /// The round trips after which departures of claims are reported.
        var departures: [Int32: UInt64] = [:]
        /// Events that wait for the first inventory, or for a call to return.
        var outbox: [HostEvent] = []
        var unread: UnreadRelease?
        var streams: [StreamID: Stream] = [:]
        var targets = PipeWireStreamTargets()
        var managerStart = PipeWireManagerStart()
        /// The streams that the user has moved; the session was told where.
        var movedStreams: Set<StreamID> = []
        var profiles = PipeWireProfileSwitch()
        var commands: [Command] = []

        var isLost: Bool { life != .connected }
        /// The facts are one consistent state, not the middle of a burst.
        var isSettled: Bool { hasSettled && !coalescer.isSyncing }

        mutating func endUnread() -> [@Sendable () -> Void] {
            defer { unread = nil }
            deadlines.remove(.unreadRelease)
            return unread?.waiting ?? []
        }
    }

    private enum Life: Equatable {
        /// Exit: the connection ends -> `lost`.
        case connected
        /// The server's words and the reason for the session, until the loss has been reported. Exit: reported ->
        /// `lossReported`.
        case lost(String, reason: String)
        case lossReported
    }

    private struct Stream {
        var handle: StreamHandle
        var tracker = PipeWireStreamTracker()
        var isRunning = false
    }

    /// Rule: used with the loop locked, and taken out of the state before the stream is freed.
    struct StreamHandle: @unchecked Sendable { let pointer: OpaquePointer }

    /// The newest release that hands back, until the server has read it.
    private struct UnreadRelease {
        var seq: Int32
        var waiting: [@Sendable () -> Void] = []
    }

    /// What the shim is to do.
    private enum Command {
        case sync
        case syncDeparture(UInt64)
        case settle
        case expectPorts(Bool)
        case arm(HostTime?)
        case closeGate(StreamHandle)
        case loseRoute(StreamHandle, target: Int)
        case followRoute(StreamHandle, target: Int, routeIndex: Int32)
        case destroyLink(id: UInt32)
        case abortLink(StreamID, StreamHandle)
        case breakNode(StreamHandle)
        case link(StreamID, StreamHandle, [PipeWireStreamTracker.Target])
        case unlink(StreamHandle)
        case giveUpProfile(StreamID)
        case setProfile(deviceID: UInt32, Int32)
    }

    /// How far the server is, for whoever waits for it.
    enum Progress: Hashable, Sendable {
        /// It has not told its state yet.
        case waiting
        /// It has, but no default is chosen, or there is no output: its session manager may be starting.
        case settled
        case complete
        case lost
    }

    private static let restMilliseconds: UInt64 = 100

    private let state = Mutex(State())
    private let firstProgress = DispatchSemaphore(value: 0)
    /// The first event is `connectionRestored`, together with the first inventory.
    private let followsALoss: Bool
    private let onLossReported: @Sendable () -> Void
    private let onProgress: @Sendable () -> Void

    /// - Parameters:
    ///   - onLossReported: called on the loop thread, after the delivery.
    ///   - onProgress: called on the loop thread when `progress` or `hasReported` may have changed.
    init(
        followsALoss: Bool, onLossReported: @escaping @Sendable () -> Void, onProgress: @escaping @Sendable () -> Void
    ) {
        self.followsALoss = followsALoss
        self.onLossReported = onLossReported
        self.onProgress = onProgress
    }

    // MARK: Any thread

    /// An inventory has been delivered.
    var hasReported: Bool { state.withLock { $0.lastSent != nil } }
    var hasReportedLoss: Bool { state.withLock { $0.life == .lossReported } }

    var progress: Progress {
        state.withLock { state in
            if state.isLost { return .lost }
            guard state.hasSettled else { return .waiting }
            return state.facts.isComplete ? .complete : .settled
        }
    }

    /// Waits until the server has told its state or is lost.
    func waitForProgress(seconds: Int) -> Progress {
        _ = firstProgress.wait(timeout: .now() + .seconds(seconds))
        return progress
    }

    // MARK: Session thread

    var facts: PipeWireInventory { state.withLock { $0.facts } }
    var isLost: Bool { state.withLock { $0.isLost } }
    /// The server's words about a loss that was not reported.
    var lossWords: String { state.withLock { if case .lost(let words, _) = $0.life { words } else { "" } } }

    /// From the first report on, events are delivered.
    func begin(_ delivery: PipeWireDelivery) { state.withLock { $0.delivery = delivery } }

    /// Nothing is delivered from here on.
    func end() {
        let waiting = state.withLock { state in
            state.delivery = nil
            return state.endUnread()
        }
        for body in waiting { body() }
    }

    func whenRead(_ body: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.unread?.waiting.append(body) }) == nil { body() }
    }

    /// Delivered with the next report.
    func answer(_ event: HostEvent) { state.withLock { $0.outbox.append(event) } }

    /// The port had gone when a stream was to be linked: the next report tells it like any other loss.
    func missed(_ uid: String, by stream: StreamID) {
        state.withLock { $0.losses.append(PortLoss(stream, portUID: uid)) }
    }

    // MARK: Any thread, with the loop locked

    /// Before the loop runs.
    func attach(_ host: OpaquePointer) {
        let handle = HostHandle(pointer: host)
        state.withLock { $0.host = handle }
        changed()
    }

    /// The server has read the newest release with this round trip.
    func expectReading(of seq: Int32) {
        update { state in
            state.unread = UnreadRelease(seq: seq, waiting: state.unread?.waiting ?? [])
            // Well above what a busy machine takes the processor away for; the bound is for a server that is frozen.
            state.deadlines.set(.unreadRelease, at: .monotonic.advanced(byMilliseconds: 1000))
        }
    }

    private func endUnread() {
        let waiting = update { $0.endUnread() }
        for body in waiting { body() }
    }

    func schedule(_ purpose: PipeWireDeadlines.Purpose, at time: HostTime) {
        update { $0.deadlines.set(purpose, at: time) }
    }

    func add(_ id: StreamID, _ handle: StreamHandle) { update { $0.streams[id] = Stream(handle: handle) } }

    func forget(_ id: StreamID) {
        update { state in
            state.deadlines.remove(.stream(id))
            state.streams[id] = nil
            state.losses.removeAll { $0.stream == id }
            state.movedStreams.remove(id)
            state.targets.forget(id)
        }
    }

    func targets(of id: StreamID) -> [PipeWireStreamTracker.Target] {
        state.withLock { $0.streams[id]?.tracker.link.targets ?? [] }
    }

    /// Until a headset has the profile with these ports.
    func awaitPorts(_ uids: [String], by id: StreamID) {
        update { state in
            let isRunning = state.streams[id]?.isRunning == true
            Self.track(id, &state) { $0.awaitPorts(uids, isRunning: isRunning) }
        }
    }

    func setRunning(_ isRunning: Bool, _ id: StreamID) {
        update { state in
            state.streams[id]?.isRunning = isRunning
            Self.track(id, &state) { isRunning ? $0.started() : $0.stopped() }
        }
    }

    /// Brings all cards back to the profiles that they had, before the program goes.
    ///
    /// Returns whether there were any.
    func restoreProfiles() -> Bool {
        update { state in
            Self.apply(state.profiles.end(in: state.facts), &state)
            return !state.facts.switchedCards.isEmpty && !state.isLost
        }
    }

    // MARK: The server's facts, with the loop locked

    func changed() {
        update { state in
            // At once: at the end of a long burst the session manager may have paused streams already.
            if state.hasSettled, let host = state.host {
                Self.noteManager(isThere: !oav_pw_host_lacks_manager(host.pointer), &state)
            }
            Self.apply(state.coalescer.changed(), &state)
        }
    }

    func claimsRead(_ seq: Int32) { if state.withLock({ $0.unread?.seq == seq }) { endUnread() } }

    func synced(_ seq: Int32) {
        let isSettled = update { state -> Bool in
            if let serial = state.departures.removeValue(forKey: seq) {
                Self.updatePrograms(&state) { $0.departed(serial, at: .monotonic) }
            }
            guard state.sync == seq, let host = state.host else { return false }
            let isEnumerating = oav_pw_host_is_enumerating(host.pointer)
            state.sync = nil
            let step = state.coalescer.synced(isEnumerating: isEnumerating)
            Self.apply(step, &state)
            guard step == .settled else { return false }
            let isThere = !oav_pw_host_lacks_manager(host.pointer)
            Self.noteManager(isThere: isThere, &state)
            if isThere { Self.trackAll(&state) { tracker, _ in tracker.managerCame() } }
            return true
        }
        guard isSettled else { return }
        firstProgress.signal()
        report()
    }

    func apply(_ fact: PipeWireFact) {
        update { state in
            state.facts.apply(fact)
            Self.apply(state.coalescer.changed(), &state)
            switch fact {
            case .nodeChanged: Self.noteHoldingSinks(&state)
            case .nodeRemoved(let id):
                Self.trackAll(&state) { tracker, _ in tracker.nodeRemoved(id) }
                Self.noteHoldingSinks(&state)
            case .routesChanged(let id, _, _): Self.trackAll(&state) { $0.routesChanged(ofDevice: id, in: $1) }
            default: break
            }
        }
    }

    private static func noteHoldingSinks(_ state: inout State) {
        let names = state.facts.nodes.values.map(\.name).filter(PipeWireParking.isHold)
        updatePrograms(&state) { $0.setHoldingSinks(Set(names)) }
    }

    func portRemoved(ofNode id: UInt32) {
        update { Self.trackAll(&$0) { tracker, _ in tracker.portRemoved(ofNode: id) } }
    }

    func timerFired() {
        let due = update { state in
            state.armedTime = nil
            return state.deadlines.removeDue(at: .monotonic)
        }
        for purpose in due {
            switch purpose {
            case .report:
                update { $0.isOpen = true }
                reportLoss()
                report()
            case .rest: rested()
            case .unreadRelease: endUnread()
            case .programs: updatePrograms { $0.debounce(at: .monotonic) }
            case .managerStart: linkStandingStreams()
            case .stream(let id): timedOut(id)
            case .profile(let id): update { Self.apply($0.profiles.timedOut(id, in: $0.facts), &$0) }
            case .alarm(let time): update { if !$0.isLost { $0.outbox.append(.timeReached(time)) } }
            }
        }
    }

    private func timedOut(_ id: StreamID) {
        update { state in
            // A session manager that starts on a busy machine takes its time to make ports.
            if state.managerStart.isUnderWay, let stream = state.streams[id],
                case .linking(let targets) = stream.tracker.link
            {
                Self.link(id, stream.handle, to: targets, &state)
            } else {
                Self.track(id, &state) { $0.timedOut() }
            }
        }
    }

    private static func noteManager(isThere: Bool, _ state: inout State) {
        guard state.managerStart.noted(isThere: isThere, at: .monotonic) else { return }
        if isThere { trackAll(&state) { tracker, _ in tracker.managerStarts() } }
        setManagerDeadline(&state)
    }

    private static func setManagerDeadline(_ state: inout State) {
        if let look = state.managerStart.nextLook {
            state.deadlines.set(.managerStart, at: look)
        } else {
            state.deadlines.remove(.managerStart)
        }
        state.commands.append(.expectPorts(state.managerStart.isUnderWay))
    }

    /// Links the streams again that a session manager's start has left standing.
    ///
    /// What stands at the end of the start is paused by a policy.
    private func linkStandingStreams() {
        let handles = state.withLock { state in
            state.streams.filter { $1.isRunning && $1.tracker.standingTargets != nil }.mapValues(\.handle)
        }
        let progress = handles.mapValues { PipeWireManagerStart.Progress(oav_pw_stream_progress($0.pointer)) }
        update { state in
            for id in state.managerStart.look(progress, at: .monotonic) {
                guard let stream = state.streams[id], let targets = stream.tracker.standingTargets else { continue }
                guard state.managerStart.isUnderWay else {
                    Self.track(id, &state) { $0.paused() }
                    continue
                }
                // New links of the old node do not always help.
                state.commands.append(.breakNode(stream.handle))
                Self.link(id, stream.handle, to: targets, &state)
            }
            Self.setManagerDeadline(&state)
        }
    }

    private func rested() {
        let isResting = update { state -> Bool in
            guard !state.isLost, !state.coalescer.isSyncing else { return false }
            for id in state.streams.keys { state.streams[id]?.tracker.rested() }
            state.facts.apply(.rested)
            return true
        }
        if isResting { report() }
    }

    /// Other programs are reported at once, not at the end of a burst: who waits for a claim has no time to lose.
    func updatePrograms(_ change: (inout PipeWireProgramTracker) -> Void) {
        update { Self.updatePrograms(&$0, change) }
    }

    func removeProgram(_ serial: UInt64) {
        update { state in
            var needsSync = false
            Self.updatePrograms(&state) { needsSync = $0.removed(serial, at: .monotonic) }
            if needsSync { state.commands.append(.syncDeparture(serial)) }
        }
    }

    private static func updatePrograms(_ state: inout State, _ change: (inout PipeWireProgramTracker) -> Void) {
        change(&state.programs)
        if let time = state.programs.nextDeadline {
            state.deadlines.set(.programs, at: time)
        } else {
            state.deadlines.remove(.programs)
        }
        if state.lastSent != nil, !state.isLost { state.outbox += state.programs.drainEvents() }
    }

    /// Reports what belongs to no burst, though never before the first inventory.
    func send(_ event: HostEvent) { update { $0.outbox.append(event) } }

    func lost(_ message: String, lacksDescriptors: Bool) {
        let limit = "this program has reached its limit of open files; raise it (ulimit -n), or close some"
        update { state in
            state.life = .lost(lacksDescriptors ? limit : message, reason: lacksDescriptors ? limit : "")
            state.programs = PipeWireProgramTracker()
            state.deadlines.remove(.programs)
            for id in state.streams.keys { Self.track(id, &state) { $0.failed() } }
        }
        firstProgress.signal()
        endUnread()
        reportLoss()
        onProgress()
    }

    // MARK: The streams' facts, with the loop locked

    func changeStream(_ id: StreamID, _ change: (inout PipeWireStreamTracker) -> [PipeWireStreamTracker.Action]) {
        update { Self.track(id, &$0, change) }
    }

    func paused(_ id: StreamID) {
        update { state in
            if !state.managerStart.isUnderWay { Self.track(id, &state) { $0.paused() } }
        }
    }

    func failed(_ id: StreamID, _ message: String) {
        update { state in
            Self.track(id, &state) { $0.failed() }
            state.outbox.append(.streamFailed(id, .refused(message)))
        }
    }

    /// Each choice is reported, also of the output that was chosen before: the app may have chosen another in between, and
    /// the newest counts.
    ///
    /// Where the user picks the very target that stands in the metadata, there is nothing to report: the server keeps what
    /// does not change to itself (PipeWire, impl-metadata.c: `impl_set_property`). To hear of it we would have to remove the
    /// user's target when the app chooses. But the session manager keeps that entry: WirePlumber 0.4 uses it to remember
    /// the program's output, a sandbox may not write there, and a late removal would remove a newer choice.
    func changeTargets(_ change: (inout PipeWireStreamTargets) -> PipeWireStreamTargets.Move?) {
        update { state in
            guard let move = change(&state.targets) else { return }
            let id = move.stream
            guard let target = move.target else {
                // Else it was no choice of the session's: lifting it must not lift what the user chose for another stream.
                if state.movedStreams.remove(id) != nil { state.outbox.append(.outputChosenByUser(uid: nil)) }
                return
            }
            // A target that is not there chooses nothing, and lifts nothing either; nor does an input stream's, an input.
            guard let port = state.facts.location(target: target)?.port, port.direction == .output else { return }
            state.movedStreams.insert(id)
            state.outbox.append(.outputChosenByUser(uid: port.uid))
        }
    }

    // MARK: Reports

    /// Reports what has changed; nothing in the middle of a burst of facts, for its end is on the way.
    private func report() {
        defer { onProgress() }
        update { state in
            guard state.isOpen, state.delivery != nil, state.isSettled, !state.isLost else { return }
            let isFirst = state.lastSent == nil
            let inventory = state.facts.inventory
            let isNews = state.lastSent?.inventory != inventory || !state.losses.isEmpty
            let steps = isNews ? state.lastSent.map { state.facts.steps(after: $0) } ?? [inventory] : []
            let losses = state.losses
            let ports = steps.enumerated().map { HostEvent.inventoryChanged($1, losses: $0 == 0 ? losses : []) }
            state.lastSent = state.facts
            state.losses = []
            state.outbox.removeAll { if case .portLost = $0 { true } else { false } }
            let others = state.programs.drainEvents()
            // Who asks at the first inventory is to be told of all that is there.
            let first: [HostEvent] = isFirst && followsALoss ? [.connectionRestored] : []
            state.outbox = first + (isFirst ? others + ports : ports + others) + state.outbox
        }
    }

    /// Nothing where the server was never reported to be back.
    private func reportLoss() {
        let isReported = update { state -> Bool in
            guard case .lost(_, let reason) = state.life, state.isOpen, state.delivery != nil,
                !followsALoss || state.lastSent != nil
            else { return false }
            state.life = .lossReported
            state.outbox.append(.connectionLost(reason))
            return true
        }
        if isReported { onLossReported() }
    }

    // MARK: Decide, then act

    /// Rule: used with the loop locked; the connection outlives its last callback.
    private struct HostHandle: @unchecked Sendable { let pointer: OpaquePointer }

    @discardableResult
    private func update<R: Sendable>(_ change: (inout State) -> R) -> R {
        let (result, commands, host) = state.withLock { state -> (R, [Command], HostHandle?) in
            let result = change(&state)
            let running = state.streams.values.lazy.filter(\.isRunning).map(\.tracker.link)
            Self.apply(state.profiles.update(running: running, in: state.facts), &state)
            let next = state.deadlines.next
            if next != state.armedTime {
                state.armedTime = next
                state.commands.append(.arm(next))
            }
            defer { state.commands = [] }
            return (result, state.commands, state.host)
        }
        guard let host = host?.pointer else { return result }
        for command in commands {
            switch command {
            case .sync:
                let seq = oav_pw_host_unsettle(host)
                state.withLock { $0.sync = seq }
            case .syncDeparture(let serial):
                let seq = oav_pw_host_sync(host)
                state.withLock { $0.departures[seq] = serial }
            case .settle: oav_pw_host_settle(host)
            case .expectPorts(let isStarting): oav_pw_host_expect_ports(host, isStarting)
            case .arm(let time): oav_pw_host_arm(host, time.map { max($0.nanoseconds, 1) } ?? 0)
            case .closeGate(let stream): oav_pw_stream_close_gate(stream.pointer)
            case .loseRoute(let stream, let target): oav_pw_stream_lose_route(stream.pointer, UInt32(target))
            case .followRoute(let stream, let target, let route):
                oav_pw_stream_follow_route(stream.pointer, UInt32(target), route)
            case .destroyLink(let id): oav_pw_host_destroy_link(host, id)
            case .abortLink(let id, let stream):
                let (_, awaited) = withShimText { oav_pw_stream_abort_link(stream.pointer, $0, $1) }
                if oav_pw_host_lacks_manager(host) {
                    changeStream(id) { $0.lacksManager() }
                    continue
                }
                failed(id, "timed out after \(PipeWireStreamTracker.linkMilliseconds / 1000) s waiting for \(awaited)")
            case .breakNode(let stream): oav_pw_stream_break(stream.pointer)
            case .link(let id, let stream, let targets):
                let (status, words) = stream.link(to: targets)
                switch status {
                case OAV_PW_OK: break
                case OAV_PW_NO_SUCH_PORT: changeStream(id) { $0.lost(target: 0) }
                default: failed(id, words)
                }
            case .unlink(let stream): oav_pw_stream_unlink(stream.pointer)
            case .giveUpProfile(let id):
                let seconds = PipeWireStreamTracker.profileMilliseconds / 1000
                failed(id, "timed out after \(seconds) s waiting for the headset to change its profile")
            case .setProfile(let device, let index): _ = oav_pw_host_set_profile(host, device, index)
            }
        }
        // A call of the session's is not interrupted by an event: the loop thread delivers.
        guard oav_pw_host_is_calling(host) else { return result }
        let (events, delivery) = state.withLock { state -> ([HostEvent], PipeWireDelivery?) in
            guard state.isOpen, state.lastSent != nil || state.isLost, let delivery = state.delivery else {
                return ([], nil)
            }
            defer { state.outbox = [] }
            return (state.outbox, delivery)
        }
        if !events.isEmpty { delivery?.deliver(events) }
        return result
    }

    private static func apply(_ step: PipeWireChangeCoalescer.Step, _ state: inout State) {
        switch step {
        case .none: break
        case .sync: state.commands.append(.sync)
        case .settled:
            state.hasSettled = true
            state.commands.append(.settle)
            state.deadlines.set(.rest, at: .monotonic.advanced(byMilliseconds: restMilliseconds))
            trackAll(&state) { $0.settled(in: $1) }
            linkAwaitingStreams(&state)
        }
    }

    // MARK: Profiles of Bluetooth cards

    private static func apply(_ actions: [PipeWireProfileSwitch.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .request(let id, let profile):
                state.facts.apply(.profileRequested(deviceID: id, profile))
                state.commands.append(.setProfile(deviceID: id, profile))
            case .endRequest(let id):
                state.facts.apply(.profileRequestExpired(deviceID: id))
                apply(state.coalescer.changed(), &state)
            case .vacate(let id): vacate(id, &state)
            case .startTimer(let id, let milliseconds):
                state.deadlines.set(.profile(deviceID: id), at: .monotonic.advanced(byMilliseconds: milliseconds))
            case .stopTimer(let id): state.deadlines.remove(.profile(deviceID: id))
            }
        }
    }

    private static func vacate(_ cardID: UInt32, _ state: inout State) {
        for (id, stream) in state.streams {
            let targets = stream.tracker.link.targets
            guard targets.contains(where: { state.facts.nodes[$0.nodeID]?.deviceID == cardID }) else { continue }
            state.commands.append(.unlink(stream.handle))
            track(id, &state) { $0.awaitPorts(targets.map(\.uid), isRunning: false) }
        }
    }

    private static func linkAwaitingStreams(_ state: inout State) {
        for (id, stream) in state.streams {
            guard case .awaiting(let uids) = stream.tracker.link else { continue }
            let direction = uids.first.flatMap { state.facts.location(uid: $0)?.port.direction }
            let targets = uids.compactMap { uid in direction.flatMap { state.facts.target(uid: uid, $0) } }
            guard targets.count == uids.count else { continue }
            link(id, stream.handle, to: targets, &state)
        }
    }

    private static func link(
        _ id: StreamID, _ handle: StreamHandle, to targets: [PipeWireStreamTracker.Target], _ state: inout State
    ) {
        track(id, &state) { $0.beginLink(to: targets) }
        state.commands.append(.link(id, handle, targets))
    }

    private static func trackAll(
        _ state: inout State,
        _ change: (inout PipeWireStreamTracker, PipeWireInventory) -> [PipeWireStreamTracker.Action]
    ) {
        let facts = state.facts
        for id in state.streams.keys { track(id, &state) { change(&$0, facts) } }
    }

    private static func track(
        _ id: StreamID, _ state: inout State,
        _ change: (inout PipeWireStreamTracker) -> [PipeWireStreamTracker.Action]
    ) {
        guard state.streams[id] != nil else { return }
        apply(change(&state.streams[id]!.tracker), to: id, &state)
    }

    private static func apply(_ actions: [PipeWireStreamTracker.Action], to id: StreamID, _ state: inout State) {
        guard let handle = state.streams[id]?.handle else { return }
        for action in actions {
            switch action {
            case .tellLost(let uid):
                let loss = PortLoss(id, portUID: uid)
                state.losses.append(loss)
                state.outbox.append(.portLost(loss))
            case .tellHeld: state.outbox.append(.streamHeld(id))
            case .tellReleased: state.outbox.append(.streamReleased(id))
            case .closeGate: state.commands.append(.closeGate(handle))
            case .loseRoute(let target): state.commands.append(.loseRoute(handle, target: target))
            case .followRoute(let target, let route):
                state.commands.append(.followRoute(handle, target: target, routeIndex: route))
            case .destroyLink(let linkID): state.commands.append(.destroyLink(id: linkID))
            case .startTimer(let milliseconds):
                state.deadlines.set(.stream(id), at: .monotonic.advanced(byMilliseconds: milliseconds))
            case .stopTimer: state.deadlines.remove(.stream(id))
            case .abortLink: state.commands.append(.abortLink(id, handle))
            case .giveUpProfile: state.commands.append(.giveUpProfile(id))
            }
        }
    }
}

extension HostTime {
    func advanced(byMilliseconds milliseconds: UInt64) -> HostTime {
        HostTime(nanoseconds: nanoseconds + milliseconds * 1_000_000)
    }
}
