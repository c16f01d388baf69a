/// One bus of a node: an input or an output, as the place where it stands says.
package struct NodeBus: Hashable, Sendable {
    package var node: NodeID
    package var bus: Int

    package init(_ node: NodeID, bus: Int = 0) {
        self.node = node
        self.bus = bus
    }
}
