package enum PortDirection: Hashable, Sendable, Codable { case input, output }

/// One place where sound leaves or enters the machine.
package struct Port: Hashable, Sendable, Codable {
    /// Stable across re-plugging and restarts, never an object id; untrusted text.
    package var uid: String
    /// What a person calls it; untrusted text: use `printable` before it reaches a terminal.
    package var name: String
    package var kind: PortKind
    package var direction: PortDirection
    package var channels: [ChannelLabel]
    /// The rate the hardware runs at, in hertz; nil while the host does not know it.
    package var sampleRate: Double?

    package init(
        uid: String, name: String, kind: PortKind, direction: PortDirection, channels: [ChannelLabel],
        sampleRate: Double? = nil
    ) {
        self.uid = uid
        self.name = name
        self.kind = kind
        self.direction = direction
        self.channels = channels
        self.sampleRate = sampleRate
    }
}

extension Sequence<Port> {
    /// The channels of the ports together.
    package var channelCount: Int { reduce(0) { $0 + $1.channels.count } }
}

/// What a port is physically.
package enum PortKind: Hashable, Sendable, CaseIterable, Codable {
    case lineIn, builtInMic, headsetMic
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, displayPort, avb, thunderbolt

    /// Whether an output of this kind is for one listener or one car: what it plays must not go on in the room.
    package var isPrivate: Bool {
        switch self {
        case .headphones, .bluetoothA2DP, .bluetoothHFP, .bluetoothLE, .builtInReceiver, .usbAudio, .carAudio: true
        case .lineIn, .builtInMic, .headsetMic, .lineOut, .builtInSpeaker, .hdmi, .airPlay, .virtual, .pci, .fireWire,
            .displayPort, .avb, .thunderbolt:
            false
        }
    }
}

/// How loud the server plays or records at a port, for all programs.
package struct PortVolume: Hashable, Sendable, Codable {
    /// 0...1, as the slider of a mixer shows it: the cube root of the amplitude.
    package var level: Float
    package var isMuted: Bool

    /// - Parameter level: values outside of 0...1 become the nearest of these; one that is no number becomes 0.
    package init(level: Float, isMuted: Bool = false) {
        self.level = level.isNaN ? 0 : min(max(level, 0), 1)
        self.isMuted = isMuted
    }
}

/// Where sound comes from and goes to: a value, never a live view.
package struct Route: Hashable, Sendable, Codable {
    package var inputs: [Port]
    package var outputs: [Port]

    package init(inputs: [Port] = [], outputs: [Port] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }

    package static let empty = Route()

    /// The identities of the ports, without the details that may change under them.
    package var portUIDs: [String] { inputs.map(\.uid) + outputs.map(\.uid) }
}
