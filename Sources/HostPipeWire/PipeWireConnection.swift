internal import CPipeWireShims
internal import Dispatch
internal import HostInterface
internal import Synchronization

/// One life of the server: the shim's host, with what it has told.
///
/// A connection that is lost stays so; another server is another connection, with a reporter that starts from nothing.
/// It closes when nobody needs it any more: the host, which has one at a time, and its streams until they are closed.
///
/// Threads: the shim locks its own loop in every function.
final class PipeWireConnection: Sendable {
    let reporter: PipeWireEventEmitter
    private let handle: Handle

    /// Rule: made by `init` and never changed; used by whoever has a reference to the connection, freed with the last.
    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    /// Connects.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil asks the environment.
    ///   - isWaiting: returns only when the server has told its state, 3 s later at most, and throws where it does not.
    /// Throws: `unreachable`, with what was tried.
    init(remote: String?, reporter: PipeWireEventEmitter, isWaiting: Bool) throws(HostError) {
        self.reporter = reporter
        var events = reporter.makeEvents()
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            withOptionalCString(remote) { remote in
                isWaiting
                    ? oav_pw_host_open(remote, &events, &pointer, text, size)
                    : oav_pw_host_connect(remote, &events, &pointer, text, size)
            }
        }
        guard status == OAV_PW_OK, let pointer else { throw HostError(status, words) }
        handle = Handle(pointer: pointer)
    }

    deinit {
        let close: @Sendable () -> Void = { [handle, reporter] in
            oav_pw_host_close(handle.pointer)
            withExtendedLifetime(reporter) {}
        }
        // The loop that delivers the event in which the last reference goes cannot end itself.
        if isCalling {
            reporter.end()
            DispatchQueue.global(qos: .utility).async(execute: close)
        } else {
            close()
        }
    }

    var pointer: OpaquePointer { handle.pointer }

    /// The caller is inside one of the reporter's callbacks.
    var isCalling: Bool { oav_pw_host_is_calling(handle.pointer) }

    /// Has the reporter report on the loop thread, so many milliseconds from now.
    func poke(afterMilliseconds delay: UInt32 = 0) { oav_pw_host_poke(handle.pointer, delay) }

    /// Nothing of this connection is delivered once this has returned.
    ///
    /// Not on the loop thread.
    func silence() {
        reporter.end()
        oav_pw_host_pass(handle.pointer)
    }
}

/// Room for the shim's words about a failure.
func withShimText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> (R, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
        text.initialize(repeating: 0)
        let result = body(text.baseAddress!, text.count)
        return (result, String(cString: text.baseAddress!))
    }
}

func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}
