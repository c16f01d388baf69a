internal import AudioModel

/// What is held is linked to the holding sink, or is on its way there, or is said not to be held.
///
/// The links that the server tells of decide, not what was asked for.
extension GuardMachine {
    /// How long a stream may take to arrive at the holding sink, before it is no longer said to be held.
    static let moveSeconds = 2.0
    /// When the move of what is still heard elsewhere is asked for again.
    ///
    /// WirePlumber 0.4 forgets links that it was making while their sink left: these stay, beside those to the holding sink.
    private static let retrySeconds = [0.5, 1.0, 1.5]
    /// How long after a takeover, or another guard's end, targets of this one may be lifted by what the other one has asked for last.
    private static let contestSeconds = 2.0

    static func moveDeadline(_ hold: Hold) -> HostTime? {
        guard case .moving(let since?, let retries) = hold.activity else { return nil }
        return since.advanced(bySeconds: retries < retrySeconds.count ? retrySeconds[retries] : moveSeconds)
    }

    mutating func noteContest() { contestedUntil = now.advanced(bySeconds: Self.contestSeconds) }

    /// A mixer is not the cause of what has moved it: another guard may be, or it is about an earlier hold of the same stream.
    func isContested(_ hold: Hold) -> Bool {
        now.seconds(since: hold.since) <= Self.reopenSeconds || contestedUntil.map { now <= $0 } ?? false
    }

    /// It stood at the holding sink, and is heard elsewhere.
    mutating func moveAgain(_ id: UInt64) {
        streams[id]?.hold?.activity = .moving(since: now)
        command(.hold(stream: id, cutsLinks: true))
    }

    /// The sink at which they stood has ended.
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
            // Neither the server nor the session manager moves it: what is heard must not be said to be held.
            streams[id]?.hold?.activity = .unmoved
            report(.notMoved, record.stream.program)
        } else {
            streams[id]?.hold?.activity = .moving(since: nil)
        }
    }
}
