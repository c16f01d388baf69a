import AudioModel

@testable import SessionCore

/// Three sessions over one claim registry, on a machine with three ports: all that can happen next, and what it leads to.
///
/// A value: an exploration keeps each one that it has reached. Ids are used again where the contract of `HostEvent` lets
/// them be, so that the number of states is finite.
struct SharedMachine {
    /// Something that happens.
    enum Step: Hashable {
        case arrive(SharedClaimRegistry.Arrival)
        case refuseClaim(of: Int)
        /// Another program destroys the active session's claim.
        case destroyClaim(of: Int)
        /// A process is killed, and a new one starts in its place.
        case kill(Int)
        case fact(of: Int, Act)
        case plug(Port)
        /// With the host's word about the streams that were linked to it, first `portLost` or at once.
        case unplug(Port, isToldFirst: Bool)
        case chooseDefault(Port)
        /// Programs without a session play with these roles, and no others; a role that stays is one stream.
        case foreign([String])
        case sleep
        case wake
        case crash
        case restart
        case pass(seconds: Int)
    }

    /// A fact of one session, without its call.
    enum Act: Hashable {
        case configure(SessionConfiguration)
        case activate
        case deactivate(notifyOthers: Bool, isSuperseded: Bool)
        case override(OutputOverride)
        case open(StreamID)
        case close(StreamID)
        case play(StreamID, isLate: Bool)
        case pause(StreamID)
        case stopped(StreamID)
        case fail(StreamID)
        case hold(StreamID)
        case release(StreamID)
        case change(StreamID, StreamPolicy)
        case preferInterruption(Bool)
        case preferChannels(Int)
        case prefer(bufferSeconds: Double)
        case gain(Float)
        case muteOutput(Bool)
        case muteInput(Bool)
        case preferInput(String?)
        case choose(OutputChoice)
        case userChose(String?)
    }

    private static let ports = [Ports.headphones, Ports.speaker, Ports.mic]
    private static let player = StreamID(number: 1)
    private static let recorder = StreamID(number: 2)
    private static let bound = StreamID(number: 3)
    private static let policies: [StreamID: StreamPolicy] = [
        player: .resuming, recorder: StreamPolicy(direction: .input),
        bound: StreamPolicy(
            target: .port(uid: Ports.headphones.uid), onDeviceLoss: .continue, onInterruption: .ignore),
    ]

    /// What can happen.
    enum Scope: Hashable {
        /// All of it to the first two sessions and to the machine; to the third one, only what concerns its claim.
        case all
        /// What concerns claims, to all three, and nothing else.
        case claims
    }

    private(set) var registry: SharedClaimRegistry
    private let scope: Scope
    private var plugged = ports
    private var defaultUID: String?
    private var isServerThere = true

    init(_ scope: Scope) {
        self.scope = scope
        registry = SharedClaimRegistry(seed: 1, clients: 3, policy: .resuming)
        plugAll()
    }

    private mutating func plugAll() {
        for owner in owners { tellPorts(owner) }
    }

    private var owners: [Int] { [0, 1, 2] }
    private var inventory: Inventory { Inventory(ports: plugged, defaultOutputUID: defaultUID) }

    // MARK: Steps

    /// What is on its way, one of which may arrive now.
    var arrivals: [Step] { registry.arrivals.map(Step.arrive) }

    /// All that can happen now but the arrival of what is on its way.
    var steps: [Step] {
        let refusals = owners.filter {
            if case .claim? = registry.clients[$0]!.requests.first { true } else { false }
        }.map(Step.refuseClaim)
        let destructions = owners.filter { registry.clients[$0]!.machine.state.activation.isActive }.map(
            Step.destroyClaim)
        let kills = owners.map(Step.kill)
        let facts = owners.flatMap { owner in
            (scope == .all && owner < 2 ? acts(of: owner) : claimActs(of: owner)).map { Step.fact(of: owner, $0) }
        }
        return kills + facts + foreignSteps
            + (scope == .all ? refusals + destructions + machineSteps : [.pass(seconds: 3)])
    }

