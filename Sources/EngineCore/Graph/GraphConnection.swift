/// One edge of the graph.
///
/// Its format is that of the source's output bus.
package struct GraphConnection: Hashable, Sendable {
    package var source: NodeBus
    package var destination: NodeBus
    package var mixing: Mixing
}
