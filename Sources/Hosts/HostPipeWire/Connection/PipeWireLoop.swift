package import AudioModel
package import CPipeWireShims
internal import Dispatch

/// The shim's host: its connections to one server and their loop thread.
///
/// It closes when its last owner releases it. Threads: callers of the shim's functions on `pointer` lock the loop (`withLock`)
/// or run on its thread.
package final class PipeWireLoop: Sendable {
    package let calls: PipeWireServerCalls

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
        calls = PipeWireServerCalls(pointer, receiver)
    }

    deinit {
        let close: @Sendable () -> Void = { [calls] in calls.close() }
        // If the last reference is released inside an event, the delivering loop cannot end itself.
        if isCalling { DispatchQueue.global(qos: .utility).async(execute: close) } else { close() }
    }

    /// Must be called once, before `run`.
    ///
    /// - Parameter receive: called with the loop locked.
    package func begin(_ receive: @escaping @Sendable (PipeWireMessage) -> Void) {
        let reader = WirePlumberRankingReader { [weak self] ranking in
            self?.withLock { receive(.rankingRead(ranking)) }
        }
        calls.begin(reader, receive)
    }

    /// Starts the loop thread.
    ///
    /// - Returns: false if the system has no more threads.
    package func run() -> Bool { oav_pw_host_run(calls.host) }

    package var pointer: OpaquePointer { calls.host }

    /// Whether the caller is inside `receive`.
    var isCalling: Bool { oav_pw_host_is_calling(calls.host) }

    /// Runs `body` while the loop thread does nothing.
    ///
    /// Must not be nested: when PipeWire 1.4 waits for the loop thread, it unlocks the loop only once.
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        oav_pw_host_lock(calls.host)
        defer { oav_pw_host_unlock(calls.host) }
        return try body()
    }
}
