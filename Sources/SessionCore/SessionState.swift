package import AudioModel

/// Everything a session remembers: readable from any thread as a snapshot.
package struct SessionState: Hashable, Sendable {
    package internal(set) var configuration = SessionConfiguration()
    package internal(set) var activation = Activation.inactive
    package internal(set) var inventory = Inventory.empty
    package internal(set) var override = OutputOverride.none
    /// The output the user chose for this app in a mixer, while it is connected.
    package internal(set) var chosenOutputUID: String?
    package internal(set) var route = Route.empty
    /// False from `connectionLost` to `connectionRestored`.
    package internal(set) var isConnected = true

    package init() {}

    /// The inputs this category may use; empty for categories without input.
    package var availableInputs: [Port] {
        RoutePolicy.hasInput(configuration.category) ? inventory.inputs : []
    }
}

/// Legal exits: inactive -> claiming; claiming -> active (granted) | inactive (refused, or deactivated meanwhile);
/// active -> inactive (deactivated, or the connection was lost).
package enum Activation: Hashable, Sendable {
    case inactive
    case claiming(ClaimID)
    case active(ClaimID)

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }
}
