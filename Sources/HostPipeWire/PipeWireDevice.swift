/// A card: what its nodes belong to, and what they can be switched to.
package struct PipeWireDevice: Hashable, Sendable {
    package var id: UInt32
    package var name: String?
    package var description: String?
    package var formFactor: String?
    package var bus: String?
    package var api: String?
    /// nil until the device has told them.
    package var routes: [PipeWireRoute]?
    /// The index of the route that each card device is switched to.
    package var activeRoutes: [Int32: Int32] = [:]

    package init(id: UInt32, name: String? = nil) {
        self.id = id
        self.name = name
    }
}
