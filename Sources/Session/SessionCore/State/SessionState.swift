package import AudioModel

/// Everything a session remembers: readable from any thread as a snapshot.
///
/// It has three parts and the streams. A part is written under its name, so that a write says which part it changes, and
/// may be read without it: `state.route` is `state.derived.route`.
@dynamicMemberLookup
package struct SessionState: Hashable, Sendable {
    package internal(set) var requested = Requested()
    package internal(set) var reported = Reported()
    package internal(set) var derived = Derived()
    /// The open streams, in the order of their opening; a record has all three parts of its stream.
    package internal(set) var streams: [StreamRecord] = []

    package let roles: ForeignRoles
    package let multiRouteSpeaker: MultiRouteSpeaker

    package init(roles: ForeignRoles = .standard, multiRouteSpeaker: MultiRouteSpeaker = .onlyWhenAlone) {
        self.roles = roles
        self.multiRouteSpeaker = multiRouteSpeaker
    }

    package subscript<Value>(dynamicMember path: KeyPath<Requested, Value>) -> Value { requested[keyPath: path] }
    package subscript<Value>(dynamicMember path: KeyPath<Reported, Value>) -> Value { reported[keyPath: path] }
    package subscript<Value>(dynamicMember path: KeyPath<Derived, Value>) -> Value { derived[keyPath: path] }

    // MARK: The three parts

    /// What the app asked for, and which output its user chose for it.
    package struct Requested: Hashable, Sendable {
        package internal(set) var configuration = SessionConfiguration()
        package internal(set) var override = OutputOverride.none
        package internal(set) var output = OutputRequest.byApp(.automatic)
        /// The input that the app would like; it has the route while it is there and the category may use it.
        package internal(set) var preferredInput: Port?
        /// Whether the loss of the device in use also interrupts a session that plays alone.
        package internal(set) var prefersInterruptionOnRouteDisconnect = true
        /// How many channels the app would like; none until it says.
        ///
        /// What it gets is what the route has.
        package internal(set) var preferredChannels: [PortDirection: Int] = [:]
        package internal(set) var preferredSettings = PreferredSettings()
        /// The app muted its own output, or what it records.
        package internal(set) var isOutputMuted = false
        package internal(set) var isInputMuted = false
    }

    /// What the host said.
    package struct Reported: Hashable, Sendable {
        package internal(set) var connection = Connection.connected
        /// Why the connection was lost last; empty where the server had gone, and before any loss.
        package internal(set) var lossReason = ""
        /// While the connection is lost, the last one before that; nil before the first: there is no route yet, and
        /// nothing is posted.
        var newestInventory: Inventory?
        /// The other sessions' claims, in the order of their serials.
        package internal(set) var peers: [Peer] = []
        /// The streams that run and belong to no session.
        package internal(set) var foreignStreams: [ForeignStream] = []
        /// From `sleepAnnounced` to `wokeFromSleep`.
        var isAsleep = false
    }

    /// What the machine has made of that.
    package struct Derived: Hashable, Sendable {
        package internal(set) var activation = Activation.inactive(Inactivity())
        package internal(set) var route = Route.empty
        /// What the route would be without the override; when it moves, the override ends.
        var underlyingRoute = Route.empty
        /// When the ports of the last seconds arrived.
        var arrivals: [PortIdentity: HostTime] = [:]
        /// When a port of the route went away in the last seconds.
        var losses: [PortDirection: HostTime] = [:]
        /// What orders the ports of a `multiRoute` session.
        var arrivalOrder = ArrivalOrder()
        /// Where players that were to play were linked when the connection was last lost.
        var outputsAtLoss: [Port] = []
        /// Counts interruptions and deactivations: what was asked for in an earlier generation is out of date.
        package internal(set) var generation: UInt64 = 0
        /// Counts the losses of the route's outputs: what was asked to play before one does not begin after it (decision 60).
        package internal(set) var outputLosses: UInt64 = 0
        /// Those of them that are counted, and whose inventory has not come yet.
        var reportedOutputLosses: Set<String> = []

        // These outlive the activation that they came from.

        var claimCount: UInt64 = 0
        /// The claim that was under way when the connection was lost: the host may have put it up at the new server before
        /// we heard of the loss, and then its grant is still to come.
        package internal(set) var strayClaim: ClaimID?

        // These are about the claims of others, whatever the own session does.

        /// The foreign streams that are calls, each with the newest claim when it began: its place among the claims.
        var foreignCalls: [UInt64: ClaimSerial] = [:]
        /// Peers whose claims have been refused or interrupted, and by whom: they count no more, and are about to go.
        var lostClaims: [ClaimSerial: Arbitration.Verdict] = [:]
    }

    /// Whether the server is there, and whether the newest inventory is its own.
    package enum Connection: Hashable, Sendable {
        /// Legal exits: lost.
        case connected
        /// An inventory that comes meanwhile is taken when the connection is restored.
        ///
        /// Legal exits: restored.
        case lost(next: Inventory?)
        /// The newest inventory is the lost server's; the configuration is back at the defaults.
        ///
        /// Legal exits: connected (with the new server's first inventory), lost.
        case restored
    }

    /// Who chose an output last, and which.
    package enum OutputRequest: Hashable, Sendable {
        case byApp(OutputChoice)
        /// In a mixer; while the output is connected.
        case byUser(uid: String)

        mutating func forgetUser() { if case .byUser = self { self = .byApp(.automatic) } }
    }
}

