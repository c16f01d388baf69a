internal import AudioModel

/// The outputs that mixers have chosen for nodes, and which of these nodes belong to our streams.
///
/// Pure. Another program or the session manager may choose before the server has named our stream's node.
struct PipeWireStreamTargets: Sendable {
    struct Move: Hashable, Sendable {
        var stream: StreamID
        /// An object serial or a node name; nil removes the choice.
        var target: String?
    }

    private var targets: [UInt32: String] = [:]
    private var streams: [UInt32: StreamID] = [:]

    mutating func set(_ target: String?, ofNode id: UInt32) -> Move? {
        targets[id] = target
        return streams[id].map { Move(stream: $0, target: target) }
    }

    /// Forgets all choices, because the session manager that kept them has left.
    ///
    /// Ids may be reused, and the end of old choices is not reported.
    mutating func removeAll() -> Move? {
        targets = [:]
        return nil
    }

    mutating func named(_ stream: StreamID, nodeID id: UInt32) -> Move? {
        guard streams[id] != stream else { return nil }
        forget(stream)
        streams[id] = stream
        return targets[id].map { Move(stream: stream, target: $0) }
    }

    mutating func forget(_ stream: StreamID) { streams = streams.filter { $0.value != stream } }
}
