internal import AudioModel

/// The streams of other programs: which of them are held, since when and why.
///
/// The links that the server reports decide where a stream is, not the requests.
///
/// Pure: each change returns the effects to carry out, in their order.
struct HoldBook: Hashable, Sendable {
    /// Programs that notice a loss open a new stream by themselves within this time.
    static let reopenSeconds = 1.0
    /// How long after a takeover or another guard's end the last requests of that guard may still remove this guard's targets.
    private static let contestSeconds = 2.0

    private(set) var streams = StreamTable()
    /// The programs whose players show a pause because of this guard or the previous one.
    var pausedPlayers: Set<Program.Identity> = []
    /// A stream was taken over or is held again, and the reasons for its hold may have ended meanwhile.
    var hasUncheckedHolds = false
    /// Until this time, the end of another guard may move streams that this guard holds; nil if no guard has ended.
    private var contestedUntil: HostTime?
    private var nextHold = 0

    /// Forgets the server's streams.
    mutating func reset() { (streams, hasUncheckedHolds, contestedUntil) = (StreamTable(), false, nil) }

    mutating func noteContest(at now: HostTime) { contestedUntil = now.advanced(bySeconds: Self.contestSeconds) }

    // MARK: Streams

    /// Notes a new stream or its changed properties.
    ///
    /// - Parameter sink: the output on which it plays; nil if it plays on none.
    /// - Returns: its former properties; nil if the stream is new.
    mutating func note(_ stream: ProgramStream, on sink: String?, _ scene: HoldScene) -> ProgramStream? {
        let old = streams[stream.id]
        var record = old ?? StreamRecord(stream, isArrival: scene.hasSettled, at: scene.now)
        record.stream = stream
        // A mixer has moved it.
        if let target = stream.chosenTarget, target != old?.stream.chosenTarget { record.journeyBeforeReturn = nil }
        if old == nil || old?.stream.program != stream.program || old?.stream.role != stream.role {
            record.policy = scene.policy(of: stream.program, role: stream.role)
        }
        if let sink { record.home = sink }
        record.noteSound(isFirst: old == nil, at: scene.now)
        streams[stream.id] = record
        return old?.stream
    }

    /// Notes the end of a stream; the first held one of its program stays known, because the program may resume with its hold.
    mutating func noteEnd(of id: UInt64) -> [GuardEffect] {
        guard let record = streams[id] else { return [] }
        let isFirst = !waiting.contains {
            $0.stream.id != id && $0.stream.program.identity == record.stream.program.identity
        }
        let isTold = record.hold.map { !$0.isBrief } ?? false
        if isTold, isFirst { streams[id]?.activity = .ended } else { streams[id] = nil }
        return isTold ? [.report(.ended, of: record.stream.program)] : []
    }

    /// Forgets ended streams that no resume can concern any more.
    mutating func forgetEnded(unless isKept: (Hold) -> Bool) {
        guard streams.values.contains(where: { $0.activity == .ended }) else { return }
        streams.removeAll { $0.activity == .ended && $0.hold.map(isKept) == false }
    }

    /// Notes that the stream has begun; its user has started its program, whose older holds end.
    mutating func noteBeginning(of id: UInt64, _ scene: HoldScene) -> [GuardEffect] {
        guard let record = streams[id] else { return [] }
        streams[id]?.hasBegunBefore = true
        let effect = scene.effect(of: record.stream)
        guard record.isArrival, effect == .plays || effect == .mixes, !record.hasBegunBefore else { return [] }
        return release(at: scene.now, .playedByUser) { stream, hold in
            stream.program.identity == record.stream.program.identity && stream.id != id
                && scene.now.seconds(since: hold.since) > Self.reopenSeconds
        }
    }

    /// - Returns: the streams that count as begun by now, in the order in which they appeared.
    mutating func drainBeginnings(at now: HostTime) -> [UInt64] {
        let due = ids.filter { id in streams[id]?.beginning.map { $0 <= now } ?? false }
        for id in due { streams[id]?.noteBegun() }
        return due
    }

