/// An active session of another process, as its claim on the board shows it.
package struct Peer: Hashable, Sendable {
    package var place: ClaimSerial
    /// What it has claimed; unknown words from a newer version have been read as the nearest known ones.
    package var configuration: SessionConfiguration
    /// One of its streams runs.
    package var isPlaying: Bool
    /// The program's name; untrusted text: use `printable` before it reaches a terminal.
    package var name: String

    /// Names the process among those of the server; a later claim of the same owner replaces the earlier one.
    ///
    /// Nil where the host cannot tell.
    package var owner: UInt64?

    package init(
        place: ClaimSerial, configuration: SessionConfiguration, isPlaying: Bool = false, name: String = "",
        owner: UInt64? = nil
    ) {
        self.place = place
        self.configuration = configuration
        self.isPlaying = isPlaying
        self.name = name
        self.owner = owner
    }
}
