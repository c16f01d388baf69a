package import AudioModel

/// One thing that a card device can be switched to: the speaker, the headphones.
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
    /// The profiles that have it; empty where the card does not say.
    package var profiles: [Int32] = []
    /// It was unavailable in the state before this one; a session manager prefers such a route.
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