    /// Applies changed rules for programs.
    mutating func applyPolicies(_ scene: HoldScene) -> [GuardEffect] {
        var effects: [GuardEffect] = []
        for id in ids {
            guard let record = streams[id] else { continue }
            let policy = scene.policy(of: record.stream.program, role: record.stream.role)
            streams[id]?.policy = policy
            guard policy.action != record.policy.action else { continue }
            effects += release(id, .configured, at: scene.now)
            if policy.action != .hold { effects += raise(id, at: scene.now) }
        }
        return effects
    }

    // MARK: Holds

    /// Holds a stream that is not held.
    mutating func hold(_ record: StreamRecord, _ request: HoldRequest, _ scene: HoldScene) -> [GuardEffect] {
        let stream = record.stream
        if !record.isLowered, record.journeyBeforeReturn == nil {
            streams[stream.id]?.formerTarget = stream.chosenTarget
        }
        streams[stream.id]?.journeyBeforeReturn = nil
        let isParked = record.isHoldable(scene)
        let activity: Hold.Activity =
            isParked
            ? .moving(since: scene.now)
            : stream.isRunning
                ? .standing : .stopping(until: scene.now.advanced(bySeconds: StreamRecord.blipSeconds))
        streams[stream.id]?.hold = Hold(
            reasons: [request.reason], since: scene.now, order: nextHold, isParked: isParked, activity: activity)
        nextHold += 1
        let move = GuardEffect.host(.hold(stream: stream.id, cutsLinks: request.cutsLinks))
        return (isParked ? [move] : []) + announce(request.reason, stream)
    }

    /// Adds a reason to a held stream.
    mutating func add(_ request: HoldRequest, to record: StreamRecord) -> [GuardEffect] {
        guard let hold = record.hold else { return [] }
        let id = record.stream.id
        var effects: [GuardEffect] = []
        if !hold.reasons.contains(request.reason) {
            streams[id]?.hold?.reasons.append(request.reason)
            if hold.isBrief { effects += announce(request.reason, record.stream) }
        }
        if request.movesHeard, hold.isHeard { effects.append(.host(.hold(stream: id, cutsLinks: request.cutsLinks))) }
        return effects
    }

    /// Replaces a reason by the one that it has become.
    mutating func replace(_ reason: Hold.Reason, by new: Hold.Reason, of id: UInt64) -> [GuardEffect] {
        guard let record = streams[id], var hold = record.hold, hold.reasons.contains(reason) else { return [] }
        let wasBrief = hold.isBrief
        hold.reasons.removeAll { $0 == reason }
        if !hold.reasons.contains(new) { hold.reasons.append(new) }
        // Before it ran, the guard did not know whether its user had paused it.
        if record.stream.isRunning, hold.activity.hasArrived { hold.activity = .standing }
        streams[id]?.hold = hold
        return wasBrief ? announce(new, record.stream) : []
    }

    /// Ends one reason; a hold without another reason ends.
    mutating func drop(_ reason: Hold.Reason, of id: UInt64, _ cause: Hold.Release, at now: HostTime) -> [GuardEffect] {
        guard let record = streams[id], var hold = record.hold, hold.reasons.contains(reason) else { return [] }
        hold.reasons.removeAll { $0 == reason }
        streams[id]?.hold = hold
        let move = hold.reasons.isEmpty ? moveBack(record, at: now) : []
        return move + (hold.isBrief && !reason.nature.isBrief ? announce(cause, record) : [])
    }

    mutating func release(_ id: UInt64, _ cause: Hold.Release, at now: HostTime) -> [GuardEffect] {
        guard let record = streams[id], let hold = record.hold else { return [] }
        let move = moveBack(record, at: now)
        return move + (hold.isBrief ? [] : announce(cause, record))
    }

    mutating func release(
        at now: HostTime, _ cause: Hold.Release, where isMeant: (ProgramStream, Hold) -> Bool
    ) -> [GuardEffect] {
        waiting.filter { isMeant($0.stream, $0.hold) }.flatMap { release($0.stream.id, cause, at: now) }
    }

