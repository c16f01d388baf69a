internal import AudioModel
internal import HostInterface
internal import Synchronization

/// The connection that a host has, and the search for the next one when it is lost.
///
/// Threads: the search has a thread of its own from the first loss on, and only that thread puts another connection in
/// the lost one's place. Everything else is for the session thread.
///
/// One loss is told, then one restoration: a connection that is lost before it was reported is not reported.
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

    /// All in milliseconds.
    private enum Patience {
        /// How long a server may take to get its session manager and a device, before it is told without.
        static let completion = 1000
        /// How long one that took the connection may say nothing, before it is asked again.
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

    /// Throws: `unreachable`, with what was tried; `refused` when called twice.
    func start(deliver: @escaping @Sendable (HostEvent) -> Void) throws(HostError) {
        guard state.withLock({ $0.current == nil && !$0.isShutDown }) else {
            throw .refused("this host was started before; make another one")
        }
        let connection = try PipeWireConnection(
            remote: remote, emitter: makeEmitter(follows: false), isWaiting: true)
        state.withLock { $0.current = connection }
        delivery.begin(deliver)
        connection.emitter.begin(delivery)
        // The first inventory comes with this report, and nothing before it. The delay lets the caller return first; no
        // callee can promise more to a caller that is not scheduled meanwhile.
        connection.report(afterMilliseconds: 5)
    }

    /// Ends the search and gives up the connection, which its streams may still keep; nothing is delivered any more.
    ///
    /// Not while an event is being delivered.
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

    /// The current connection's loss has been told.
    private func beginSearch() {
        let watch = state.withLock { state -> PipeWireWatch? in
            guard !state.isShutDown else { return nil }
            if let search = state.search { return search.watch }
            // If no thread or descriptor is available, what is lost stays lost.
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

    /// True when a new connection has been told.
    private func connect(_ watch: PipeWireWatch) -> Bool {
        guard
            let connection = try? PipeWireConnection(
                remote: remote, emitter: makeEmitter(follows: true), isWaiting: false)
        else { return false }
        return waitUntilComplete(connection, watch) && adopt(connection, watch)
    }

    /// False where nothing came of it.
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
            // One more, for what is cut off.
            watch.wait(milliseconds: Int((deadline - now) / .milliseconds(1)) + 1)
        }
        return false
    }

    /// Puts the connection in the lost one's place and has it tell; false where it was lost before it could.
    ///
    /// Such a connection stays until the next one comes, because it refuses claims.
    private func adopt(_ connection: PipeWireConnection, _ watch: PipeWireWatch) -> Bool {
        // What the lost one still has to say, about claims, comes before the new one's first word or never.
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
