internal import AudioRuntime
internal import SessionRuntime

/// What the player of a queue does on the session thread.
extension FilePlayer {
    /// - Parameter answer: called once, on the session thread: why it does not play, or nil.
    func play(_ context: inout SessionRuntime.SessionThread, _ answer: @escaping SessionRuntime.Answer) {
        if let refusal { return answer(refusal) }
        streams.play(.output, &context, answer)
    }

    func goTo(seconds: Double) { streams.goTo(seconds: seconds) }

    /// As `setEnd(atSeconds:ofFile:)`.
    func moveEnd(toSeconds seconds: Double?, ofFile file: UInt64) {
        setEnd(atSeconds: seconds, ofFile: file, seek: goTo)
    }
}
