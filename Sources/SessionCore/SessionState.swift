package import AudioModel

/// Everything a session remembers: readable from any thread as a snapshot.
package struct SessionState: Hashable, Sendable {
    package internal(set) var configuration = SessionConfiguration()
    package internal(set) var activation = Activation.inactive
    /// The newest inventory; while the connection is lost, the last one before that.
    package internal(set) var inventory = Inventory.empty
    package internal(set) var override = OutputOverride.none
    /// The output the user chose for this app in a mixer, while it is connected.
    package internal(set) var chosenOutputUID: String?
    package internal(set) var route = Route.empty
    /// False from `connectionLost` to `connectionRestored`.
    package internal(set) var isConnected = true

    /// Counts interruptions and deactivations: what was asked for in an earlier era is out of date.
    package internal(set) var era: UInt64 = 0

    // MARK: The machine's own memory

    /// False until the first inventory: there is no route yet, and nothing is posted.
    package internal(set) var hasInventory = false
    /// The open streams, in the order of their opening.
    package internal(set) var streams: [StreamRecord] = []
    /// The activation calls that wait for the claim's answer; empty unless `activation` is `claiming`.
    package internal(set) var waitingCalls: [CallID] = []
    /// What the route would be without the override; when it moves, the override ends.
    var underlyingRoute = Route.empty
    /// When the ports of the last seconds arrived.
    var arrivals: [PortIdentity: HostTime] = [:]
    /// Outputs reported lost that the inventory still holds; nothing is linked to them until the next inventory.
    var doubtedOutputUIDs: Set<String> = []
    /// When the newest doubt came up; nil where only a new server's inventory can end it.
    var doubtTime: HostTime?
    /// The inventory that came while the connection was lost.
    var inventoryAfterLoss: Inventory?
    var claimCount: UInt64 = 0

    package init() {}

    /// The inputs this configuration may use; empty for categories without input.
    package var availableInputs: [Port] { RoutePolicy.availableInputs(for: configuration, in: inventory) }
}

/// Whether the session holds a claim to sound.
///
/// Legal exits: inactive -> claiming; claiming -> active (granted) | inactive (refused, or deactivated meanwhile);
/// active -> inactive (deactivated). The loss of the connection leads from each state to inactive.
package enum Activation: Hashable, Sendable {
    case inactive
    case claiming(ClaimID)
    case active(ClaimID)

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }
}
