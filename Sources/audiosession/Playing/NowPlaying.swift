import AudioRuntime
import OpenAVFAudio

/// The moving picture: everything a live display shows.
struct NowPlaying: Hashable, Sendable {
    /// What is in the way of playing, besides the person's own pause.
    enum Hindrance: Hashable, Sendable {
        /// It goes on when the other one is done and says so.
        case interruptedForNow
        case interrupted
        /// A call is on.
        case refused
        case serverIsLost
        /// A server is there again.
        case serverWasLost
    }

    /// A file that is open.
    struct Track: Hashable, Sendable {
        /// Untrusted text, like `output`.
        var title: String
        /// "2 of 5"; nil for a single file.
        var place: String?
        /// The output that is this file's own; nil where it follows the route.
        var output: String?
        var state: FilePlayer.State
        /// Seconds.
        var position: Double
        /// Seconds; 0 where the file does not say.
        var duration: Double
    }

    /// At least one; several where each file has an output of its own.
    var tracks: [Track]
    /// 0...1.
    var volume: Float
    var route: RouteFacts
    var isSimulated: Bool
    var hindrance: Hindrance?
    /// While the person looks at the outputs.
    var picker: PickerPicture?
    /// Whether keys are read now, so that it makes sense to name them.
    var hasKeys = false

    var isPlaying: Bool { tracks.contains { $0.state == .playing } }
}
