/// What happens in a round of each kind.
extension ArbitrationRounds {
    /// A partner starts, has its effect, and ends.
    func meet() throws {
        let player = try playerAtWork()
        let role = draw(RoundActor.Role.allCases)
        let ending = draw(Ending.allCases)
        let isInterrupted = role.interrupts(player.role)
        let partner = try start(role, isHeard: isInterrupted, isShort: ending == .runsOut)
        try partner.wait(for: partner.playing)
        // A short one may have ended already.
        if ending != .runsOut {
            if isInterrupted { try player.wait(for: player.paused, RoundActor.began) }
            let level =
                isInterrupted ? partner.level : role == .ducking ? Self.exactly(Self.playerLevel * 0.2) : player.level
            try expect(level: level, claims: 2)
        }
        try finish(partner, ending)
        try expect(player, after: ending, ofInterruptingPartner: isInterrupted)
        // A mixing player is notified of players that do not mix, unless they interrupt it.
        let hasHints = player.role.isMixable && !role.isMixable && !isInterrupted
        if hasHints { try player.wait(for: "hint ends") }
        try check(player.hints == (hasHints ? ["hint begins", "hint ends"] : []), "hints: \(player.hints)")
        player.forgetEvents()
    }

    /// The player is killed while another has the sound.
    func losePlayer() throws {
        let partner = try interrupt(by: draw([.exclusive, .soloAmbient, .spoken, .voiceChat, .call]))
        try kill()
        try expect(level: partner.level, claims: 1)
        try finish(partner, draw([.leaves, .isKilled]))
        try expect(level: Self.silence, claims: 0)
    }

    /// As before, and a new player starts while the other still plays.
    func renewPlayerBesidePartner() throws {
        let partner = try interrupt(by: draw([.exclusive, .soloAmbient, .spoken, .voiceChat]))
        try kill()
        partner.forgetEvents()
        if partner.role.isCallLike {
            let refused = try start(.exclusive, file: "a.wav", level: Self.playerLevel)
            try check(try refused.run.waitForEnd() == .exited(1), "the end of the refused one")
            try check(refused.run.story.contains("error insufficientPriority"), "a refusal")
            try check(!refused.run.story.contains(refused.playing), "a refused one does not play")
            try expect(level: partner.level, claims: 1)
            try check(partner.events == [], "the call is not disturbed")
            try finish(partner, draw([.leaves, .isKilled]))
            return try expect(level: Self.silence, claims: 0)
        }
        let successor = try startPlayer(draw([.exclusive, .spoken]))
        try partner.wait(for: partner.paused, RoundActor.began)
        try expect(level: successor.level, claims: 2)
        if draw([true, false]) {
            // The end of an interrupted player has no effect on the others.
            try finish(partner, draw([.leaves, .isKilled]))
            try expect(level: successor.level, claims: 1)
            try check(successor.playerEvents == [] && successor.interruptionEvents == [], "a quiet end")
        } else {
            let ending = draw([Ending.leaves, .isKilled])
            try finish(successor, ending)
            player = nil
            try expect(partner, after: ending, ofInterruptingPartner: true)
            try finish(partner, .leaves)
            try expect(level: Self.silence, claims: 0)
        }
    }

    /// Of two players that start at once, exactly one wins.
    func startTogether() throws {
        if let player { try finish(player, .leaves) }
        player = nil
        try expect(level: Self.silence, claims: 0)
        let partner: RoundActor
        let player: RoundActor
        if draw([true, false]) {
            partner = try start(.exclusive, isHeard: true)
            player = try start(.exclusive, file: "a.wav", level: Self.playerLevel)
        } else {
            player = try start(.exclusive, file: "a.wav", level: Self.playerLevel)
            partner = try start(.exclusive, isHeard: true)
        }
        self.player = player
        let pair = [player, partner]
        try until("one of two has lost, and one plays") {
            pair.count { $0.events.contains(RoundActor.began) } == 1
                && pair.allSatisfy {
                    $0.playerEvents.last == ($0.events.contains(RoundActor.began) ? $0.paused : $0.playing)
                }
        }
        let loser = player.events.contains(RoundActor.began) ? player : partner
        let winner = loser === player ? partner : player
        try expect(level: winner.level, claims: 2)
        try check(winner.interruptionEvents == [] && loser.interruptionEvents == [RoundActor.began], "one loser")
        loser.forgetEvents()
        let ending = draw([Ending.leaves, .isKilled])
        try finish(winner, ending)
        if winner === player { self.player = nil }
        if ending == .leaves {
            try loser.wait(for: RoundActor.resume, loser.playing)
            resumeCount += 1
            try expect(level: loser.level, claims: 1)
        } else {
            try loser.wait(for: RoundActor.noResume)
            try expect(level: Self.silence, claims: 0)
        }
        loser.forgetEvents()
        if loser === partner || ending == .isKilled {
            try finish(loser, .leaves)
            self.player = nil
        }
    }
}
