package import AudioFiles
package import SessionCore

/// Plays one file on the session's route and does the right thing when the route changes. Any thread.
package final class FilePlayer: Sendable {
    package enum State: String, Sendable { case ready, playing, paused, finished, failed }

    /// Why the player is in its state.
    package enum Cause: String, Sendable {
        case user, oldDeviceUnavailable, noSuitableRoute, endOfFile, error
    }

    package struct Status: Hashable, Sendable {
        package var state: State
        package var cause: Cause
        /// Seconds into the file.
        package var position: Double
        /// With `failed`: what went wrong and what to do next.
        package var message: String?
    }

    /// - Parameters:
    ///   - onChange: called on the poster thread with each change of state, in order.
    /// - Throws: `AudioFileError` when the file cannot be played; nothing is left behind.
    package init(
        path: String, process: AudioProcess, policy: StreamPolicy = StreamPolicy(), role: String? = "Music",
        volume: Float = 1, onChange: @escaping @Sendable (Status) -> Void
    ) throws(AudioFileError) {
        fatalError()
    }

    package var info: AudioFileInfo { fatalError() }
    package var status: Status { fatalError() }
    /// 0...1, linear amplitude; ramps over 5 ms.
    package var volume: Float {
        get { fatalError() }
        set { fatalError() }
    }

    /// Activates the session and starts. Idempotent.
    package func play() throws(SessionError) {}
    /// Fades over 5 ms, then stops. Idempotent.
    package func pause() {}
    /// Clamped to the file's length.
    package func seek(toSeconds seconds: Double) {}
    /// Fades out, waits for the fade, and frees everything. Idempotent.
    package func close() {}
}
