import AudioModel
import HostInterface

/// What the machine knows of one stream that is not closed yet.
struct StreamState: Sendable {
    let configuration: StreamConfiguration
    let clock: StreamClock
    var isRunning = false
    /// Something outside of its process keeps it from playing.
    var isHeld = false
    /// Set by a crash or a failure; nothing but `close` works from then on.
    var failure: HostError?
    /// Port uids in channel order; empty while the gate is closed.
    var links: [String] = []
    /// The sum of the linked ports' channels; stays while the gate is closed.
    var channelCount = 0
    /// Changes whenever what was rendered before must not be heard any more.
    var generation = 0
    /// Made and replaced by the thread that advances.
    var buffers: RenderBuffers?
    /// The generation that `buffers` was last used for.
    var bufferGeneration = -1
    /// The same of an input stream, which has no other.
    var inputBuffers: InputBuffers?

    var isGateOpen: Bool { !links.isEmpty }
    /// Whether peers see it as playing; it may play silence.
    var isPlaying: Bool { isRunning && isGateOpen && configuration.direction == .output }
}
