internal import AudioModel
internal import CPipeWireShims
internal import HostInterface
internal import Threading

/// One lifetime of the server: the loop, with the facts that it has reported.
///
/// A lost connection stays lost; another server means another connection, with a new and empty emitter. The connection ends when
/// its last owner releases it: the host, which has one at a time, and its streams until they are closed.
final class PipeWireConnection: Sendable {
    let emitter: PipeWireEventEmitter
    private let loop: PipeWireLoop

    /// Connects.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil uses the environment.
    ///   - isWaiting: whether to wait until the server has reported its state, at most 3 s, and to throw if it does not.
    /// Throws: `unreachable`, with the server and the reason.
    init(remote: String?, emitter: PipeWireEventEmitter, isWaiting: Bool) throws(HostError) {
        self.emitter = emitter
        loop = try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_SESSIONS)
        loop.begin { message in emitter.update { $0.receive(message) } }
        emitter.attach(
            loop.pointer,
            WirePlumberRankingReader { [weak loop, weak emitter] ranking in
                loop?.withLock {
                    _ = emitter?.update { $0.apply(.rankingRead(ranking.rules, stored: ranking.stored)) }
                }
            })
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

    // If this runs inside one of the loop's callbacks, the loop may continue for a moment.
    deinit { if isCalling { emitter.end() } }

    var pointer: OpaquePointer { loop.pointer }

    /// Whether the caller is inside one of the emitter's callbacks.
    var isCalling: Bool { loop.isCalling }

    /// Makes the emitter report on the loop thread after this many milliseconds.
    func report(afterMilliseconds delay: UInt64 = 0) {
        schedule(.report, at: .monotonic.advanced(byMilliseconds: delay))
    }

    func schedule(_ purpose: PipeWireDeadlines.Purpose, at time: HostTime) {
        withLoopLocked { emitter.update { $0.schedule(purpose, at: time) } }
    }

    /// Switches Bluetooth cards back to their former profiles; waits at most 1 s until the server has read the requests.
    ///
    /// Must not run on the loop thread.
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

    /// Stops all delivery from this connection before it returns.
    ///
    /// Must not run on the loop thread.
    func silence() {
        emitter.end()
        withLoopLocked {}
    }
}
