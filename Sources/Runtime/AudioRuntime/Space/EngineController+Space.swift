import AudioModel
package import EffectCore
package import EngineCore

extension NodeController {
    /// Of connections to environments; see `mixing`.
    ///
    /// The plan stays as it is: sources may be moved as often as an app likes.
    package func setSpace(_ change: (inout SpaceMixing) -> Void) {
        guard let place else { return setMixing { change(&$0.space) } }
        place.control.editSpace { $0.changeSpace(of: place.id, at: nil, change) }
    }

    /// Of its connection into a bus; does nothing where there is none.
    package func setSpace(into bus: NodeBus, _ change: (inout SpaceMixing) -> Void) {
        guard let place else { return }
        place.control.editSpace { graph in
            guard let connection = graph.connection(from: place.id, into: bus) else { return }
            graph.changeSpace(of: place.id, at: connection.destination, change)
        }
    }
}

extension EngineController {
    fileprivate func editSpace(_ body: (inout EngineGraph) -> Void) {
        state.withLock { state in
            body(&state.graph)
            state.placeSources()
        }
    }
}

extension EngineState {
    private static let headphones: Set<PortKind> = [.headphones, .bluetoothA2DP, .bluetoothHFP, .bluetoothLE]

    /// Tells each environment where its sources are.
    func placeSources() {
        for (id, node) in nodes {
            guard case .environment(let unit) = node.controller.role else { continue }
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
