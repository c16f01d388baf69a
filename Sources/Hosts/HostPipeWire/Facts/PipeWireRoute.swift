package import AudioModel

/// A setting to which a card device can be switched: the speaker, the headphones.
package struct PipeWireRoute: Hashable, Sendable {
    package enum Availability: Hashable, Sendable { case unknown, no, yes }

    package var index: Int32
    package var direction: PortDirection
    package var name: String
    package var description: String?
    package var priority: Int32 = 0
    package var availability = Availability.unknown
    /// `port.type`: "headphones", "speaker", "mic" ...
    package var portType: String?
    /// The card devices that can use it.
    package var cardDevices: [Int32]
    /// The profiles that have the route; empty if the card does not report them.
    package var profiles: [Int32] = []
    /// The route was unavailable in the previous state; a session manager prefers such a route.
    package var hasBecomeAvailable = false

    package init(index: Int32, direction: PortDirection, name: String, cardDevices: [Int32]) {
        self.index = index
        self.direction = direction
        self.name = name
        self.cardDevices = cardDevices
    }

    package var isAvailable: Bool { availability != .no }
    package var isSpeaker: Bool { portType == "speaker" }
    package var isWornOnTheEar: Bool { portType == "headphones" || portType == "headset" }
}
