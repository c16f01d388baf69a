/// An object of the server's that came, or what it says of itself.
package enum PipeWireObject: Hashable, Sendable {
    /// A sink, source or card is there; what it says follows.
    case announced
    case node(PipeWireNode)
    case device(PipeWireDevice)
    /// The node of a claim or of an output stream is there, ours too; what it says follows.
    case programAnnounced(serial: UInt64, nodeID: UInt32, clientID: UInt32?, isClaim: Bool)
    case program(PipeWireProgramNode)
    case port(PipeWireNodePort)
    case link(id: UInt32, output: UInt32, input: UInt32, isOurs: Bool)
    case client(id: UInt32, PipeWireClients.Client)
    case factory(id: UInt32, name: String)
    /// The session manager's choices.
    case metadata(id: UInt32)

    package enum Removal: Hashable, Sendable {
        case node(id: UInt32)
        case device(id: UInt32)
        case program(serial: UInt64)
        case other(id: UInt32)
    }
}
