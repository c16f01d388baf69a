internal import AudioModel

/// Moves held streams to the holding sink, tracks their arrival, and reports streams that cannot be moved.
///
/// The links that the server reports decide, not the requests.
extension GuardMachine {
    /// How long a stream may take to arrive at the holding sink; after that, it is reported as not moved.
    static let moveSeconds = 2.0
    /// When the request to move a stream that is still heard elsewhere is repeated.
    ///
    /// WirePlumber 0.4 forgets links that it was creating while their sink left: these links stay, beside those to the holding sink.
    private static let retrySeconds = [0.5, 1.0, 1.5]
    /// How long after a takeover or another guard's end the last requests of that guard may still remove this guard's targets.
    private static let contestSeconds = 2.0

    static func moveDeadline(_ hold: Hold) -> HostTime? {
        guard case .moving(let since?, let retries) = hold.activity else { return nil }
        return since.advanced(bySeconds: retries < retrySeconds.count ? retrySeconds[retries] : moveSeconds)
    }

    mutating func noteContest() { contestedUntil = now.advanced(bySeconds: Self.contestSeconds) }

    /// Whether something other than a mixer may have moved the stream: another guard, or a late effect of the stream's earlier hold.
    func isContested(_ hold: Hold) -> Bool {
        now.seconds(since: hold.since) <= Self.reopenSeconds || contestedUntil.map { now <= $0 } ?? false
    }

    /// Handles a stream that was at the holding sink and is heard elsewhere.
    mutating func moveAgain(_ id: UInt64) {
        streams[id]?.hold?.activity = .moving(since: now)
        command(.hold(stream: id, cutsLinks: true))
    }

    /// Handles the end of the sink at which the streams were held.
    mutating func holdAgain(cutsLinks: Bool) {
        for (stream, hold) in standing where hold.isParked {
            streams[stream.id]?.hold?.activity = .moving(since: now)
            command(.hold(stream: stream.id, cutsLinks: cutsLinks))
        }
    }

    mutating func advanceMove(_ record: StreamRecord) {
        guard case .moving(let since?, let retries)? = record.hold?.activity else { return }
        let id = record.stream.id
        let isLinked = record.stream.linkTarget.isASink || record.stream.linkTarget == .duck
        let isElsewhere = isLinked && manager == .present && !isDryRun
        if now < since.advanced(bySeconds: Self.moveSeconds) {
            streams[id]?.hold?.activity = .moving(since: since, retries: retries + 1)
            guard isElsewhere else { return }
            command(.hold(stream: id, cutsLinks: false))
            command(.cutStrays(stream: id))
        } else if isElsewhere, record.stream.isRunning {
            // Neither the server nor the session manager moves it: a stream that is heard must not be reported as held.
            streams[id]?.hold?.activity = .unmoved
            report(.notMoved, record.stream.program)
        } else {
            streams[id]?.hold?.activity = .moving(since: nil)
        }
    }
}
