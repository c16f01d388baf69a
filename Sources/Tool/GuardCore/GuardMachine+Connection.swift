internal import AudioModel

/// What was held when the connection ended: its streams may be there still, on the same server.
struct SeveredHolds: Hashable, Sendable {
    /// How long after the loss what has begun to sound again stands still again; later its user has got used to it.
    static let regainSeconds = 2.0

    /// The server that they were on; nil where it is not known.
    let server: UInt32?
    /// The place of this guard's claim there: each later claim of the same server has a higher one.
    let claim: UInt64?
    let since: HostTime
    /// By the output's uid.
    let losses: [String: GuardMachine.Loss]
    private(set) var records: [UInt64: StreamRecord]

    init(
        _ records: [UInt64: StreamRecord], losses: [String: GuardMachine.Loss], server: UInt32?, claim: UInt64?,
        since: HostTime
    ) {
        self.losses = losses
        self.server = server
        self.claim = claim
        self.since = since
        self.records = records
    }

    /// In the order of their holding.
    mutating func remove(where isMeant: (StreamRecord) -> Bool) -> [StreamRecord] {
        let removed = records.values.filter(isMeant)
        for record in removed { records[record.stream.id] = nil }
        return removed.sorted { ($0.hold?.order ?? 0) < ($1.hold?.order ?? 0) }
    }

    /// The record of this stream, at the first look at it.
    mutating func drain(_ stream: ProgramStream) -> StreamRecord? {
        guard let record = records.removeValue(forKey: stream.id),
            record.stream.program.identity == stream.program.identity
        else { return nil }
        return record
    }
}

/// The end of the connection to a server, and the next one.
extension GuardMachine {
    /// The connection has ended: what is known of the server is forgotten, except what is held.
    mutating func disconnect() {
        var held = severed?.records ?? [:]
        for (stream, hold) in waiting {
            var record = streams[stream.id]
            record?.hold?.reasons = hold.reasons.filter(\.outlivesConnection)
            if record?.hold?.reasons.isEmpty == false { held[stream.id] = record }
        }
        // What was on its way to the next guard stands nowhere any more.
        let isLeaving = life == .leaving || life == .left
        let (since, claim) = (severed?.since ?? now, severed?.claim ?? claims.own)
        let losses = self.losses.merging(severed?.losses ?? [:]) { new, _ in new }
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

    /// The server has this guard's claim: on another server it has not grown.
    mutating func noteGrant() {
        guard let severed, let own = claims.own, severed.claim.map({ own <= $0 }) ?? true else { return }
        forgetSevered()
    }

    /// This guard has the server from now on.
    ///
    /// - Parameter isFirst: no other one had it meanwhile, which has let go what this one had left there.
    mutating func noteOwnership(isFirst: Bool) {
        guard let since = severed?.since else { return }
        if !isFirst, now.seconds(since: since) > SeveredHolds.regainSeconds { return forgetSevered(.connectionLost) }
        // Their programs, told to pause, have closed them: they go on when the holds end.
        for record in severed?.remove(where: { $0.activity == .ended }) ?? [] {
            streams[record.stream.id] = record
            restoreLosses(of: record)
        }
    }

    /// What its user asks for, or what a player shows, of what is held and not there at the moment.
    mutating func applyToSevered(_ event: GuardEvent) {
        guard severed != nil else { return }
        switch event {
        case .playerStarted(let identity):
            forgetSevered(.playedByUser) { $0.stream.program.identity == identity }
        case .releaseRequested(let word):
            forgetSevered(isEnding ? .guardEnds(isHeard: true) : .requested) {
                word.map($0.stream.program.answers) ?? true
            }
        case .fact, .playerPaused, .mutedPortsRead, .optionsChanged, .focusNameChanged, .endRequested,
            .handoverRequested:
            break
        }
    }

    /// Held again, as after a loss, unless its user has heard it for long or has moved it.
    mutating func regain(_ stream: ProgramStream) {
        guard let since = severed?.since, let old = severed?.drain(stream), let hold = old.hold else { return }
        let isHeard = stream.isRunning && stream.linkTarget.isASink
        let isLate = isHeard && now.seconds(since: since) > SeveredHolds.regainSeconds
        guard isPausable(stream), stream.chosenTarget == nil, !isLate else {
            release(severed: old, stream.chosenTarget == nil ? .connectionLost : .movedByUser)
            return
        }
        let isParked = isHoldable(stream)
        streams[stream.id]?.hold = Hold(
            reasons: hold.reasons, since: hold.since, order: nextOrder, isParked: isParked,
            activity: isParked ? .moving(since: now) : stream.isRunning ? .standing : .stopped)
        streams[stream.id]?.home = old.home
        streams[stream.id]?.formerTarget = old.formerTarget
        streams[stream.id]?.hasBegunBefore = old.hasBegunBefore
        nextOrder += 1
        restoreLosses(of: old)
        hasUncheckedHolds = true
        if isParked { command(.hold(stream: stream.id, cutsLinks: isHeard)) }
        report(.heldAgain, stream.program)
    }

    private mutating func restoreLosses(of record: StreamRecord) {
        guard let hold = record.hold else { return }
        for case .lost(let uid, _) in hold.reasons where losses[uid] == nil {
            losses[uid] = severed?.losses[uid] ?? Loss(time: hold.since, output: nil)
        }
    }

    /// Those that were held and are not there.
    ///
    /// - Parameter cause: why they go on; nil: they have ended.
    mutating func forgetSevered(_ cause: Hold.Release? = nil, where isMeant: (StreamRecord) -> Bool = { _ in true }) {
        for record in severed?.remove(where: isMeant) ?? [] {
            if let cause { release(severed: record, cause) } else { report(.ended, record.stream.program) }
        }
        if severed?.records.isEmpty == true { severed = nil }
    }

    private mutating func release(severed record: StreamRecord, _ cause: Hold.Release) {
        // A player that shows a pause stays paused: it would be heard on another output.
        if cause == .requested, pausedPlayers.remove(record.stream.program.identity) != nil {
            effects.append(.resumePlayer(record.stream.program))
        }
        report(.released(cause), record.stream.program)
    }
}
