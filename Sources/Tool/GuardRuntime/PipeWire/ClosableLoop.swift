internal import AudioModel
internal import CPipeWireShims
internal import HostPipeWire
internal import Synchronization

/// A connection's loop, until it is closed.
///
/// Its owner's state is used only with the loop locked: in what `run` is given, and in the bodies of `withLock` and `close`.
final class ClosableLoop: Sendable {
    private let loop: Mutex<PipeWireLoop?>
    /// Used with the loop locked, and not after `close`.
    let calls: PipeWireServerCalls

    /// As `PipeWireLoop.init`.
    init(remote: String?) throws(HostError) {
        let loop = try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_GUARDS)
        calls = loop.calls
        self.loop = Mutex(loop)
    }

    private var current: PipeWireLoop? { loop.withLock { $0 } }

    /// Runs `body` with the loop locked, and starts the loop thread.
    ///
    /// - Parameter receive: called with the loop locked.
    /// - Returns: false if the system has no more threads.
    func run(_ receive: @escaping @Sendable (PipeWireMessage) -> Void, after body: () -> Void) -> Bool {
        guard let loop = current else { return true }
        loop.withLock {
            loop.begin(receive)
            body()
        }
        return loop.run()
    }

    /// - Returns: nil after `close`; `body` did not run then.
    func withLock<R>(_ body: () -> R) -> R? { current.map { $0.withLock(body) } }

    /// Closes the loop after `body`, which runs with the loop locked and makes the owner's state useless; idempotent.
    ///
    /// Must not run on the loop thread.
    func close(_ body: () -> Void) {
        guard let loop = current else { return }
        loop.withLock(body)
        // It ends outside of the lock, with its last owner.
        let closing = self.loop.withLock { $0.take() }
        withExtendedLifetime(closing) {}
    }
}
