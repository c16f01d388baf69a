/// A node of one `EngineGraph`; never given out twice by the same graph.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    init(number: Int) { self.number = number }

    package static func < (a: NodeID, b: NodeID) -> Bool { a.number < b.number }

    package var description: String { "node \(number)" }
}
