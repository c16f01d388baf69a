/// How one guard hands over its holds, and the next guard takes them over.
extension GuardMachine {
    /// Hands over to a guard that stays, if this guard only keeps holds, or has taken over holds that it does not guard itself.
    ///
    /// It waits until its own takeover is complete, because the guard before it waits for that.
    mutating func keepForSuccessor() {
        guard scene.hasSettled, claims.hasSuccessor, takeover?.isDone ?? true else { return }
        switch scene.options.scope {
        case .everything, .off: break
        case .keeping: beginHandover()
        case .focus: if holders.isEmpty, !ducking.isOpen, !book.standing.isEmpty { beginHandover() }
        }
    }

    mutating func beginHandover() {
        guard claims.isOwner, life == .guarding else { return }
        var kept: [KeptHold] = []
        for (stream, hold) in book.standing {
            let reasons = hold.reasons.filter(\.nature.outlivesGuard)
            guard !reasons.isEmpty, kept.count < GuardHandover.mostHolds else {
                effects += book.release(stream.id, .guardEnds(isHeard: hold.playsOnWithoutGuard), at: now)
                continue
            }
            kept.append(
                KeptHold(
                    stream: stream.id, reasons: reasons, since: hold.since,
                    formerTarget: book.streams[stream.id]?.formerTarget,
                    isPlayerPaused: book.pausedPlayers.contains(stream.program.identity)))
        }
        effects += book.drainReturns(at: now, isLast: true)
        returnMicrophones()
        life = .leaving
        command(.announceHandover(kept))
    }

    /// Ends this guard's part without a release: the streams belong to the next guard.
    mutating func leave() {
        life = .left
        book.reset()
        effects.append(.report(GuardReport(.handedOver, name: "")))
    }

    mutating func adopt(_ kept: KeptHold) {
        guard book.streams[kept.stream]?.isPausable(scene) == true else { return }
        rules.loss.note(handedOver: kept.reasons, since: min(kept.since, now))
        effects += book.adopt(kept, scene)
    }

    mutating func advanceTakeover() {
        guard scene.hasSettled else { return }
        if let takeover, !takeover.isDone {
            let hasArrived = takeover.hasSeenAll && book.standing.allSatisfy { !$0.hold.activity.isMoving }
            guard hasArrived || takeover.deadline.map({ $0 <= now }) == true else { return }
            self.takeover?.isDone = true
            acknowledge()
        }
        keepForSuccessor()
    }
}