    /// Releases all holds because the guard can hold nothing any more.
    ///
    /// - Parameter cause: for a program that plays on, or for one that stays paused.
    mutating func releaseAll(at now: HostTime, _ cause: (_ isHeard: Bool) -> Hold.Release) -> [GuardEffect] {
        waiting.flatMap { release($0.stream.id, cause($0.hold.playsOnWithoutGuard), at: now) }
    }

    private mutating func moveBack(_ record: StreamRecord, at now: HostTime) -> [GuardEffect] {
        let id = record.stream.id
        streams[id]?.hold = nil
        // The guard starts the stream, not its user.
        streams[id]?.releasedAt = now
        if record.activity == .ended {
            streams[id] = nil
        } else if record.isLowered || record.hold?.isParked == true {
            return turnBack(record, at: now)
        }
        return []
    }

    /// Moves a stream back from where the guard has sent it, once it has arrived there.
    ///
    /// - Parameter record: from before the end of its hold or lowering.
    private mutating func turnBack(_ record: StreamRecord, at now: HostTime) -> [GuardEffect] {
        streams[record.stream.id]?.journeyBeforeReturn = record.journey(at: now)
        return record.journey(at: now) == nil ? finishReturn(of: record.stream.id, at: now) : []
    }

    private mutating func finishReturn(of id: UInt64, at now: HostTime) -> [GuardEffect] {
        guard let record = streams[id] else { return [] }
        streams[id]?.journeyBeforeReturn = nil
        guard !record.isLowered else {
            streams[id]?.lowering = .lowered(since: now)
            return [.host(.duck(stream: id))]
        }
        // The guard starts the stream, not its user.
        streams[id]?.releasedAt = now
        return [.host(.release(stream: id, target: record.formerTarget))]
    }

    /// Moves the streams back that have arrived where the guard had sent them, or have taken too long.
    ///
    /// - Parameter isLast: whether it moves all of them now.
    mutating func drainReturns(at now: HostTime, isLast: Bool = false) -> [GuardEffect] {
        guard isReturning else { return [] }
        let due = ids.filter { id in
            streams[id].map { isLast ? $0.journeyBeforeReturn != nil : $0.returns(at: now) } ?? false
        }
        return due.flatMap { finishReturn(of: $0, at: now) }
    }

    /// Reports a hold, and has the player pause with the first held stream of its program.
    private func announce(_ reason: Hold.Reason, _ stream: ProgramStream) -> [GuardEffect] {
        guard !reason.nature.isBrief else { return [] }
        let isFirst = !held.contains {
            $0.stream.id != stream.id && $0.stream.program.identity == stream.program.identity
        }
        return (isFirst ? [.pausePlayer(stream.program)] : []) + [.report(.held(reason), of: stream.program)]
    }

    private mutating func announce(_ cause: Hold.Release, _ record: StreamRecord) -> [GuardEffect] {
        let program = record.stream.program
        let isLast = !waiting.contains { $0.stream.program.identity == program.identity && !$0.hold.isBrief }
        // A player that shows a pause stays paused: the end of a program must not restart what a person has heard stop.
        var staysPaused = cause == .playedByUser
        switch cause {
        case .guardEnds, .descriptorsRanOut:
            if record.hold?.reasons.allSatisfy(\.isFocus) == false { staysPaused = true }
        default: break
        }
        var effects: [GuardEffect] = []
        if isLast, !staysPaused {
            pausedPlayers.remove(program.identity)
            effects.append(.resumePlayer(program))
        }
        if record.activity != .ended { effects.append(.report(.released(cause), of: program)) }
        return effects
    }

    // MARK: Moves

