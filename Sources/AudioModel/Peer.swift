/// An active session of another process, as its claim on the board shows it.
package struct Peer: Hashable, Sendable {
    package var place: ClaimPlace
    /// What it has claimed; unknown words from a newer version have been read as the nearest known ones.
    package var configuration: SessionConfiguration
    /// One of its streams runs.
    package var isPlaying: Bool
    /// The program's name; untrusted text: use `printable` before it reaches a terminal.
    package var name: String

    package init(place: ClaimPlace, configuration: SessionConfiguration, isPlaying: Bool = false, name: String = "") {
        self.place = place
        self.configuration = configuration
        self.isPlaying = isPlaying
        self.name = name
    }
}
