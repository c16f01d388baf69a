package import AudioModel

/// Tells a port from all others: a headset's two directions may share one uid.
package struct PortIdentity: Hashable, Sendable {
    package var direction: PortDirection
    package var uid: String

    package init(_ port: Port) {
        direction = port.direction
        uid = port.uid
    }
}

extension Route {
    package var ports: [Port] { inputs + outputs }
    package var identities: [PortIdentity] { ports.map(PortIdentity.init) }

    /// This route with the rates it does not know taken from `other`, for the ports they share.
    ///
    /// Servers tell a rate only once a device has run, and may forget it when it sleeps: neither is a change.
    package func learningRates(from other: Route) -> Route {
        func learn(_ ports: [Port], _ known: [Port]) -> [Port] {
            ports.map { port in
                var port = port
                port.sampleRate = port.sampleRate ?? known.first { $0.uid == port.uid }?.sampleRate
                return port
            }
        }
        return Route(inputs: learn(inputs, other.inputs), outputs: learn(outputs, other.outputs))
    }
}
