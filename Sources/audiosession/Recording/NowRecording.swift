import AudioRuntime
import OpenAVFAudio

/// The moving picture of a recording.
struct NowRecording: Hashable, Sendable {
    var state: FileRecorder.State
    /// Seconds in the file.
    var duration: Double
    /// Untrusted text.
    var input: String
    /// Linear peaks, one for each channel.
    var levels: [Float]
    var hasKeys = false
}
