import AudioModel
package import EffectCore
package import EngineCore

extension NodeController {
    /// Of connections to environments; see `mixing`.
    ///
    /// The plan stays as it is: sources may be moved as often as an app likes.
    package func setSpace(_ change: (inout SpaceMixing) -> Void) {
        guard let place else { return setMixing { change(&$0.space) } }
        place.control.changeSpace(of: place.id, at: nil, change)
    }
}

extension EngineController {
    /// - Parameter destination: of one connection; nil for the node and all that leave it.
    package func changeSpace(of id: NodeID, at destination: NodeBus?, _ change: (inout SpaceMixing) -> Void) {
        state.withLock { state in
            state.graph.changeSpace(of: id, at: destination, change)
            state.placeSources()
        }
    }
}

extension EngineState {
    private static let headphones: Set<PortKind> = [.headphones, .bluetoothA2DP, .bluetoothHFP, .bluetoothLE]

    /// Tells each environment where its sources are.
    func placeSources() {
        for (id, node) in nodes {
            guard let unit = node.controller.unit as? SpaceUnit else { continue }
            let connections = graph.connections(into: id)
            var sources = [SpaceSource?](repeating: nil, count: (connections.last?.destination.bus ?? -1) + 1)
            for connection in connections {
                guard let mixing = graph.firstConnection(into: connection.destination)?.mixing else { continue }
                sources[connection.destination.bus] = SpaceSource(mixing: mixing.space, volume: mixing.volume)
            }
            unit.setSources(
                sources, isOnHeadphones: manual == nil && linkedPorts.contains { Self.headphones.contains($0.kind) })
        }
    }
}
