package import AudioFiles
package import AudioModel
package import AudioRuntime
package import SessionCore
package import TransportCore

/// A sound that a `QueuePlayer` plays.
package protocol QueueItem: AnyObject, Sendable {
    /// Opens it at its beginning; may wait for a disk or a server.
    func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader
    /// An `open` that waits for a server throws soon.
    ///
    /// Any thread.
    func cancelOpening()
    /// Sets up the player that was made for it, which is silent yet; not called where it joins the player of the item before it.
    ///
    /// The thread that opens items.
    ///
    /// - Throws: why the item is not played.
    func prepare(_ player: FilePlayer) throws(SessionError)
    /// Changes its frames where they are read; does not change.
    var filter: (any FrameFilter)? { get }
    /// Where it begins, in seconds; does not change.
    var startSeconds: Double { get }
    /// Where it ends, in seconds; nil: at its own end.
    ///
    /// `QueuePlayer.endChanged` tells of another one. Read with a lock held: it runs no code of the app's.
    var endSeconds: Double? { get }
    /// It has a player of its own: it follows no other item without a gap.
    var isSeparate: Bool { get }
    /// Where its player plays, and what it does when an output leaves or the session is interrupted; does not change.
    ///
    /// What joins a player has the policy and the role of that player's first item. Read with a lock held.
    var policy: StreamPolicy { get }
    /// PipeWire's `media.role`; does not change.
    var role: String { get }
}

extension QueueItem {
    package func cancelOpening() {}
    package func prepare(_ player: FilePlayer) throws(SessionError) {}
    package var filter: (any FrameFilter)? { nil }
    package var startSeconds: Double { 0 }
    package var endSeconds: Double? { nil }
    package var isSeparate: Bool { false }
    /// Resumes by itself.
    package var policy: StreamPolicy { StreamPolicy(onInterruption: .pauseAndResume) }
    package var role: String { "Music" }

    /// Whether the loss of an output of the route ends what was wanted of it (decision 60).
    ///
    /// - Parameter transport: of its player, if it has one.
    package func isPaused(byLossWith transport: TransportStatus?) -> Bool {
        // What continues the sound of a lost server waits for a private output.
        policy.isPausedByRouteLoss && (!policy.continuesPrivately || transport?.state == .playing)
    }

    /// Opens it where it begins.
    func openAtStart(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        let reader = try open(outputSampleRate: outputSampleRate)
        if startSeconds > 0 { try reader.seek(toSeconds: startSeconds) }
        return reader
    }
}
