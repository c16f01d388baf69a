package import AudioModel
package import CPipeWireShims
internal import Dispatch

/// The shim's host: its connections to one server and their loop thread.
///
/// It closes when its last owner releases it. Threads: callers of the shim's functions on `pointer` lock the loop (`withLock`)
/// or run on its thread.
package final class PipeWireLoop: Sendable {
    private let receiver: PipeWireReceiver
    private let handle: Handle

    /// Rule: created by `init` and never changed; used by every owner of the loop, freed with the last.
    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    /// Connects.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil uses the environment.
    ///   - claims: the claim registry in which this connection takes part.
    /// Throws: `unreachable`, with the server and the reason.
    package init(remote: String?, claims: oav_pw_claims) throws(HostError) {
        let receiver = PipeWireReceiver()
        var events = receiver.makeEvents()
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            withOptionalCString(remote) { oav_pw_host_connect($0, claims, &events, &pointer, text, size) }
        }
        guard status == OAV_PW_OK, let pointer else { throw HostError(status, words) }
        self.receiver = receiver
        handle = Handle(pointer: pointer)
    }

    deinit {
        let close: @Sendable () -> Void = { [handle, receiver] in
            oav_pw_host_close(handle.pointer)
            withExtendedLifetime(receiver) {}
        }
        // If the last reference is released inside an event, the delivering loop cannot end itself.
        if isCalling { DispatchQueue.global(qos: .utility).async(execute: close) } else { close() }
    }

    /// - Parameter receive: called with the loop locked; nothing is received before this call.
    package func begin(_ receive: @escaping @Sendable (PipeWireMessage) -> Void) { receiver.begin(receive) }

    /// Starts the loop thread.
    ///
    /// - Returns: false if the system has no more threads.
    package func run() -> Bool { oav_pw_host_run(handle.pointer) }

    package var pointer: OpaquePointer { handle.pointer }

    /// Whether the caller is inside `receive`.
    var isCalling: Bool { oav_pw_host_is_calling(handle.pointer) }

    /// Runs `body` while the loop thread does nothing.
    ///
    /// Must not be nested: when PipeWire 1.4 waits for the loop thread, it unlocks the loop only once.
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        oav_pw_host_lock(handle.pointer)
        defer { oav_pw_host_unlock(handle.pointer) }
        return try body()
    }
}
