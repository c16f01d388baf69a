import AudioModel

/// A port as this program shows it.
struct PortFacts: Hashable, Sendable {
    /// Stable across re-plugging.
    ///
    /// Untrusted text, like `name`.
    var uid: String
    var name: String
    /// The raw value of `AVAudioSession.Port`: "Headphones", "Speaker", "LineOut" ...
    var portType: String
    var channels: Int

    /// The fields that events carry.
    var json: JSONValue {
        .fields([
            "uid": .string(uid), "name": .string(name), "portType": .string(portType), "channels": .integer(channels),
        ])
    }

    /// For people: "USB Headset (Headphones)".
    var label: String { name == portType ? name.printable : "\(name.printable) (\(portType.printable))" }
}