    /// Two calls and music, each of which begins or ends.
    private var foreignSteps: [Step] {
        guard isServerThere else { return [] }
        let roles = registry.foreignStreams.compactMap(\.role)
        return (scope == .all ? ["Phone", "Communication", "Music"] : ["Phone", "Communication"]).map { role in
            .foreign(roles.contains(role) ? roles.filter { $0 != role } : roles + [role])
        }
    }

    private var machineSteps: [Step] {
        let plugs = Self.ports.flatMap { port -> [Step] in
            guard plugged.contains(port) else { return [.plug(port)] }
            return [.unplug(port, isToldFirst: false)]
                + (port.direction == .output && isServerThere ? [.unplug(port, isToldFirst: true)] : [])
        }
        let programs: [Step] =
            isServerThere
            ? [.crash] + plugged.filter { $0.direction == .output }.map(Step.chooseDefault)
            : [.restart]
        return plugs + programs + [.sleep, .wake, .pass(seconds: 3), .pass(seconds: 700)]
    }

    private func claimActs(of owner: Int) -> [Act] {
        let state = registry.clients[owner]!.machine.state
        return [
            state.streams.contains(where: \.playWhenReady) ? .pause(Self.player) : .play(Self.player, isLate: false),
            .activate, .deactivate(notifyOthers: true, isSuperseded: false),
            .deactivate(notifyOthers: false, isSuperseded: false),
        ] + [Bench.music, Bench.ducking, Bench.call].filter { $0 != state.configuration }.map(Act.configure)
    }

    private func acts(of owner: Int) -> [Act] {
        let state = registry.clients[owner]!.machine.state
        let open = Set(state.streams.map(\.id))
        let streams = Self.policies.keys.sorted { $0.number < $1.number }.flatMap { id -> [Act] in
            guard open.contains(id) else { return [.open(id)] }
            var loud = Self.policies[id]!
            (loud.onDeviceLoss, loud.onInterruption) = (.continue, .ignore)
            let isHeld = state.streams.contains { $0.id == id && $0.isHeld }
            let isLinked = state.streams.contains { $0.id == id && !$0.ports.isEmpty }
            return [
                .close(id), .play(id, isLate: false), .play(id, isLate: true), .pause(id), .stopped(id), .fail(id),
                .change(id, loud), .change(id, Self.policies[id]!),
            ] + (isHeld ? [.release(id)] : isLinked ? [.hold(id)] : [])
        }
        let configurations = [
            Bench.music, Bench.mixing, Bench.ducking, Bench.call, SessionConfiguration(category: .record),
            SessionConfiguration(category: .multiRoute), SessionConfiguration(category: .playback, mode: .voiceChat),
        ]
        return streams + configurations.map(Act.configure) + [
            .activate, .deactivate(notifyOthers: true, isSuperseded: false),
            .deactivate(notifyOthers: false, isSuperseded: false), .deactivate(notifyOthers: true, isSuperseded: true),
            .override(.speaker), .override(.none), .preferInterruption(!state.prefersInterruptionOnRouteDisconnect),
            .preferChannels(1), .prefer(bufferSeconds: 0.005), .prefer(bufferSeconds: -1), .gain(0.5),
            .muteOutput(!state.isOutputMuted), .muteInput(!state.isInputMuted), .preferInput(Ports.mic.uid),
            .preferInput(nil), .choose(.automatic), .choose(.port(uid: Ports.headphones.uid)),
            .choose(.port(uid: "nowhere")), .userChose(Ports.speaker.uid), .userChose(nil),
        ]
    }

    // MARK: What they do

    mutating func take(_ step: Step) {
        switch step {
        case .arrive(let arrival): registry.receive(arrival)
        case .refuseClaim(let owner): registry.refuseClaim(of: owner)
        case .destroyClaim(let owner): registry.destroyClaim(of: owner)
        case .kill(let owner):
            registry.restart(owner)
            tellPorts(owner)
        case .fact(let owner, let act): registry.feed(owner, fact(act, of: owner))
        case .plug(let port):
            plugged.append(port)
            for owner in owners { tellPorts(owner) }
        case .unplug(let port, let isToldFirst): unplug(port, isToldFirst: isToldFirst)
        case .chooseDefault(let port):
            defaultUID = port.uid
            for owner in owners { tellPorts(owner) }
        case .foreign(let roles):
            // The machine has one stream of each role.
            registry.run(roles.map { ForeignStream(id: UInt64($0.count), role: $0) })
        case .sleep: for owner in owners { registry.feed(owner, .host(.sleepAnnounced)) }
        case .wake: for owner in owners { registry.feed(owner, .host(.wokeFromSleep)) }
        case .crash:
            isServerThere = false
            registry.crash()
        case .restart:
            isServerThere = true
            for owner in owners {
                registry.feed(owner, .host(.connectionRestored))
                tellPorts(owner)
            }
        case .pass(let seconds): registry.passTime(seconds: Double(seconds))
        }
    }

