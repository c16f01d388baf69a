/// Why the session refused a call.
///
/// `message` names the value received, the values allowed and what to do next.
package struct SessionError: Error, Hashable, Sendable, Codable {
    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The cases of `AVAudioSession.ErrorCode` that this session can raise.
    package enum Code: Hashable, Sendable, Codable {
        case mediaServicesFailed, isBusy, incompatibleCategory, cannotInterruptOthers, cannotStartPlaying
        case cannotStartRecording
        case badParam, insufficientPriority, resourceNotAvailable, unspecified, expiredSession, sessionNotActive
    }
}

extension SessionError {
    /// A refusal by the server is not reported as an insufficient priority.
    package init(_ error: HostError) {
        switch error {
        case .unreachable, .connectionLost: self.init(.mediaServicesFailed, error.message)
        case .refused: self.init(.unspecified, error.message)
        case .noSuchPort: self.init(.resourceNotAvailable, error.message)
        }
    }
}
