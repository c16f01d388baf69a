import Foundation
import PipeWireRig

/// A player that lives for many rounds, and partners that come and go, on one server; each round ends with a look at
/// everything.
///
/// The player's tone is exactly 0.5 at its peak, a partner's 0.125: what the meter hears says who sounds, and at which
/// level. Where both may sound the partner's file is silent.
final class ArbitrationRounds {
    enum Kind: CaseIterable {
        case encounter, playerKilled, newcomer, sameMoment
    }

    enum Ending: CaseIterable {
        /// Deactivates with the option to notify.
        case leaves
        case isKilled
        /// As `leaves`, but by itself.
        case runsOut
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var counts: [Kind: Int] = [:]
    private(set) var resumeCount = 0
    private(set) var killCount = 0

    private static let playerLevel: Float = 0.5
    private static let partnerLevel: Float = 0.125
    private static let silence: ClosedRange<Float> = 0...0
    /// Two cycles: the meter hears each cycle whole.
    private static let windowFrames = 2048
    /// The player's file is a minute long.
    private static let playerSeconds = 40.0

    private let stage: Stage
    private let seed: UInt64
    private var random: Seeded
    private var round = 0
    private var steps: [String] = []
    private var lastSteps: [String] = []
    private var player: RoundActor?
    private var playerStart = Date()

    init(seed: UInt64) throws {
        self.seed = seed
        random = Seeded(seed: seed)
        stage = try Stage()
        _ = try stage.tone(seconds: 60, named: "a.wav", level: Self.playerLevel)
        for (name, level) in [("b.wav", Self.partnerLevel), ("quiet.wav", 0)] {
            _ = try stage.tone(seconds: 30, named: name, level: level)
            _ = try stage.tone(seconds: 0.25, named: "short-\(name)", level: level)
        }
    }

    // MARK: Rounds

    func run() throws {
        round += 1
        (lastSteps, steps) = (steps, [])
        let kind = draw(
            [.encounter, .encounter, .encounter, .encounter, .playerKilled, .newcomer, .sameMoment] as [Kind])
        do {
            switch kind {
            case .encounter: try meet()
            case .playerKilled: try losePlayer()
            case .newcomer: try renewPlayerBesidePartner()
            case .sameMoment: try startTogether()
            }
        } catch {
            throw Failure(
                description: "seed \(seed), round \(round) (\(kind)): \(error)\n"
                    + "Steps: \(lastSteps.joined(separator: ", ")), | \(steps.joined(separator: ", "))\n"
                    + "The player (\(player.map { "\($0.role)" } ?? "none")) has told, the last ones of this round: "
                    + "\(player?.run.story.suffix(12) ?? [])")
        }
        counts[kind, default: 0] += 1
    }

    /// The player leaves, and with it the last claim.
    func end() throws {
        if let player { try finish(player, .leaves) }
        try expect(level: Self.silence, claims: 0)
    }

    /// A partner comes, has its effect, and goes.
    private func meet() throws {
        let player = try playerAtWork()
        let role = draw(RoundActor.Role.allCases)
        let ending = draw(Ending.allCases)
        let isInterrupted = role.interrupts(player.role)
        let partner = try start(role, isHeard: isInterrupted, isShort: ending == .runsOut)
        try partner.wait(for: partner.playing)
        // A short one may have ended before anybody looks.
        if ending != .runsOut {
            if isInterrupted { try player.wait(for: player.paused, RoundActor.began) }
            let level =
                isInterrupted ? partner.level : role == .ducking ? Self.exactly(Self.playerLevel * 0.2) : player.level
            try expect(level: level, claims: isInterrupted ? 1 : 2)
        }
        try finish(partner, ending)
        try expect(player, after: ending, ofInterruptingPartner: isInterrupted)
        // Music in the background hears of those that want to be alone.
        let hasHints = player.role.isMixable && !role.isMixable
        if hasHints { try player.wait(for: "hint ends") }
        try check(player.hints == (hasHints ? ["hint begins", "hint ends"] : []), "hints: \(player.hints)")
        player.forgetNews()
    }

