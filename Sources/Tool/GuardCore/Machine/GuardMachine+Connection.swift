internal import AudioModel

/// The holds from before the connection ended; their streams may still exist on the same server.
struct SeveredHolds: Hashable, Sendable {
    /// How long after the loss a stream that sounds again is held again; after that, its user has got used to hearing it.
    static let regainSeconds = 2.0

    /// The server on which the streams were; nil if unknown.
    let server: UInt32?
    /// The serial of this guard's claim there; each later claim on the same server has a higher serial.
    let claim: UInt64?
    let since: HostTime
    /// The lost outputs, by uid.
    let losses: [String: LossRule.Loss]
    private(set) var records: [UInt64: StreamRecord]

    init(
        _ records: [UInt64: StreamRecord], losses: [String: LossRule.Loss], server: UInt32?, claim: UInt64?,
        since: HostTime
    ) {
        self.losses = losses
        self.server = server
        self.claim = claim
        self.since = since
        self.records = records
    }

    /// - Returns: the removed records, in the order in which they were held.
    mutating func remove(where isMeant: (StreamRecord) -> Bool) -> [StreamRecord] {
        let removed = records.values.filter(isMeant)
        for record in removed { records[record.stream.id] = nil }
        return removed.sorted { ($0.hold?.order ?? 0) < ($1.hold?.order ?? 0) }
    }

    /// The record of this stream; returned only once, when the stream is first reported.
    mutating func drain(_ stream: ProgramStream) -> StreamRecord? {
        guard let record = records.removeValue(forKey: stream.id),
            record.stream.program.identity == stream.program.identity
        else { return nil }
        return record
    }
}

/// The end of the connection to a server, and the next one.
extension GuardMachine {
    /// Handles the end of the connection: forgets the server's state, but keeps the holds.
    mutating func disconnect() {
        var held = severed?.records ?? [:]
        for (stream, hold) in book.waiting {
            var record = book.streams[stream.id]
            record?.hold?.reasons = hold.reasons.filter(\.nature.outlivesConnection)
            if record?.hold?.reasons.isEmpty == false { held[stream.id] = record }
        }
        // The sink at which the handed-over streams were held is gone.
        let isLeaving = life == .leaving || life == .left
        let (since, claim) = (severed?.since ?? now, severed?.claim ?? claims.own)
        let losses = rules.loss.losses.merging(severed?.losses ?? [:]) { new, _ in new }
        reset()
        severed = nil
        if isLeaving { life = .left }
        guard !isLeaving, !held.isEmpty else { return }
        severed = SeveredHolds(held, losses: losses, server: server, claim: claim, since: since)
    }

    mutating func note(server name: UInt32) {
        if severed?.server != name { forgetSevered() }
        server = name
    }

    /// Handles the granted claim: a serial that is not higher than the former one means that this is another server.
    mutating func noteGrant() {
        guard let severed, let own = claims.own, severed.claim.map({ own <= $0 }) ?? true else { return }
        forgetSevered()
    }

    /// Handles this guard's ownership of the server.
    ///
    /// - Parameter isFirst: whether no other guard owned the server meanwhile; such a guard released what this one had left there.
    mutating func noteOwnership(isFirst: Bool) {
        guard let since = severed?.since else { return }
        if !isFirst, now.seconds(since: since) > SeveredHolds.regainSeconds { return forgetSevered(.connectionLost) }
        // These programs were told to pause and closed their streams; they resume when the holds end.
        for record in severed?.remove(where: { $0.activity == .ended }) ?? [] {
            book.restore(record)
            if let hold = record.hold { rules.loss.note(severed: hold, severed?.losses ?? [:]) }
        }
    }

    /// Applies a user's or a player's action to holds whose streams are not there at the moment.
    mutating func applyToSevered(_ event: GuardEvent) {
        guard severed != nil else { return }
        switch event {
        case .playerStarted(let identity):
            forgetSevered(.playedByUser) { $0.stream.program.identity == identity }
        case .releaseRequested(let word):
            forgetSevered(isEnding ? .guardEnds(isHeard: true) : .requested) {
                word.map($0.stream.program.answers) ?? true
            }
        case .optionsChanged(let new) where new.scope.isOff:
            forgetSevered(.turnedOff) { $0.hold?.reasons.allSatisfy(\.isFocus) == false }
        case .fact, .playerPaused, .mutedPortsRead, .optionsChanged, .focusNameChanged, .endRequested,
            .handoverRequested:
            break
        }
    }

    /// Holds the stream again, as after a loss, unless its user has heard it for long or has moved it.
    mutating func regain(_ stream: ProgramStream) {
        guard let since = severed?.since, let old = severed?.drain(stream), let hold = old.hold else { return }
        let isHeard = stream.isRunning && stream.linkTarget.isASink
        let isLate = isHeard && now.seconds(since: since) > SeveredHolds.regainSeconds
        let isPausable = book.streams[stream.id]?.isPausable(scene) == true
        guard isPausable, stream.chosenTarget == nil, !isLate else {
            release(severed: old, stream.chosenTarget == nil ? .connectionLost : .movedByUser)
            return
        }
        rules.loss.note(severed: hold, severed?.losses ?? [:])
        effects += book.regain(old, cutsLinks: isHeard, scene)
    }

    /// Forgets held streams that are not there.
    ///
    /// - Parameter cause: why the streams play on; nil if they have ended.
    mutating func forgetSevered(_ cause: Hold.Release? = nil, where isMeant: (StreamRecord) -> Bool = { _ in true }) {
        for record in severed?.remove(where: isMeant) ?? [] {
            if let cause {
                release(severed: record, cause)
            } else {
                effects.append(.report(.ended, of: record.stream.program))
            }
        }
        if severed?.records.isEmpty == true { severed = nil }
    }

    private mutating func release(severed record: StreamRecord, _ cause: Hold.Release) {
        // A player that shows a pause stays paused: its sound would continue on another output.
        if cause == .requested || cause == .turnedOff, book.pausedPlayers.remove(record.stream.program.identity) != nil
        {
            effects.append(.resumePlayer(record.stream.program))
        }
        effects.append(.report(.released(cause), of: record.stream.program))
    }
}
