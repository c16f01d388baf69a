internal import CPipeWireGuardShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The ducking sink on a server, and its links to the output.
///
/// Rule: used with the loop locked; removed from the connection's state before it is freed.
final class PipeWireDuck: @unchecked Sendable {
    private enum State: Equatable {
        /// Exit: both ends have ports -> `linking`.
        case unlinked
        /// Exits: the server has created the links -> `ready`; another output, or an end without ports -> `unlinked`.
        case linking
        /// Exit: another output, or an end without ports -> `unlinked`.
        case ready
    }

    private let pointer: OpaquePointer
    private var state = State.unlinked
    private var hasBeenReady = false

    /// The sink on which the ducked sound is played.
    var output: String {
        didSet { unlink() }
    }

    /// - Returns: nil if the server refused the sink.
    init?(_ host: OpaquePointer, named name: String, output: String) {
        guard let pointer = oav_pw_duck_new(host, name, "Lowered by audiosession guard") else { return nil }
        self.pointer = pointer
        self.output = output
    }

    func free() { oav_pw_duck_free(pointer) }

    private func unlink() {
        oav_pw_duck_unlink(pointer)
        state = .unlinked
    }

    /// nil until the server has created the node.
    var sinkNode: UInt32? {
        let id = oav_pw_duck_sink_node(pointer)
        return id == .max ? nil : id
    }

    func fade(decibels: Double, seconds: Double) {
        oav_pw_duck_fade(pointer, Float(pow(10, -decibels / 20)), Float(seconds))
    }

    /// - Returns: true once, when the sink passes its sound on for the first time.
    func advance(_ graph: PipeWireGuardGraph) -> Bool {
        let player = oav_pw_duck_player_node(pointer)
        guard player != .max, let sinkNode else { return false }
        let links = graph.duckLinks(from: player, to: output)
        guard !links.isEmpty else {
            // If a session manager sets up the ports of an end again, it removes the links.
            if state != .unlinked { unlink() }
            return false
        }
        if state == .unlinked {
            for link in links { _ = oav_pw_duck_link(pointer, link.ours, link.theirs) }
            state = .linking
        }
        guard state == .linking, graph.isLinked(player, toSink: output), graph.hasInputs(sinkNode) else { return false }
        state = .ready
        defer { hasBeenReady = true }
        return !hasBeenReady
    }
}
