package import AudioModel

/// Everything a session remembers: readable from any thread as a snapshot.
package struct SessionState: Hashable, Sendable {
    package internal(set) var configuration = SessionConfiguration()
    package internal(set) var activation = Activation.inactive
    /// The newest inventory; while the connection is lost, the last one before that.
    package internal(set) var inventory = Inventory.empty
    package internal(set) var override = OutputOverride.none
    /// The output the user chose for this app in a mixer, while it is connected; nil once the app has chosen since.
    package internal(set) var chosenOutputUID: String?
    /// What the app chose; automatic once the user has chosen since.
    package internal(set) var appChoice = OutputChoice.automatic
    /// The input that the app would like; it has the route while it is there and the category may use it.
    package internal(set) var preferredInput: Port?
    package internal(set) var route = Route.empty
    /// False from `connectionLost` to `connectionRestored`.
    package internal(set) var isConnected = true
    /// Why the connection was lost last; empty where the server had gone, and before any loss.
    package internal(set) var lossReason = ""
    /// Non-nil from the interruption's begin to its end, to the app's next activation, or to its deactivation; nil while
    /// active.
    package internal(set) var interruption: Interruption?
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

    /// Counts interruptions and deactivations: what was asked for in an earlier generation is out of date.
    package internal(set) var generation: UInt64 = 0

    /// The other sessions' claims, in the order of their serials.
    package internal(set) var peers: [Peer] = []
    /// The streams that run and belong to no session.
    package internal(set) var foreignStreams: [ForeignStream] = []

    // MARK: The machine's own memory

    /// Where players that were to play were linked when the connection was last lost.
    var outputsAtLoss: [Port] = []

    /// False until the first inventory: there is no route yet, and nothing is posted.
    package internal(set) var hasInventory = false
    /// The open streams, in the order of their opening.
    package internal(set) var streams: [StreamRecord] = []
    /// The activation and play calls that wait for the claim's answer; empty unless `activation` is `claiming`.
    package internal(set) var waitingCalls: [CallID] = []
    /// What the route would be without the override; when it moves, the override ends.
    var underlyingRoute = Route.empty
    /// When the ports of the last seconds arrived.
    var arrivals: [PortIdentity: HostTime] = [:]
    /// What orders the ports of a `multiRoute` session.
    var arrivalOrder = ArrivalOrder()
    /// The inventory that came while the connection was lost.
    var inventoryAfterLoss: Inventory?
    /// From `connectionRestored` to the inventory that follows it.
    var isFreshlyReset = false
    var claimCount: UInt64 = 0
    /// Our claim as the registry shows it; non-nil exactly while active.
    package internal(set) var ownClaim: Arbitration.Claim?
    /// While active: the claim that says what the configuration says now, and is to replace the present one.
    package internal(set) var replacementClaim: ClaimID?
    /// The claim of an interrupted session, which keeps its serial until the session has the sound again.
    package internal(set) var waitingClaim: WaitingClaim?
    /// Claims that were under way when the connection was lost: the host may have put one up at the new server before we
    /// heard of the loss, and then its grant is still to come.
    package internal(set) var strayClaims: Set<ClaimID> = []
    /// The foreign streams that are calls, each with the newest claim when it began: its place among the claims.
    var foreignCalls: [UInt64: ClaimSerial] = [:]
    /// Peers whose claims have been refused or interrupted, and by whom: they count no more, and are about to go.
    var lostClaims: [ClaimSerial: Arbitration.Verdict] = [:]
    /// An activation has been refused for another's priority, and the app has not been told yet that it may try again.
    var awaitsRecommendation = false
    /// From `sleepAnnounced` to `wokeFromSleep`.
    var isAsleep = false
    package let roles: ForeignRoles
    package let multiRouteSpeaker: MultiRouteSpeaker

    package init(roles: ForeignRoles = .standard, multiRouteSpeaker: MultiRouteSpeaker = .onlyWhenAlone) {
        self.roles = roles
        self.multiRouteSpeaker = multiRouteSpeaker
    }

    /// The inputs this configuration may use; empty for categories without input.
    package var availableInputs: [Port] { RoutePolicy.availableInputs(for: configuration, in: inventory) }

    /// The output that was chosen, by the user in a mixer or by the app, whoever was last; nil where it is not there or not
    /// usable, and where there was no choice.
    package var chosenOutput: Port? {
        let choice = chosenOutputUID.map(OutputChoice.port(uid:)) ?? appChoice
        return choice == .automatic ? nil : choice.port(among: usableOutputs)
    }

    /// Whether sound that a lost server ended may go on where the route leads now: the rule of an unplug.
    var continuesPrivately: Bool {
        // What the machine's speaker played was not private.
        if outputsAtLoss.contains(where: { $0.kind == .builtInSpeaker }) { return true }
        let known = Set(outputsAtLoss.map(\.uid))
        let chosen = chosenOutput?.uid
        return known.isEmpty
            || route.outputs.allSatisfy { known.contains($0.uid) || $0.kind.isPrivate || $0.uid == chosen }
    }

    /// The outputs that a stream may be bound to.
    package var usableOutputs: [Port] {
        RoutePolicy.usableOutputs(
            for: configuration.category, in: inventory, arrivals: arrivalOrder, speaker: multiRouteSpeaker)
    }
}

/// A claim without effect: those that it interrupted go on waiting, because its session may play again.
package struct WaitingClaim: Hashable, Sendable {
    package let id: ClaimID
    /// When the claim is released; nil while the interruption lasts, and while a new claim is under way.
    var deadline: HostTime?

    init(id: ClaimID) { self.id = id }
}

/// Whether the session holds a claim to sound.
///
/// Legal exits: inactive -> claiming; claiming -> active (granted) | inactive (refused, overtaken by a later claim, or
/// deactivated meanwhile) | claiming (again, when the configuration changes); active -> inactive (deactivated or
/// interrupted) | active (with the claim for a new configuration). The loss of the connection leads from each state to
/// inactive.
package enum Activation: Hashable, Sendable {
    case inactive
    case claiming(ClaimID)
    case active(ClaimID)

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }
}
