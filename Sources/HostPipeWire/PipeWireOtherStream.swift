/// Somebody else's output stream; every text is untrusted.
package struct PipeWireOtherStream: Hashable, Sendable {
    package var serial: UInt64
    /// The connection that made it; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var isRunning: Bool
    /// The node's `media.role`.
    package var role: String?
    package var name: String

    package init(serial: UInt64, clientID: UInt32?, isRunning: Bool, role: String? = nil, name: String? = nil) {
        self.serial = serial
        self.clientID = clientID
        self.isRunning = isRunning
        self.role = role?.cappedForBoard
        self.name = (name ?? "").cappedForBoard
    }
}
