package import AudioModel

/// Another program's claim, from the properties of its node; every text is untrusted.
package struct PipeWireClaim: Hashable, Sendable {
    package var serial: ClaimSerial
    /// The connection that made the claim and its streams; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var configuration: SessionConfiguration
    package var name: String
    /// As in `Peer`.
    package var isWaiting: Bool
    /// Its owner is about to remove it, and lets other sessions resume.
    package var notifiesOthers: Bool

    /// Reads words of an unknown, newer version as the nearest known ones, so that sessions still yield to the claim.
    ///
    /// - Parameter options: the bits in decimal; any other text means no options.
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
    /// The first 128 scalars: the server does not limit the length of a program's text.
    package var capped: String { String(UnicodeScalarView(unicodeScalars.prefix(128))) }
}