    /// Applies what the server reports of a held stream.
    mutating func changeHeld(
        _ stream: ProgramStream, since before: ProgramStream, _ scene: HoldScene
    ) -> [GuardEffect] {
        guard var hold = streams[stream.id]?.hold else { return [] }
        if hold.isParked, before.chosenTarget != stream.chosenTarget, stream.chosenTarget != nil {
            return leaveToUser(stream)
        }
        if hold.isParked, stream.linkTarget.isASink, hold.activity.hasArrived, scene.manager == .present {
            // If no other guard caused this, a mixer has removed the target that the guard had set.
            return isContested(hold, at: scene.now) ? moveAgain(stream.id, cutsLinks: true, scene) : leaveToUser(stream)
        }
        var effects: [GuardEffect] = []
        switch (hold.activity, stream.isRunning) {
        case (.moving, let isRunning), (.unmoved, let isRunning):
            guard stream.linkTarget == .hold else {
                if case .moving(nil, _) = hold.activity, stream.linkTarget.isASink {
                    hold.activity = .moving(since: scene.now)
                }
                break
            }
            if hold.activity == .unmoved, let reason = hold.reasons.first {
                effects.append(.report(.held(reason), of: stream.program))
            }
            hold.activity = isRunning ? .standing : .stopping(until: scene.now.advanced(bySeconds: Hold.moveSeconds))
        case (.standing, false):
            hold.activity = .stopping(until: scene.now.advanced(bySeconds: StreamRecord.blipSeconds))
        case (.stopping, true): hold.activity = .standing
        case (.stopped, true):
            return release(at: scene.now, .playedByUser) { other, _ in
                other.program.identity == stream.program.identity
            }
        case (.standing, true), (.stopping, false), (.stopped, false): break
        }
        streams[stream.id]?.hold = hold
        return effects
    }

    private mutating func leaveToUser(_ stream: ProgramStream) -> [GuardEffect] {
        streams[stream.id]?.hold = nil
        if streams[stream.id]?.isLowered == true { streams[stream.id]?.lowering = .declined }
        return [.report(.released(.movedByUser), of: stream.program)]
    }

    /// Whether something other than a mixer may have moved the stream: another guard, or a late effect of the stream's earlier hold.
    private func isContested(_ hold: Hold, at now: HostTime) -> Bool {
        now.seconds(since: hold.since) <= Self.reopenSeconds || contestedUntil.map { now <= $0 } ?? false
    }

    private mutating func moveAgain(_ id: UInt64, cutsLinks: Bool, _ scene: HoldScene) -> [GuardEffect] {
        streams[id]?.hold?.activity = .moving(since: scene.now)
        return [.host(.hold(stream: id, cutsLinks: cutsLinks))]
    }

    /// Handles the end of the sink at which the streams were held.
    mutating func holdAgain(cutsLinks: Bool, _ scene: HoldScene) -> [GuardEffect] {
        standing.filter(\.hold.isParked).flatMap { moveAgain($0.stream.id, cutsLinks: cutsLinks, scene) }
    }

    /// Does what is due for the stream by now.
    ///
    /// - Returns: also whether the stream has paused.
    mutating func letTimePass(_ id: UInt64, _ scene: HoldScene) -> (effects: [GuardEffect], hasPaused: Bool) {
        guard let record = streams[id], let deadline = record.deadline, deadline <= scene.now else {
            return ([], false)
        }
        if case .stopping = record.hold?.activity { streams[id]?.hold?.activity = .stopped }
        let effects = advanceMove(record, scene)
        guard case .stopping = record.activity else { return (effects, false) }
        streams[id]?.activity = .stopped
        return (effects, true)
    }

    private mutating func advanceMove(_ record: StreamRecord, _ scene: HoldScene) -> [GuardEffect] {
        guard case .moving(let since?, let retries)? = record.hold?.activity else { return [] }
        let id = record.stream.id
        let isLinked = record.stream.linkTarget.isASink || record.stream.linkTarget == .duck
        let isElsewhere = isLinked && scene.manager == .present && !scene.isDryRun
        if scene.now < since.advanced(bySeconds: Hold.moveSeconds) {
            streams[id]?.hold?.activity = .moving(since: since, retries: retries + 1)
            return isElsewhere ? [.host(.hold(stream: id, cutsLinks: false)), .host(.cutStrays(stream: id))] : []
        }
        guard isElsewhere, record.stream.isRunning else {
            streams[id]?.hold?.activity = .moving(since: nil)
            return []
        }
        // Neither the server nor the session manager moves it: a stream that is heard must not be reported as held.
        streams[id]?.hold?.activity = .unmoved
        return [.report(.notMoved, of: record.stream.program)]
    }

