internal import AudioModel
internal import CPipeWireShims
internal import Dispatch
internal import HostInterface
internal import Synchronization

/// One life of the server: the shim's host, with what it has told.
///
/// A connection that is lost stays so; another server is another connection, with a emitter that starts from nothing.
/// It closes when its last owner releases it: the host, which has one at a time, and its streams until they are closed.
///
/// Threads: the shim locks its own loop in every function.
final class PipeWireConnection: Sendable {
    let emitter: PipeWireEventEmitter
    private let handle: Handle

    /// Rule: made by `init` and never changed; used by whoever has a reference to the connection, freed with the last.
    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    /// Connects.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil asks the environment.
    ///   - isWaiting: returns only when the server has told its state, 3 s later at most, and throws where it does not.
    /// Throws: `unreachable`, with what was tried.
    init(remote: String?, emitter: PipeWireEventEmitter, isWaiting: Bool) throws(HostError) {
        self.emitter = emitter
        var events = emitter.makeEvents()
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            withOptionalCString(remote) {
                oav_pw_host_connect($0, OAV_PW_CLAIMS_OF_SESSIONS, &events, &pointer, text, size)
            }
        }
        guard status == OAV_PW_OK, let pointer else { throw HostError(status, words) }
        handle = Handle(pointer: pointer)
        emitter.attach(pointer)
        var failure: String?
        if !oav_pw_host_run(pointer) {
            failure = "The system has no thread for the connection to PipeWire; end other programs and try again."
        } else if isWaiting {
            switch emitter.waitForProgress(seconds: 3) {
            case .settled, .complete: break
            case .lost:
                failure =
                    "What took the connection ended it (\(emitter.lossWords)); is it a PipeWire server, and running?"
            case .waiting:
                failure =
                    "The PipeWire server took the connection but did not answer within 3 s; is its process, or its"
                    + " session manager's, stopped?"
            }
        }
        // `deinit` closes the connection: it runs, as every property is set.
        if let failure { throw .unreachable(failure) }
    }

    deinit {
        let close: @Sendable () -> Void = { [handle, emitter] in
            oav_pw_host_close(handle.pointer)
            withExtendedLifetime(emitter) {}
        }
        // The loop that delivers the event in which the last reference goes cannot end itself.
        if isCalling {
            emitter.end()
            DispatchQueue.global(qos: .utility).async(execute: close)
        } else {
            close()
        }
    }

    var pointer: OpaquePointer { handle.pointer }

    /// The caller is inside one of the emitter's callbacks.
    var isCalling: Bool { oav_pw_host_is_calling(handle.pointer) }

    /// Has the emitter report on the loop thread, so many milliseconds from now.
    func report(afterMilliseconds delay: UInt64 = 0) {
        schedule(.report, at: .monotonic.advanced(byMilliseconds: delay))
    }

    func schedule(_ purpose: PipeWireDeadlines.Purpose, at time: HostTime) {
        withLoopLocked { emitter.update { $0.schedule(purpose, at: time) } }
    }

    /// Brings Bluetooth cards back to the profiles that they had; waits until the server knows, 1 s at most.
    ///
    /// Not on the loop thread.
    func restoreProfiles() {
        let isSwitched = withLoopLocked {
            guard emitter.update({ $0.restoreProfiles() }) else { return false }
            let seq = oav_pw_host_sync(handle.pointer)
            emitter.update { $0.expectReading(of: seq) }
            return true
        }
        guard isSwitched else { return }
        let read = DispatchSemaphore(value: 0)
        emitter.whenRead { read.signal() }
        read.wait()
    }

    /// What the loop thread does comes before or after `body`, and not in between.
    ///
    /// Never inside of itself: where PipeWire 1.4 waits for the loop thread, it unlocks the loop once.
    func withLoopLocked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        oav_pw_host_lock(handle.pointer)
        defer { oav_pw_host_unlock(handle.pointer) }
        return try body()
    }

    /// Nothing of this connection is delivered once this has returned.
    ///
    /// Not on the loop thread.
    func silence() {
        emitter.end()
        withLoopLocked {}
    }
}
