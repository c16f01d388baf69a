internal import AudioModel
internal import HostInterface
internal import Synchronization

/// A host's connection, and the search for the next one after a loss.
///
/// Threads: the search runs on its own thread from the first loss on, and only that thread replaces a lost connection. All
/// other functions are for the session thread.
///
/// Each loss is reported once, and then one restoration: a connection that is lost before it was reported is not reported.
final class PipeWireReconnector: Sendable {
    private struct State {
        var current: PipeWireConnection?
        var search: Search?
        var isShutDown = false
    }

    private struct Search {
        let watch: PipeWireWatch
        let thread: PipeWireThread
    }

    /// Timeouts in milliseconds.
    private enum Patience {
        /// How long a server may take to get its session manager and a device, before it is reported without them.
        static let completion = 1000
        /// How long a server that accepted the connection may be silent, before the search connects again.
        static let silence = 10_000
    }

    private let remote: String?
    private let delivery: PipeWireDelivery
    private let state = Mutex(State())

    init(remote: String?, delivery: PipeWireDelivery) {
        self.remote = remote
        self.delivery = delivery
    }

    // MARK: Session thread

    /// The newest connection, lost or not; nil before `start` and after `shutdown`.
    var current: PipeWireConnection? { state.withLock { $0.current } }

    /// Throws: `unreachable`, with the server and the reason; `refused` if called twice.
    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        guard state.withLock({ $0.current == nil && !$0.isShutDown }) else {
            throw .refused("this host was started before; make another one")
        }
        let connection = try PipeWireConnection(
            remote: remote, emitter: makeEmitter(follows: false), isWaiting: true)
        state.withLock { $0.current = connection }
        delivery.begin(deliver)
        connection.emitter.begin(delivery)
        // The first inventory comes with this report, and no event comes before it. The delay lets the caller return first; this cannot
        // be guaranteed if the caller's thread is not scheduled meanwhile.
        connection.report(afterMilliseconds: 5)
    }

    /// Ends the search and releases the connection, which its streams may still keep; no event is delivered after this.
    ///
    /// Must not be called while an event is being delivered.
    func shutdown() {
        let (connection, search) = state.withLock { state in
            defer {
                state.current = nil
                state.search = nil
                state.isShutDown = true
            }
            return (state.current, state.search)
        }
        search?.watch.wake()
        search?.thread.join()
        connection?.silence()
    }

    // MARK: Loop threads

    private func makeEmitter(follows: Bool) -> PipeWireEventEmitter {
        PipeWireEventEmitter(
            followsALoss: follows,
            onLossReported: { [weak self] in self?.beginSearch() },
            onProgress: { [weak self] in self?.wake() })
    }

    private func wake() { state.withLock { $0.search?.watch }?.wake() }

    /// Starts the search after the loss of the current connection was reported.
    private func beginSearch() {
        let watch = state.withLock { state -> PipeWireWatch? in
            guard !state.isShutDown else { return nil }
            if let search = state.search { return search.watch }
            // If no thread or descriptor is available, a lost connection is not replaced.
            guard let watch = PipeWireWatch(remote: remote),
                let thread = PipeWireThread(named: "oav-reconnect", { [self] in run(watch) })
            else { return nil }
            state.search = Search(watch: watch, thread: thread)
            return watch
        }
        watch?.wake()
    }

    // MARK: The search's thread

    private var isShutDown: Bool { state.withLock { $0.isShutDown } }

    private func run(_ watch: PipeWireWatch) {
        while !isShutDown {
            if current?.emitter.hasReportedLoss == true {
                watch.search { isShutDown || connect(watch) || isShutDown }
            } else {
                watch.wait()
            }
        }
    }

    /// - Returns: true when a new connection was reported.
    private func connect(_ watch: PipeWireWatch) -> Bool {
        guard
            let connection = try? PipeWireConnection(
                remote: remote, emitter: makeEmitter(follows: true), isWaiting: false)
        else { return false }
        return waitUntilComplete(connection, watch) && adopt(connection, watch)
    }

    /// - Returns: false if the connection was lost or did not answer in time.
    private func waitUntilComplete(_ connection: PipeWireConnection, _ watch: PipeWireWatch) -> Bool {
        let begin = ContinuousClock.now
        var settled: ContinuousClock.Instant?
        while !isShutDown {
            let now = ContinuousClock.now
            let progress = connection.emitter.progress
            let deadline: ContinuousClock.Instant
            switch progress {
            case .lost: return false
            case .complete: return true
            case .waiting: deadline = begin + .milliseconds(Patience.silence)
            case .settled:
                settled = settled ?? now
                deadline = (settled ?? now) + .milliseconds(Patience.completion)
            }
            guard now < deadline else { return progress == .settled }
            // One more millisecond, because the conversion rounds down.
            watch.wait(milliseconds: Int((deadline - now) / .milliseconds(1)) + 1)
        }
        return false
    }

    /// Replaces the lost connection and makes the new one report; false if the new one was lost before it could report.
    ///
    /// Such a connection stays until the next one comes, because it refuses claims.
    private func adopt(_ connection: PipeWireConnection, _ watch: PipeWireWatch) -> Bool {
        // Remaining events of the lost connection, about claims, must come before the new one's first event or not at all.
        current?.silence()
        let isOpen = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.current = connection
            connection.emitter.begin(delivery)
            return true
        }
        guard isOpen else { return false }
        connection.report()
        while !isShutDown {
            if connection.emitter.hasReported { return true }
            if connection.emitter.progress == .lost { return false }
            watch.wait()
        }
        return false
    }
}