    private mutating func tellPorts(_ owner: Int, losses: [PortLoss] = []) {
        guard isServerThere else { return }
        registry.feed(owner, .host(.inventoryChanged(inventory, losses: losses)))
    }

    private mutating func unplug(_ port: Port, isToldFirst: Bool) {
        plugged.removeAll { $0 == port }
        if defaultUID == port.uid { defaultUID = nil }
        for owner in owners {
            let losses = registry.clients[owner]!.machine.state.streams.filter {
                $0.ports.contains { $0.uid == port.uid }
            }
            .map { PortLoss($0.id, portUID: port.uid) }
            if isToldFirst { for loss in losses { registry.feed(owner, .host(.portLost(loss))) } }
            tellPorts(owner, losses: losses)
        }
    }

    private mutating func fact(_ act: Act, of owner: Int) -> SessionFact {
        let state = registry.clients[owner]!.machine.state
        let call = registry.call()
        return switch act {
        case .configure(let configuration): .configurationRequested(call, configuration)
        case .activate: .activationRequested(call)
        case .deactivate(let notifies, let isSuperseded):
            .deactivationRequested(call, notifyOthers: notifies, isSuperseded: isSuperseded)
        case .override(let override): .outputOverrideRequested(call, override)
        case .open(let id): .streamOpened(id, Self.policies[id]!)
        case .close(let id): .streamClosed(id)
        case .play(let id, let isLate):
            .playRequested(call, id, generation: state.generation - min(isLate ? 1 : 0, state.generation))
        case .pause(let id): .pauseRequested(id)
        case .stopped(let id): .playerStopped(id)
        case .fail(let id): .host(.streamFailed(id, .refused("ended")))
        case .hold(let id): .host(.streamHeld(id))
        case .release(let id): .host(.streamReleased(id))
        case .change(let id, let policy): .streamPolicyChanged(id, policy)
        case .preferInterruption(let prefers): .routeDisconnectPreferenceRequested(call, prefersInterruption: prefers)
        case .preferChannels(let count): .channelCountPreferred(call, .output, count)
        case .prefer(let seconds):
            .preferencesStated(
                call,
                {
                    var preferred = state.preferredSettings
                    preferred.ioBufferDuration = seconds
                    return preferred
                }())
        case .gain(let gain): .inputGainRequested(call, gain)
        case .muteOutput(let isMuted): .outputMuteRequested(call, isMuted)
        case .muteInput(let isMuted): .inputMuteRequested(call, isMuted)
        case .preferInput(let uid): .inputPreferred(call, uid: uid)
        case .choose(let choice): .outputChosenByApp(call, choice)
        case .userChose(let uid): .host(.outputChosenByUser(uid: uid))
        }
    }

    /// Lets all that is on its way arrive, in one order.
    mutating func settle() {
        for _ in 0..<1_000 {
            guard let next = registry.arrivals.first else { return }
            registry.receive(next)
        }
    }

    /// What must not be, in this state.
    var violations: [String] {
        registry.violations + (registry.arrivals.isEmpty && isServerThere ? registry.disagreements : [])
    }
}

// MARK: One key for all states that differ by ids and times alone

extension SharedMachine {
    /// Two values with equal keys do the same from here on.
    struct Key: Hashable {
        fileprivate var states: [SessionState]
        fileprivate var accounts: [SessionAccount]
        fileprivate var streams: [[StreamID: StreamAccount]]
        fileprivate var requests: [[SharedClaimRegistry.Request]]
        fileprivate var notes: [[SharedClaimRegistry.Note]]
        fileprivate var entries: [ClaimSerial: SharedClaimRegistry.Entry]
        fileprivate var foreignStreams: [ForeignStream]
        fileprivate var foreignCalls: [UInt64: ClaimSerial]
        fileprivate var ports: [Port]
        fileprivate var defaultUID: String?
    }

