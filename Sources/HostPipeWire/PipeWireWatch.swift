internal import AudioModel
internal import CPipeWireShims

/// Waits for a server that is not there, on one thread, which any other may wake.
///
/// Rule: freed after the thread that waits on it has ended; only `wake` is called from other threads.
package final class PipeWireWatch: @unchecked Sendable {
    private static let firstPauseMilliseconds = 50
    private static let longestPauseMilliseconds = 1000

    private let pointer: OpaquePointer

    /// nil where the system has no descriptors left.
    ///
    /// - Parameter remote: the server's socket as an absolute path; nil asks the environment.
    package init?(remote: String?) {
        guard let pointer = withOptionalCString(remote, { oav_pw_watch_new($0) }) else { return nil }
        self.pointer = pointer
    }

    deinit { oav_pw_watch_free(pointer) }

    package func wake() { oav_pw_watch_wake(pointer) }

    /// Waits until it is woken, or until the time has passed.
    ///
    /// - Parameter milliseconds: nil waits without end.
    package func wait(milliseconds: Int? = nil) {
        _ = oav_pw_watch_wait(pointer, milliseconds.map { Int32(clamping: $0) } ?? -1)
    }

    /// Attempts now, when the server's socket appears, when it is woken, and after pauses that double up to 1 s.
    ///
    /// - Parameter attempt: returns whether the search is over.
    package func search(_ attempt: () -> Bool) {
        oav_pw_watch_begin(pointer)
        defer { oav_pw_watch_end(pointer) }
        var pause = Self.firstPauseMilliseconds
        while !attempt() {
            switch oav_pw_watch_wait(pointer, Int32(pause)) {
            case OAV_PW_WATCH_TIMED_OUT: pause = min(pause * 2, Self.longestPauseMilliseconds)
            case OAV_PW_WATCH_APPEARED: pause = Self.firstPauseMilliseconds
            default: break
            }
        }
    }
}
