internal import AudioModel
internal import HostInterface
internal import SessionCore

extension SessionError {
    init(_ error: HostError) {
        switch error {
        case .unreachable, .connectionLost: self.init(.mediaServicesFailed, error.message)
        case .refused: self.init(.unspecified, error.message)
        case .noSuchPort: self.init(.resourceNotAvailable, error.message)
        }
    }
}
