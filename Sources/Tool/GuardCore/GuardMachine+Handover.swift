internal import AudioModel

/// How one guard hands over its holds, and the next guard takes them over.
extension GuardMachine {
    /// Hands over to a guard that stays, if this guard only keeps holds, or has taken over holds that it does not guard itself.
    ///
    /// It waits until its own takeover is complete, because the guard before it waits for that.
    mutating func keepForSuccessor() {
        guard hasSettled, claims.hasSuccessor, takeover?.isDone ?? true else { return }
        switch options.scope {
        case .everything: break
        case .keeping: beginHandover()
        case .focus: if focus.all.isEmpty, !ducking.isOpen, !standing.isEmpty { beginHandover() }
        }
    }

    mutating func beginHandover() {
        guard claims.isOwner, life == .guarding else { return }
        var kept: [KeptHold] = []
        for (stream, hold) in standing {
            let reasons = hold.reasons.filter(\.outlivesGuard)
            guard !reasons.isEmpty, kept.count < GuardHandover.mostHolds else {
                release(stream.id, .guardEnds(isHeard: isHeard(after: hold)))
                continue
            }
            kept.append(
                KeptHold(
                    stream: stream.id, reasons: reasons, since: hold.since,
                    formerTarget: streams[stream.id]?.formerTarget,
                    isPlayerPaused: pausedPlayers.contains(stream.program.identity)))
        }
        life = .leaving
        command(.announceHandover(kept))
    }

    /// Ends this guard's part without a release: the streams belong to the next guard.
    mutating func leave() {
        life = .left
        streams = [:]
        effects.append(.report(GuardReport(.handedOver, name: "")))
    }

    mutating func adopt(_ kept: KeptHold, _ stream: ProgramStream) {
        guard isPausable(stream) else { return }
        let since = min(kept.since, now)
        let isParked = isHoldable(stream)
        hasUncheckedHolds = true
        streams[stream.id]?.hold = Hold(
            reasons: kept.reasons, since: since, order: nextOrder, isParked: isParked,
            activity: isParked ? .moving(since: now) : stream.isRunning ? .standing : .stopped)
        streams[stream.id]?.formerTarget = kept.formerTarget
        nextOrder += 1
        for case .lost(let uid, _) in kept.reasons {
            losses[uid] = Loss(time: min(losses[uid]?.time ?? since, since), output: losses[uid]?.output)
        }
        if isParked { command(.hold(stream: stream.id, cutsLinks: false)) }
        if kept.isPlayerPaused {
            pausedPlayers.insert(stream.program.identity)
            effects.append(.adoptPlayer(stream.program))
        }
        report(.keptHeld, stream.program)
    }

    /// Drops reasons that ended while no guard watched: changed options, a returned output, an ended call, program or focus holder.
    mutating func dropStaleReasons() {
        for (stream, hold) in waiting {
            for reason in hold.reasons {
                switch reason {
                case .call(let id, _):
                    if !options.holdsForCalls { drop(reason, of: stream.id, .configured) }
                    if streams[id]?.stream.isRunning != true { drop(reason, of: stream.id, .callEnded) }
                case .newer(let program):
                    if !options.oneAtATime { drop(reason, of: stream.id, .configured) }
                    let isThere = streams.values.contains { $0.stream.program.identity == program.identity }
                    if !isThere { drop(reason, of: stream.id, .newerEnded) }
                case .focus(let id, _, _):
                    if !focus.all.contains(where: { $0.id == id }) { drop(reason, of: stream.id, .focusEnded) }
                case .lost, .returnedLate, .switched, .idle: break
                }
            }
        }
        for output in outputs.outputs { arrive(output.uid) }
        resumeReturned()
    }

    mutating func advanceTakeover() {
        guard hasSettled else { return }
        if let takeover, !takeover.isDone {
            let hasArrived = takeover.hasSeenAll && standing.allSatisfy { !$0.hold.activity.isMoving }
            guard hasArrived || takeover.deadline.map({ $0 <= now }) == true else { return }
            self.takeover?.isDone = true
            acknowledge()
        }
        keepForSuccessor()
    }
}
