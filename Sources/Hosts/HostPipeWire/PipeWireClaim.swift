package import AudioModel

/// Another program's claim, as the properties of its node show it; every text is untrusted.
package struct PipeWireClaim: Hashable, Sendable {
    package var serial: ClaimSerial
    /// The connection that made it, nil for a node that has outlived its maker; streams of the same one are its own.
    package var clientID: UInt32?
    package var configuration: SessionConfiguration
    package var name: String
    /// As in `Peer`.
    package var isWaiting: Bool
    /// Its owner is about to take it down, and lets the others resume.
    package var notifiesOthers: Bool

    /// Reads words of an unknown, newer version as the nearest known ones: a claim that no session
    /// understood would be one that no session makes way for.
    ///
    /// - Parameter options: the bits in decimal; what is no number is none of them.
    package init(
        serial: ClaimSerial, clientID: UInt32?, category: String?, mode: String?, policy: String? = nil,
        options: String? = nil, name: String? = nil, isWaiting: Bool = false, notifiesOthers: Bool = false
    ) {
        self.serial = serial
        self.clientID = clientID
        configuration = SessionConfiguration(
            category: category.flatMap(SessionCategory.init(word:)) ?? .playback,
            mode: mode.flatMap(SessionMode.init(word:)) ?? .default,
            options: SessionOptions(rawValue: options.flatMap(UInt.init) ?? 0),
            policy: policy.flatMap(SessionPolicy.init(word:)) ?? .default)
        self.name = (name ?? "").capped
        self.isWaiting = isWaiting
        self.notifiesOthers = notifiesOthers
    }
}

extension String {
    /// The first 128 scalars: the server does not limit the text of a program.
    package var capped: String { String(UnicodeScalarView(unicodeScalars.prefix(128))) }
}
