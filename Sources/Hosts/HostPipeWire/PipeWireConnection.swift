internal import AudioModel
internal import CPipeWireShims
internal import HostInterface
internal import Threading

/// One life of the server: the loop, with what it has told.
///
/// A connection that is lost stays so; another server is another connection, with an emitter that starts from nothing.
/// It ends when its last owner releases it: the host, which has one at a time, and its streams until they are closed.
final class PipeWireConnection: Sendable {
    let emitter: PipeWireEventEmitter
    private let loop: PipeWireLoop

    /// Connects.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil asks the environment.
    ///   - isWaiting: returns only when the server has told its state, 3 s later at most, and throws where it does not.
    /// Throws: `unreachable`, with what was tried.
    init(remote: String?, emitter: PipeWireEventEmitter, isWaiting: Bool) throws(HostError) {
        self.emitter = emitter
        loop = try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_SESSIONS)
        loop.begin { message in emitter.update { $0.receive(message) } }
        emitter.attach(loop.pointer)
        var failure: String?
        if !loop.run() {
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
        if let failure { throw .unreachable(failure) }
    }

    // The loop may go on for a moment where this is inside of one of its callbacks.
    deinit { if isCalling { emitter.end() } }

    var pointer: OpaquePointer { loop.pointer }

    /// The caller is inside one of the emitter's callbacks.
    var isCalling: Bool { loop.isCalling }

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
            let seq = oav_pw_host_sync(pointer)
            emitter.update { $0.expectReading(of: seq) }
            return true
        }
        guard isSwitched else { return }
        let read = Latch()
        emitter.whenRead { read.raise() }
        read.wait()
    }

    /// As `PipeWireLoop.withLock`.
    func withLoopLocked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try loop.withLock(body) }

    /// Nothing of this connection is delivered once this has returned.
    ///
    /// Not on the loop thread.
    func silence() {
        emitter.end()
        withLoopLocked {}
    }
}