    /// The player is killed while another has the sound.
    private func losePlayer() throws {
        let partner = try interrupt(by: draw([.exclusive, .soloAmbient, .spoken, .voiceChat, .call]))
        try kill()
        try expect(level: partner.level, claims: 1)
        try finish(partner, draw([.leaves, .isKilled]))
        try expect(level: Self.silence, claims: 0)
    }

    /// As before, and its successor comes while the other is still there.
    private func renewPlayerBesidePartner() throws {
        let partner = try interrupt(by: draw([.exclusive, .soloAmbient, .spoken, .voiceChat]))
        try kill()
        partner.forgetNews()
        if partner.role.isCallLike {
            let refused = try start(.exclusive, file: "a.wav", level: Self.playerLevel)
            try check(try refused.run.waitForEnd() == .exited(1), "the end of the refused one")
            try check(refused.run.story.contains("error insufficientPriority"), "a refusal")
            try check(!refused.run.story.contains(refused.playing), "a refused one does not play")
            try expect(level: partner.level, claims: 1)
            try check(partner.news == [], "the call is not disturbed")
            try finish(partner, draw([.leaves, .isKilled]))
            return try expect(level: Self.silence, claims: 0)
        }
        let successor = try startPlayer(draw([.exclusive, .spoken]))
        try partner.wait(for: partner.paused, RoundActor.began)
        try expect(level: successor.level, claims: 1)
        if draw([true, false]) {
            // An interrupted one that goes disturbs nobody.
            try finish(partner, draw([.leaves, .isKilled]))
            try expect(level: successor.level, claims: 1)
            try check(successor.playerNews == [] && successor.interruptionNews == [], "a quiet end")
        } else {
            let ending = draw([Ending.leaves, .isKilled])
            try finish(successor, ending)
            player = nil
            try expect(partner, after: ending, ofInterruptingPartner: true)
            try finish(partner, .leaves)
            try expect(level: Self.silence, claims: 0)
        }
    }

    /// Two that begin at once have one winner, and both know which.
    private func startTogether() throws {
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
        (self.player, playerStart) = (player, Date())
        let pair = [player, partner]
        try until("one of two has lost, and one plays") {
            pair.count { $0.news.contains(RoundActor.began) } == 1
                && pair.allSatisfy {
                    $0.playerNews.last == ($0.news.contains(RoundActor.began) ? $0.paused : $0.playing)
                }
        }
        let loser = player.news.contains(RoundActor.began) ? player : partner
        let winner = loser === player ? partner : player
        try expect(level: winner.level, claims: 1)
        try check(winner.interruptionNews == [] && loser.interruptionNews == [RoundActor.began], "one loser")
        loser.forgetNews()
        // For `expect(_:after:)`: what it has told of the beginning.
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
        loser.forgetNews()
        if loser === partner || ending == .isKilled {
            try finish(loser, .leaves)
            self.player = nil
        }
    }

    // MARK: Parts of rounds

    /// A player that sounds at its level, alone.
    private func playerAtWork() throws -> RoundActor {
        if let player, Date().timeIntervalSince(playerStart) > Self.playerSeconds {
            try finish(player, .leaves)
            self.player = nil
        }
        if let player { return player }
        return try startPlayer(draw([.exclusive, .exclusive, .spoken, .mixing]))
    }

    private func startPlayer(_ role: RoundActor.Role) throws -> RoundActor {
        let player = try start(role, file: "a.wav", level: Self.playerLevel)
        (self.player, playerStart) = (player, Date())
        try player.wait(for: player.playing)
        try expect(level: player.level, claims: nil)
        player.forgetNews()
        return player
    }

    /// A partner that has interrupted the player; the player's news are forgotten.
    private func interrupt(by role: RoundActor.Role) throws -> RoundActor {
        if let player, player.role.isMixable {
            try finish(player, .leaves)
            self.player = nil
        }
        let player = try player ?? startPlayer(draw([.exclusive, .spoken]))
        let partner = try start(role, isHeard: true)
        try partner.wait(for: partner.playing)
        try player.wait(for: player.paused, RoundActor.began)
        player.forgetNews()
        return partner
    }

    private func kill() throws {
        guard let player else { return }
        try finish(player, .isKilled)
        self.player = nil
    }

