import CRig

/// A stream of countable frames, as a player on this machine would open one.
///
/// With two channels it is a sine and a cosine, so that every single frame is loud. Sendable because the C side locks
/// in every call.
package final class ToneGenerator: @unchecked Sendable {
    /// Who links the stream.
    package enum Routing: Sendable {
        /// The session manager: to the default, or to a requested target; and to another sink when that one goes.
        case automatic(target: String?)
        /// The rig, to this sink and no other.
        case linked(to: String)
    }

    package let name: String
    private let rig: PrivatePipeWire  // kept alive: without it the server ends
    private let connection: RigConnection
    private let pointer: OpaquePointer
    private let timeout: Duration

    init(rig: PrivatePipeWire, connection: RigConnection, pointer: OpaquePointer, name: String, timeout: Duration) {
        self.rig = rig
        self.connection = connection
        self.pointer = pointer
        self.name = name
        self.timeout = timeout
    }

    package var nodeID: UInt32 { oav_rig_tone_node_id(pointer) }

    /// Plays exactly so many frames from the next cycle on, and silence after them; nil plays without end.
    package func play(frames: Int?) {
        oav_rig_tone_play(pointer, frames.map(UInt64.init) ?? .max)
    }

    /// Frames of tone handed to the server so far.
    package var playedFrames: Int { Int(oav_rig_tone_played_frames(pointer)) }

    /// Whether the server takes frames from the stream now.
    package var isStreaming: Bool { oav_rig_tone_is_streaming(pointer) }

    package func waitUntilStreaming() throws(RigError) {
        try connection.waitUntil(
            "\(name) streams", timeout: timeout, seen: { RigGraph(of: connection).summary },
            predicate: { oav_rig_tone_is_streaming(pointer) })
    }

    /// Pauses or resumes the stream.
    package func setActive(_ active: Bool) throws(RigError) {
        let result = oav_rig_tone_set_active(pointer, active)
        try RigError.check(result, "\(active ? "resuming" : "pausing") \(name)", timeout: timeout)
    }

    /// Takes the stream away.
    package func stop() {
        oav_rig_tone_destroy(pointer)
    }
}