// MARK: What follows from the parts

extension SessionState {
    package var isConnected: Bool { if case .lost = reported.connection { false } else { true } }

    /// Nil while active.
    package var interruption: Interruption? { derived.activation.inactivity?.interruption }

    /// Our claim as the registry shows it; nil unless active.
    package var ownClaim: Arbitration.Claim? {
        if case .active(_, let claim, _) = derived.activation { claim } else { nil }
    }

    /// The newest inventory; while the connection is lost, the last one before that.
    package var inventory: Inventory { reported.newestInventory ?? .empty }

    package var hasInventory: Bool { reported.newestInventory != nil }

    /// What the app chose; automatic once the user has chosen since.
    package var appChoice: OutputChoice { if case .byApp(let choice) = requested.output { choice } else { .automatic } }

    /// What the user chose; nil once the app has chosen since.
    package var chosenOutputUID: String? { if case .byUser(let uid) = requested.output { uid } else { nil } }

    /// The inputs this configuration may use; empty for categories without input.
    package var availableInputs: [Port] { RoutePolicy.availableInputs(for: requested.configuration, in: inventory) }

    /// The output that was chosen, by the user in a mixer or by the app, whoever was last; nil where it is not there or not
    /// usable, and where there was no choice.
    package var chosenOutput: Port? {
        let choice = chosenOutputUID.map(OutputChoice.port(uid:)) ?? appChoice
        return choice == .automatic ? nil : choice.port(among: usableOutputs)
    }

    /// Whether sound that a lost server ended may go on where the route leads now: the rule of an unplug.
    var continuesPrivately: Bool {
        // What the machine's speaker played was not private.
        if derived.outputsAtLoss.contains(where: { $0.kind == .builtInSpeaker }) { return true }
        let known = Set(derived.outputsAtLoss.map(\.uid))
        let chosen = chosenOutput?.uid
        return known.isEmpty
            || derived.route.outputs.allSatisfy { known.contains($0.uid) || $0.kind.isPrivate || $0.uid == chosen }
    }

    /// The outputs that a stream may be bound to.
    package var usableOutputs: [Port] {
        RoutePolicy.usableOutputs(
            for: requested.configuration.category, in: inventory, arrivals: derived.arrivalOrder,
            speaker: multiRouteSpeaker)
    }
}

/// The output that an app wants for its session; it stays while the device is away, and holds again when that is back.
package enum OutputChoice: Hashable, Sendable, Codable {
    /// The app leaves it to the user, the host and the category.
    case automatic
    case port(uid: String)
    /// The first of the kind among the usable outputs, whichever that is now.
    case kind(PortKind)

    package func port(among usable: [Port]) -> Port? {
        switch self {
        case .automatic: nil
        case .port(let uid): usable.first { $0.uid == uid }
        case .kind(let kind): usable.first { $0.kind == kind }
        }
    }
}