    var key: Key {
        let clients = owners.map { registry.clients[$0]! }
        let unread = clients.map { Array(registry.notes[$0.position...]) }
        var serials = Set(registry.entries.keys)
        for client in clients { client.machine.state.note(&serials) }
        serials.formUnion(unread.joined().compactMap(\.serial))
        let renaming = Renaming(serials: serials, now: registry.time)
        return Key(
            states: clients.map { renaming.renamed($0.machine.state) },
            accounts: clients.map { renaming.renamed($0.invariants.session, of: $0.machine.state) },
            streams: clients.map { $0.invariants.streams },
            requests: clients.map { client in client.requests.map { renaming.renamed($0, of: client.machine.state) } },
            notes: unread.map { $0.map { renaming.renamed($0, in: clients) } },
            entries: Dictionary(
                uniqueKeysWithValues: registry.entries.map {
                    (renaming[$0.key], renaming.renamed($0.value, in: clients))
                }), foreignStreams: registry.foreignStreams,
            foreignCalls: registry.foreignCalls.mapValues(renaming.place), ports: plugged, defaultUID: defaultUID)
    }
}

/// Small numbers in the order of the real ones.
private struct Renaming {
    private let serials: [ClaimSerial: UInt64]
    private let now: HostTime

    init(serials: Set<ClaimSerial>, now: HostTime) {
        self.serials = Dictionary(uniqueKeysWithValues: serials.sorted().enumerated().map { ($1, UInt64($0) + 1) })
        self.now = now
    }

    /// The newest of the real ones that is not above this one, which may be gone.
    func place(_ serial: ClaimSerial) -> ClaimSerial {
        ClaimSerial(number: UInt64(serials.keys.count { $0 <= serial }))
    }

    subscript(serial: ClaimSerial) -> ClaimSerial { ClaimSerial(number: serials[serial] ?? .max) }

    subscript(source: Interruption.Source) -> Interruption.Source {
        if case .peer(let serial) = source { .peer(self[serial]) } else { source }
    }

    /// How many claims ago.
    func renamed(_ id: ClaimID, of state: SessionState) -> ClaimID { ClaimID(number: state.claimCount &- id.number) }

    /// Due, soon or in a long time.
    private func renamed(_ deadline: HostTime) -> HostTime {
        let seconds = deadline.seconds(since: now)
        return HostTime(nanoseconds: seconds <= 0 ? 0 : seconds <= 3 ? 1 : 2)
    }

    func renamed(_ old: SessionState) -> SessionState {
        var state = old
        state.derived.claimCount = 0
        state.derived.generation = min(old.generation, 1)
        // No request here is from before a loss.
        state.derived.outputLosses = 0
        state.derived.activation = renamed(old.activation, of: old)
        for index in state.peers.indices { state.reported.peers[index].serial = self[old.peers[index].serial] }
        for index in state.streams.indices {
            guard case .withoutRoute(let deadline?) = old.streams[index].playback else { continue }
            state.streams[index].playback = .withoutRoute(deadline: renamed(deadline))
        }
        state.derived.arrivals = old.arrivals.filter { now.seconds(since: $0.value) <= SessionMachine.arrivalSeconds }
            .mapValues { _ in .zero }
        state.derived.losses = old.losses.filter { now.seconds(since: $0.value) <= SessionMachine.lossSeconds }
            .mapValues { _ in .zero }
        state.derived.strayClaim = old.strayClaim.map { renamed($0, of: old) }
        state.derived.lostClaims = [:]
        for (serial, verdict) in old.lostClaims {
            state.derived.lostClaims[self[serial]] =
                switch verdict {
                case .effective: .effective
                case .interrupted(let by): .interrupted(by: self[by])
                case .refused(let by): .refused(by: self[by])
                }
        }
        state.derived.foreignCalls = old.foreignCalls.mapValues(place)
        return state
    }