    private func start(_ role: RoundActor.Role, isHeard: Bool, isShort: Bool = false) throws -> RoundActor {
        // The ring is loud, and a length of its own ends it: a quiet call is a player with a call's session.
        if role == .call && isHeard {
            steps.append("call")
            let run = try stage.run("call", "--duration", isShort ? "0.25" : "30", "--events", "json")
            // It rings with pauses. Both tones together peak at 0.355, far below the player.
            return RoundActor(role, run, file: "ring tone", level: 0...0.3551)
        }
        let file = (isShort ? "short-" : "") + (isHeard ? "b.wav" : "quiet.wav")
        return try start(role == .call ? .voiceChat : role, file: file, level: isHeard ? Self.partnerLevel : 0)
    }

    private func start(_ role: RoundActor.Role, file: String, level: Float) throws -> RoundActor {
        steps.append("\(role) \(file)")
        let arguments = ["play", stage.directory.path(file), "--events", "json"] + role.arguments
        let run = try ToolRun(arguments, environment: stage.environment)
        return RoundActor(role, run, file: file, level: level...level)
    }

    private func finish(_ actor: RoundActor, _ ending: Ending) throws {
        steps.append("\(actor.role) \(ending)")
        switch ending {
        case .leaves: actor.run.send(SIGTERM)
        case .isKilled:
            actor.run.send(SIGKILL)
            killCount += 1
        case .runsOut: break
        }
        let expected: ToolRun.Ending = ending == .isKilled ? .killed(bySignal: SIGKILL) : .exited(0)
        let end = try actor.run.waitForEnd()
        try check(end == expected, "\(actor.role) ended: \(end), \(actor.run.errors)")
        guard ending != .isKilled else { return }
        let faults = try actor.run.faults()
        try check(faults == [] && actor.run.errors == "", "\(actor.role): \(faults) \(actor.run.errors)")
    }

    /// Where the rules want the player now that its partner is gone.
    private func expect(_ actor: RoundActor, after ending: Ending, ofInterruptingPartner isInterrupted: Bool) throws {
        if !isInterrupted {
            try expect(level: actor.level, claims: 1)
            try check(actor.playerNews == [] && actor.interruptionNews == [], "nothing has happened: \(actor.news)")
        } else if ending == .isKilled {
            try actor.wait(for: RoundActor.noResume)
            try expect(level: Self.silence, claims: 0)
            try check(
                actor.interruptionNews == [RoundActor.began, RoundActor.noResume]
                    && !actor.playerNews.contains(actor.playing), "no resume: \(actor.news)")
            if actor === player {
                // Nobody is there to press play.
                try finish(actor, draw([.leaves, .isKilled]))
                player = nil
            }
        } else {
            try actor.wait(for: RoundActor.resume, actor.playing)
            try expect(level: actor.level, claims: 1)
            try check(
                actor.interruptionNews == [RoundActor.began, RoundActor.resume]
                    && actor.playerNews == [actor.paused, actor.playing], "resumed: \(actor.news)")
            resumeCount += 1
        }
    }

    /// Waits until the meter's peak is within the range, and stays; and until there are so many claims on the board.
    private func expect(level: ClosedRange<Float>, claims: Int?) throws {
        if let claims {
            try stage.server.waitUntil("\(claims) claims on the board") { graph in
                graph.nodes.count { $0.name == "audiosession.claim" } == claims
            }
        }
        var peaks: [Float] = []
        try until("a peak of \(level); the last ones: \(peaks.suffix(5))") {
            peaks.append(stage.headset.meter.reading.peak)
            return peaks.count > 1 && peaks.suffix(2).allSatisfy(level.contains)
        }
    }

    /// Asks after each window of the meter, which counts anew.
    private func until(_ what: @autoclosure () -> String, _ isThere: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 10)
        while true {
            stage.headset.meter.mark()
            try stage.headset.meter.wait(frames: Self.windowFrames)
            if try isThere() { return }
            guard Date() < deadline else { throw Failure(description: "waited 10 s in vain for \(what())") }
        }
    }

    private func check(_ isTrue: Bool, _ what: String) throws {
        if !isTrue { throw Failure(description: "not so: \(what)") }
    }

    private func draw<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }

    /// A product of two floats, and what rounding may add.
    private static func exactly(_ level: Float) -> ClosedRange<Float> { level - 2 * level.ulp...level + 2 * level.ulp }
}
