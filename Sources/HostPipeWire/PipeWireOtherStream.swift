/// Somebody else's output stream; every text is untrusted.
package struct PipeWireOtherStream: Hashable, Sendable {
    package var serial: UInt64
    /// The connection that made it; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var isRunning: Bool
    /// A session's that has made way a moment ago, and fades out; or that is about to put up its claim.
    package var isLingering: Bool
    /// The node's `media.role`.
    package var role: String?
    package var name: String

    package init(
        serial: UInt64, clientID: UInt32?, isRunning: Bool, isLingering: Bool = false, role: String? = nil,
        name: String? = nil
    ) {
        self.serial = serial
        self.clientID = clientID
        self.isRunning = isRunning
        self.isLingering = isLingering
        self.role = role?.cappedForBoard
        self.name = (name ?? "").cappedForBoard
    }
}