    private func renamed(_ old: Activation, of state: SessionState) -> Activation {
        func claim(_ id: ClaimID) -> ClaimID { renamed(id, of: state) }
        switch old {
        case .inactive(let inactivity): return .inactive(renamed(inactivity, of: state))
        case .claiming(let id, let calls, let inactivity):
            let nameless = calls.map { _ in CallID(number: 0) }
            return .claiming(claim(id), for: nameless, renamed(inactivity, of: state))
        case .active(let id, var own, let replacement):
            own.serial = self[own.serial]
            return .active(claim(id), own, replacement: replacement.map(claim))
        }
    }

    private func renamed(_ old: Inactivity, of state: SessionState) -> Inactivity {
        var inactivity = old
        inactivity.interruption = old.interruption.map { interruption in
            var renamed = Interruption(source: self[interruption.source], serial: self[interruption.serial])
            renamed.isDirect = interruption.isDirect
            return renamed
        }
        inactivity.waitingClaim = old.waitingClaim.map { waiting in
            var renamedClaim = WaitingClaim(id: renamed(waiting.id, of: state))
            renamedClaim.deadline = waiting.deadline.map(renamed)
            return renamedClaim
        }
        return inactivity
    }

    func renamed(_ old: SessionAccount, of state: SessionState) -> SessionAccount {
        var account = old
        account.claims = Set(old.claims.map { renamed($0, of: state) })
        account.openClaims = Set(old.openClaims.map { renamed($0, of: state) })
        account.strayClaims = Set(old.strayClaims.map { renamed($0, of: state) })
        return account
    }

    func renamed(_ request: SharedClaimRegistry.Request, of state: SessionState) -> SharedClaimRegistry.Request {
        switch request {
        case .claim(let id, let configuration): .claim(renamed(id, of: state), configuration)
        case .suspend(let id): .suspend(renamed(id, of: state))
        case .release(let id, let notifies, let hadEffect):
            .release(renamed(id, of: state), notifyOthers: notifies, hadEffect: hadEffect)
        }
    }

    func renamed(
        _ entry: SharedClaimRegistry.Entry, in clients: [SharedClaimRegistry.Client]
    ) -> SharedClaimRegistry.Entry {
        SharedClaimRegistry.Entry(
            owner: entry.owner, id: renamed(entry.id, of: clients[entry.owner].machine.state),
            configuration: entry.configuration, isWaiting: entry.isWaiting, hasEffect: entry.hasEffect)
    }

    func renamed(
        _ note: SharedClaimRegistry.Note, in clients: [SharedClaimRegistry.Client]
    ) -> SharedClaimRegistry.Note {
        switch note {
        case .added(let owner, let id, let serial, let configuration):
            .added(owner: owner, renamed(id, of: clients[owner].machine.state), self[serial], configuration)
        case .suspended(let entry, let serial): .suspended(renamed(entry, in: clients), self[serial])
        case .removed(let owner, let serial, let notifies, let hadEffect):
            .removed(owner: owner, self[serial], notifiesOthers: notifies, hadEffect: hadEffect)
        case .foreignStreams: note
        }
    }
}

extension SharedClaimRegistry.Note {
    fileprivate var serial: ClaimSerial? {
        switch self {
        case .added(_, _, let serial, _), .suspended(_, let serial), .removed(_, let serial, _, _): serial
        case .foreignStreams: nil
        }
    }
}

extension SessionState {
    /// Adds the serials that it knows.
    fileprivate func note(_ serials: inout Set<ClaimSerial>) {
        serials.formUnion(reported.peers.map(\.serial))
        if let ownClaim { serials.insert(ownClaim.serial) }
        if let interruption {
            serials.insert(interruption.serial)
            interruption.source.note(&serials)
        }
        for (serial, verdict) in derived.lostClaims {
            serials.insert(serial)
            switch verdict {
            case .effective: break
            case .interrupted(let by), .refused(let by): by.note(&serials)
            }
        }
    }
}

extension Interruption.Source {
    fileprivate func note(_ serials: inout Set<ClaimSerial>) {
        if case .peer(let serial) = self { serials.insert(serial) }
    }
}
