internal import AudioModel
internal import CPipeWireShims
internal import Threading

/// One lifetime of the server: the loop, with the state that its facts make.
///
/// A lost connection stays lost; another server means another connection, with a new and empty emitter. The connection ends when
/// its last owner releases it: the host, which has one at a time, and its streams until they are closed.
final class PipeWireConnection: Sendable {
    /// Called on the loop thread, after the delivery.
    struct Observer: Sendable {
        let onLossReported: @Sendable () -> Void
        /// `progress` or `hasReported` has changed.
        let onProgress: @Sendable () -> Void
    }

    /// Used inside of `loop.withLock`.
    let emitter: PipeWireEventEmitter
    let loop: PipeWireLoop

    /// Connects; the first of a host's connections waits until the server has reported its state, at most 3 s.
    ///
    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil uses the environment.
    ///   - followsALoss: whether it is not the first.
    /// Throws: `unreachable`, with the server and the reason.
    init(remote: String?, followsALoss: Bool, observer: Observer) throws(HostError) {
        loop = try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_SESSIONS)
        emitter = PipeWireEventEmitter(loop.calls, followsALoss: followsALoss, observer: observer)
        loop.begin { [emitter] message in emitter.update { $0.receive(message) } }
        update { $0.begin() }
        var failure: String?
        if !loop.run() {
            failure = "The system has no thread for the connection to PipeWire; end other programs and try again."
        } else if !followsALoss {
            emitter.waitForProgress(seconds: 3)
            switch read(\.progress) {
            case .settled, .complete: break
            case .lost:
                let words = read(\.lossWords)
                failure = "What took the connection ended it (\(words)); is it a PipeWire server, and running?"
            case .waiting:
                failure =
                    "The PipeWire server took the connection but did not answer within 3 s; is its process, or its"
                    + " session manager's, stopped?"
            }
        }
        if let failure { throw .unreachable(failure) }
    }

    // If this runs inside one of the loop's callbacks, the loop may continue for a moment.
    deinit { if isCalling { for body in emitter.end() { body() } } }

    /// Used inside of `loop.withLock`.
    var pointer: OpaquePointer { loop.calls.host }

    /// Whether the caller is inside one of the emitter's callbacks.
    var isCalling: Bool { loop.isCalling }

    // MARK: With the loop not locked

    func read<R>(_ body: (PipeWireEventState) -> R) -> R { loop.withLock { body(emitter.state) } }

    @discardableResult
    func update<R>(_ change: (inout PipeWireEventState) -> R) -> R { loop.withLock { emitter.update(change) } }

    /// Makes the emitter deliver from now on, and report on the loop thread after this many milliseconds.
    func report(to delivery: PipeWireDelivery, afterMilliseconds delay: UInt64 = 0) {
        loop.withLock { emitter.delivery = delivery }
        report(afterMilliseconds: delay)
    }

    /// Makes the emitter report on the loop thread.
    func report(afterMilliseconds delay: UInt64 = 0) {
        update { $0.server.deadlines.set(.report, at: .monotonic.advanced(byMilliseconds: delay)) }
    }

    /// Calls `body` when the server has read the newest release; at once if it already has.
    func whenRead(_ body: @escaping @Sendable () -> Void) {
        if !loop.withLock({ emitter.whenRead(body) }) { body() }
    }

    /// Switches Bluetooth cards back to their former profiles; waits at most 1 s until the server has read the requests.
    ///
    /// Must not run on the loop thread.
    func restoreProfiles() {
        guard update({ $0.restoreProfiles() }) else { return }
        let read = Latch()
        whenRead { read.raise() }
        read.wait()
    }

    /// Stops all delivery from this connection before it returns.
    ///
    /// Must not run on the loop thread.
    func silence() { for body in loop.withLock({ emitter.end() }) { body() } }
}
