/// The names of the desktop's media players on the bus.
///
/// Source: MPRIS D-Bus Interface Specification 2.2.
package enum Mpris {
    /// Of the root interface, and the beginning of every player's name.
    package static let root = "org.mpris.MediaPlayer2"
    package static let player = "org.mpris.MediaPlayer2.Player"
    package static let path = "/org/mpris/MediaPlayer2"

    /// The values of `PlaybackStatus`.
    package enum Status: String, Sendable { case playing = "Playing", paused = "Paused", stopped = "Stopped" }

    /// The values of `LoopStatus`.
    package enum LoopStatus: String, Sendable { case none = "None", track = "Track", playlist = "Playlist" }
}
