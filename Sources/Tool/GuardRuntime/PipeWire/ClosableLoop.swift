internal import AudioModel
internal import CPipeWireShims
internal import HostPipeWire
internal import Synchronization

/// A connection's loop, until it is closed.
///
/// Its owner's state is used only with the loop locked: in what `run` is given, and in the bodies of `withLock` and `close`.
///
/// Rule: `roundTrips` and `rankingReader` are used the same way.
final class ClosableLoop: @unchecked Sendable {
    private let loop: Mutex<PipeWireLoop?>
    /// Used with the loop locked, and not after `close`.
    let host: OpaquePointer
    /// The names of the round trips that are under way, by the server's numbers.
    private var roundTrips: [Int32: PipeWireServerState.RoundTrip] = [:]
    private var rankingReader: WirePlumberRankingReader?

    /// As `PipeWireLoop.init`.
    init(remote: String?) throws(HostError) {
        let loop = try PipeWireLoop(remote: remote, claims: OAV_PW_CLAIMS_OF_GUARDS)
        host = loop.pointer
        self.loop = Mutex(loop)
    }

    private var current: PipeWireLoop? { loop.withLock { $0 } }

    /// Runs `body` with the loop locked, and starts the loop thread.
    ///
    /// - Parameter receive: called with the loop locked.
    /// - Returns: false if the system has no more threads.
    func run(_ receive: @escaping @Sendable (PipeWireServerState.Input) -> Void, after body: () -> Void) -> Bool {
        guard let loop = current else { return true }
        loop.withLock {
            rankingReader = WirePlumberRankingReader { [weak self] ranking in
                self?.withLock { receive(.rankingRead(ranking)) }
            }
            loop.begin { [weak self] message in
                guard case .synced(let seq) = message else { return receive(.message(message)) }
                if let roundTrip = self?.roundTrips.removeValue(forKey: seq) { receive(.answered(roundTrip)) }
            }
            body()
        }
        return loop.run()
    }

    /// Carries out the requests in their order.
    ///
    /// - Returns: the answers that come at once.
    func carryOut(_ requests: [PipeWireServerState.Request]) -> [PipeWireServerState.Input] {
        requests.compactMap { request -> PipeWireServerState.Input? in
            switch request {
            case .sync(let roundTrip):
                let seq = oav_pw_host_sync(host)
                // A lost connection answers nothing.
                if seq >= 0 { roundTrips[seq] = roundTrip }
            case .readMetadata:
                if !oav_pw_host_read_metadata(host) { return .message(.metadataRead(isComplete: false)) }
            case .readRanking(let process): rankingReader?.read(ofProcess: process)
            case .arm(let time): oav_pw_host_arm(host, time.map { max($0.nanoseconds, 1) } ?? 0)
            }
            return nil
        }
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
