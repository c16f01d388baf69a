package import AudioModel

/// A sink or source as the server describes it; every text is untrusted.
package struct PipeWireNode: Hashable, Sendable {
    package var id: UInt32
    /// Orders nodes by age; ids are reused, serials are not.
    package var serial: UInt64 = 0
    package var direction: PortDirection
    package var name: String
    package var description: String?
    /// Whether `node.virtual` is set, or a loopback or filter made the node.
    package var isVirtual = false
    /// The link group of the loopback whose sink this is; with it, the session manager gives roles a volume of their own.
    package var roleGroup: String?
    package var formFactor: String?
    package var bus: String?
    package var api: String?
    package var bluetoothProfile: String?
    package var profileName: String?
    /// PipeWire's channel names, in order; empty while unknown.
    ///
    /// From the node's properties until it has ports.
    package var positions: [String] = []
    package var deviceID: UInt32?
    /// `card.profile.device`: which output or input of its card this node is.
    package var cardDevice: Int32?
    /// `priority.session`: the session manager prefers higher values.
    package var priority: Int32 = 0

    package init(id: UInt32, direction: PortDirection, name: String) {
        self.id = id
        self.direction = direction
        self.name = name
    }

    /// - Parameter properties: the node's properties, by key.
    package init(id: UInt32, serial: UInt64, direction: PortDirection, properties: (String) -> String?) {
        self.init(id: id, direction: direction, name: properties("node.name") ?? "")
        self.serial = serial
        description = properties("node.description") ?? properties("node.nick")
        // WirePlumber 0.5 shows a headset's microphone as a loopback in either profile.
        isVirtual =
            properties("bluez5.loopback") != "true"
            && (["true", "1"].contains(properties("node.virtual")) || properties("node.link-group") != nil)
        // WirePlumber sends streams of these roles to this node.
        roleGroup = properties("device.intended-roles") == nil ? nil : properties("node.link-group")
        formFactor = properties("device.form-factor")
        bus = properties("device.bus")
        api = properties("device.api")
        bluetoothProfile = properties("api.bluez5.profile")
        profileName = properties("device.profile.name")
        // The value is "[ FL, FR ]" or "FL,FR".
        let words = properties("audio.position")?.split { "[], \t\"".contains($0) } ?? []
        positions = words.prefix(PipeWireInventory.mostChannels).map(String.init)
        deviceID = properties("device.id").flatMap { UInt32($0) }?.known
        cardDevice = properties("card.profile.device").flatMap { Int32($0) }.flatMap { $0 < 0 ? nil : $0 }
        priority = properties("priority.session").flatMap { Int32($0) } ?? 0
    }

    /// Whether this is the sink that replaces a missing one (`auto_null`), or a guard's sink; sound sent there is not heard.
    package var isStandIn: Bool { name == "auto_null" || name.hasPrefix(PipeWireGuardSink.prefix) }

    var isA2DP: Bool { bluetoothProfile?.hasPrefix("a2dp") == true }

    package var channels: [ChannelLabel] {
        positions.enumerated().map { index, position in
            Self.labels[position] ?? .discrete(index)
        }
    }

    private static let labels: [String: ChannelLabel] = [
        "MONO": .mono, "FL": .left, "FR": .right, "FC": .center, "LFE": .lowFrequency, "RL": .rearLeft,
        "RR": .rearRight, "SL": .sideLeft, "SR": .sideRight, "RC": .rearCenter,
    ]
}

/// A port of a node as the server reports it: one channel in one direction.
package struct PipeWireNodePort: Hashable, Sendable {
    package var id: UInt32
    package var nodeID: UInt32
    /// The position in the order of the channels.
    package var number: UInt32
    package var isInput: Bool
    /// PipeWire's name of the channel; an invalid name becomes "UNK".
    package var channel: String

    package init(id: UInt32, nodeID: UInt32, number: UInt32, isInput: Bool, channel: String) {
        self.id = id
        self.nodeID = nodeID
        self.number = number
        self.isInput = isInput
        self.channel = channel.isEmpty || channel.contains(",") ? "UNK" : String(channel.prefix(15))
    }
}
