import AudioModel
import SessionCore
import Synchronization

/// One call's place to wait for its answer.
final class Reply: Sendable {
    private let error = Mutex<SessionError?>(nil)
    private let answered = Latch()

    func answer(_ error: SessionError?) {
        self.error.withLock { $0 = error }
        answered.raise()
    }

    func wait() -> SessionError? {
        answered.wait()
        return error.withLock { $0 }
    }
}