    // MARK: Holds of another guard, or from before the connection ended

    /// Takes over the hold of another guard.
    mutating func adopt(_ kept: KeptHold, _ scene: HoldScene) -> [GuardEffect] {
        guard let record = streams[kept.stream] else { return [] }
        let stream = record.stream
        inherit(
            kept.reasons, record, since: min(kept.since, scene.now), formerTarget: kept.formerTarget, scene)
        var effects: [GuardEffect] = []
        if record.isHoldable(scene) { effects.append(.host(.hold(stream: stream.id, cutsLinks: false))) }
        if kept.isPlayerPaused {
            pausedPlayers.insert(stream.program.identity)
            effects.append(.adoptPlayer(stream.program))
        }
        return effects + [.report(.keptHeld, of: stream.program)]
    }

    /// Holds a stream as before the connection ended.
    ///
    /// - Parameter old: its record from then; it must be held.
    mutating func regain(_ old: StreamRecord, cutsLinks: Bool, _ scene: HoldScene) -> [GuardEffect] {
        let id = old.stream.id
        guard let record = streams[id], let hold = old.hold else { return [] }
        inherit(hold.reasons, record, since: hold.since, formerTarget: old.formerTarget, scene)
        streams[id]?.home = old.home
        streams[id]?.hasBegunBefore = old.hasBegunBefore
        let move = GuardEffect.host(.hold(stream: id, cutsLinks: cutsLinks))
        return (record.isHoldable(scene) ? [move] : []) + [.report(.heldAgain, of: record.stream.program)]
    }

    private mutating func inherit(
        _ reasons: [Hold.Reason], _ record: StreamRecord, since: HostTime, formerTarget: String?, _ scene: HoldScene
    ) {
        let (id, isParked) = (record.stream.id, record.isHoldable(scene))
        streams[id]?.hold = Hold(
            reasons: reasons, since: since, order: nextHold, isParked: isParked,
            activity: isParked ? .moving(since: scene.now) : record.stream.isRunning ? .standing : .stopped)
        streams[id]?.formerTarget = formerTarget
        nextHold += 1
        hasUncheckedHolds = true
    }

    /// Restores a stream that ended before the connection did; its program resumes when its hold ends.
    mutating func restore(_ ended: StreamRecord) { streams[ended.stream.id] = ended }

    // MARK: Ducking

    mutating func lower(_ id: UInt64, at now: HostTime) -> [GuardEffect] {
        guard let stream = streams[id]?.stream else { return [] }
        streams[id]?.lowering = .lowered(since: now)
        streams[id]?.formerTarget = stream.chosenTarget
        return [.host(.duck(stream: id))]
    }

    mutating func raise(_ id: UInt64, at now: HostTime) -> [GuardEffect] {
        guard let record = streams[id] else { return [] }
        streams[id]?.lowering = .none
        return record.isLowered && record.hold == nil ? turnBack(record, at: now) : []
    }

    mutating func raiseAll(at now: HostTime) -> [GuardEffect] { ids.flatMap { raise($0, at: now) } }

    /// The ducking sink has ended, and its streams cannot be moved.
    mutating func forgetLowering() { for id in ids { streams[id]?.lowering = .none } }

    /// The ducking sink passes its sound on to this output.
    mutating func noteDuckOutput(_ output: String) {
        for record in streams.inOrder where record.isLowered && record.hold == nil {
            streams[record.stream.id]?.home = output
        }
    }

    /// Notes a lowered stream that a mixer has moved, or whose target the mixer has removed.
    mutating func changeLowered(_ stream: ProgramStream, since before: ProgramStream, _ scene: HoldScene) {
        guard case .lowered(let since)? = streams[stream.id]?.lowering else { return }
        let isMoved = before.chosenTarget != stream.chosenTarget && stream.chosenTarget != nil
        let isLifted =
            stream.linkTarget.isASink && scene.manager == .present
            && scene.now.seconds(since: since) > Self.reopenSeconds
        if isMoved || isLifted { streams[stream.id]?.lowering = .declined }
    }
}
