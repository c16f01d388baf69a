/// A microphone of the private server.
///
/// It stays until destroyed, or until the server ends.
package final class VirtualSource: Sendable {
    package let name: String
    private let tone: ToneGenerator

    init(name: String, tone: ToneGenerator) {
        self.name = name
        self.tone = tone
    }

    package var nodeID: UInt32 { tone.nodeID }

    /// What it picks up from the next cycle on: so many frames of tone, then silence; nil for no end.
    package func play(frames: Int?) {
        tone.play(frames: frames)
    }

    /// Frames of tone that recording clients were given so far.
    package var playedFrames: Int { tone.playedFrames }

    /// Takes the microphone away as a pulled plug does.
    package func destroy() {
        tone.stop()
    }
}
