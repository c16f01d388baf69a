internal import AudioModel

/// A host's connections, one after the other.
///
/// Each loss is reported once, and then one restoration: a connection that is lost before it was reported is not reported. The search
/// begins with the first reported loss.
extension PipeWireReconnector where Connection == PipeWireConnection {
    convenience init(remote: String?, delivery: PipeWireDelivery) {
        self.init(
            remote: remote, isLost: { $0.read(\.life) == .lossReported },
            connect: { $0.connect(delivery) })
    }

    /// Session thread.
    ///
    /// Throws: `unreachable`, with the server and the reason; `refused` if called twice.
    func start(
        _ delivery: PipeWireDelivery, deliver: @escaping @Sendable (HostEvent) -> Void
    ) throws(HostError) {
        guard current == nil, !isShutDown else {
            throw .refused("this host was started before; make another one")
        }
        let connection = try PipeWireConnection(remote: remote, followsALoss: false, observer: observer)
        adopt(connection)
        delivery.begin(deliver)
        // The first inventory comes with this report, and no event comes before it. The delay lets the caller return first; this cannot
        // be guaranteed if the caller's thread is not scheduled meanwhile.
        connection.report(to: delivery, afterMilliseconds: 5)
    }

    private var observer: PipeWireConnection.Observer {
        .init(onLossReported: { [weak self] in self?.beginSearch() }, onProgress: { [weak self] in self?.wake() })
    }

    // MARK: The search's thread

    /// - Returns: true when a new connection was reported.
    private func connect(_ delivery: PipeWireDelivery) -> Bool {
        guard let connection = try? PipeWireConnection(remote: remote, followsALoss: true, observer: observer) else {
            return false
        }
        return waitUntilComplete(connection) && report(connection, delivery)
    }

    /// - Returns: false if the connection was lost or did not answer in time.
    private func waitUntilComplete(_ connection: PipeWireConnection) -> Bool {
        let begin = ContinuousClock.now
        var settled: ContinuousClock.Instant?
        while !isShutDown {
            let now = ContinuousClock.now
            let progress = connection.read(\.progress)
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
            wait(milliseconds: Int((deadline - now) / .milliseconds(1)) + 1)
        }
        return false
    }

    /// Replaces the lost connection and makes the new one report; false if the new one was lost before it could report.
    ///
    /// Such a connection stays until the next one comes, because it refuses claims.
    private func report(_ connection: PipeWireConnection, _ delivery: PipeWireDelivery) -> Bool {
        // Remaining events of the lost connection, about claims, must come before the new one's first event or not at all.
        current?.silence()
        guard adopt(connection) else { return false }
        connection.report(to: delivery)
        while !isShutDown {
            if connection.read(\.hasReported) { return true }
            if connection.read(\.progress) == .lost { return false }
            wait()
        }
        return false
    }
}

/// Timeouts in milliseconds.
private enum Patience {
    /// How long a server may take to get its session manager and a device, before it is reported without them.
    static let completion = 1000
    /// How long a server that accepted the connection may be silent, before the search connects again.
    static let silence = 10_000
}
