/// A new object on the server, or the description of one.
package enum PipeWireObject: Hashable, Sendable {
    /// A sink, source or card exists; its description follows.
    case announced
    case node(PipeWireNode)
    case device(PipeWireDevice)
    /// The node of a claim or stream exists, which may be our own; its description follows.
    case programAnnounced(serial: UInt64, nodeID: UInt32, clientID: UInt32?, isClaim: Bool)
    case program(PipeWireProgramNode)
    case port(PipeWireNodePort)
    case link(id: UInt32, output: UInt32, input: UInt32, isOurs: Bool)
    case client(id: UInt32, PipeWireClients.Client)
    case factory(id: UInt32, name: String)
    /// The metadata with the session manager's choices.
    case metadata(id: UInt32)

    package enum Removal: Hashable, Sendable {
        case node(id: UInt32)
        case device(id: UInt32)
        case program(serial: UInt64)
        case other(id: UInt32)
    }
}
