/// A channel of a port, whether the port is there or not.
package struct PortChannel: Hashable, Sendable {
    /// The port's.
    package var uid: String
    /// Counts from 0 within the port.
    package var index: Int

    package init(uid: String, index: Int) {
        self.uid = uid
        self.index = index
    }
}
