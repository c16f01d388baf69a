internal import AudioModel

/// What one guard hands over, and the next one takes over.
extension GuardMachine {
    mutating func keepForSuccessor() {
        if options.scope == .keeping, hasSettled, claims.hasSuccessor { beginHandover() }
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

    /// Nothing is let go any more: it is the next guard's.
    mutating func leave() {
        life = .left
        streams = [:]
        effects.append(.report(GuardReport(.handedOver, name: "")))
    }

    mutating func adopt(_ kept: KeptHold, _ stream: ProgramStream) {
        guard isPausable(stream) else { return }
        let since = min(kept.since, now)
        let isParked = isHoldable(stream)
        takeover?.isUnchecked = true
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

    /// While no guard could tell, an output may have returned, and a call or a program that holds the others have ended.
    mutating func dropStaleReasons() {
        for (stream, hold) in waiting {
            for reason in hold.reasons {
                switch reason {
                case .call(let id, _):
                    if streams[id]?.stream.isRunning != true { drop(reason, of: stream.id, .callEnded) }
                case .newer(let program):
                    let isThere = streams.values.contains { $0.stream.program.identity == program.identity }
                    if !isThere { drop(reason, of: stream.id, .newerEnded) }
                case .focus(let id, _, _):
                    if !focus.all.contains(where: { $0.id == id }) { drop(reason, of: stream.id, .focusEnded) }
                case .lost, .returnedLate, .switched: break
                }
            }
        }
        for output in outputs.outputs { arrive(output.uid) }
        resumeReturned()
    }

    mutating func advanceTakeover() {
        guard hasSettled, let takeover, !takeover.isDone else { return }
        let hasArrived = takeover.hasSeenAll && standing.allSatisfy { !$0.hold.activity.isMoving }
        guard hasArrived || takeover.deadline.map({ $0 <= now }) == true else { return }
        self.takeover?.isDone = true
        acknowledge()
    }
}
