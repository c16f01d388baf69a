import Foundation
import PipeWireRig
import TestAudio
import TestSupport

/// One player that runs for many rounds, and partners that start and stop, on one server.
///
/// Each round ends with a check of the whole state.
///
/// The player's tone has a peak of exactly 0.5, a partner's 0.125: the meter's peak says who plays, and at which level.
/// If both may play, the partner's file is silent.
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
    var resumeCount = 0
    private(set) var killCount = 0

    static let playerLevel: Float = 0.5
    private static let partnerLevel: Float = 0.125
    static let silence: ClosedRange<Float> = 0...0
    /// Two cycles: the meter receives whole cycles.
    private static let windowFrames = 2048
    /// The player's file is a minute long.
    private static let playerSeconds = 40.0
    /// Of a short file: a player that does not run for longer than this never knows that it was there.
    private static let shortSeconds = 0.5

    private let machine: TestMachine
    private let seed: UInt64
    private var random: Seeded
    private var round = 0
    private var steps: [String] = []
    private var lastSteps: [String] = []
    var player: RoundActor? { didSet { playerStart = Date() } }
    private var playerStart = Date()

    init(seed: UInt64) throws {
        self.seed = seed
        random = Seeded(seed: seed)
        machine = try TestMachine()
        _ = try machine.tone(seconds: 60, named: "a.wav", level: Self.playerLevel)
        for (name, level) in [("b.wav", Self.partnerLevel), ("quiet.wav", 0)] {
            _ = try machine.tone(seconds: 30, named: name, level: level)
            _ = try machine.tone(seconds: Self.shortSeconds, named: "short-\(name)", level: level)
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
                    + "Last events of the player (\(player.map { "\($0.role)" } ?? "none")): "
                    + "\(player?.run.story.suffix(12) ?? [])")
        }
        counts[kind, default: 0] += 1
    }

    /// The player ends, and with it the last claim.
    func end() throws {
        if let player { try finish(player, .leaves) }
        try expect(level: Self.silence, claims: 0)
    }

    // MARK: Parts of rounds

    /// A player that plays alone at its level.
    func playerAtWork() throws -> RoundActor {
        if let player, Date().timeIntervalSince(playerStart) > Self.playerSeconds {
            try finish(player, .leaves)
            self.player = nil
        }
        if let player { return player }
        return try startPlayer(draw([.exclusive, .exclusive, .spoken, .mixing]))
    }

    func startPlayer(_ role: RoundActor.Role) throws -> RoundActor {
        let player = try start(role, file: "a.wav", level: Self.playerLevel)
        self.player = player
        try player.wait(for: player.playing)
        try expect(level: player.level, claims: nil)
        player.forgetEvents()
        return player
    }

    /// A partner that has interrupted the player; clears the player's events.
    func interrupt(by role: RoundActor.Role) throws -> RoundActor {
        if let player, player.role.isMixable {
            try finish(player, .leaves)
            self.player = nil
        }
        let player = try player ?? startPlayer(draw([.exclusive, .spoken]))
        let partner = try start(role, isHeard: true)
        try partner.wait(for: partner.playing)
        try player.wait(for: player.paused, RoundActor.began)
        player.forgetEvents()
        return partner
    }

    func kill() throws {
        guard let player else { return }
        try finish(player, .isKilled)
        self.player = nil
    }

    func start(_ role: RoundActor.Role, isHeard: Bool, isShort: Bool = false) throws -> RoundActor {
        // The ring tone is loud and has its own length: a quiet call is a player with a call's session.
        if role == .call && isHeard {
            steps.append("call")
            let run = try machine.run("call", "--duration", isShort ? "\(Self.shortSeconds)" : "30", "--events", "json")
            // It rings with pauses. Both tones together have a peak of 0.355, far below the player.
            return RoundActor(role, run, file: "ring tone", level: 0...0.3551)
        }
        let file = (isShort ? "short-" : "") + (isHeard ? "b.wav" : "quiet.wav")
        return try start(role == .call ? .voiceChat : role, file: file, level: isHeard ? Self.partnerLevel : 0)
    }

    func start(_ role: RoundActor.Role, file: String, level: Float) throws -> RoundActor {
        steps.append("\(role) \(file)")
        let arguments = ["play", machine.directory.path(file), "--events", "json"] + role.arguments
        let run = try ToolRun(arguments, environment: machine.environment)
        return RoundActor(role, run, file: file, level: level...level)
    }

    func finish(_ actor: RoundActor, _ ending: Ending) throws {
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

    /// Checks the player's state after the end of its partner.
    func expect(_ actor: RoundActor, after ending: Ending, ofInterruptingPartner isInterrupted: Bool) throws {
        if !isInterrupted {
            try expect(level: actor.level, claims: 1)
            try check(
                actor.playerEvents == [] && actor.interruptionEvents == [], "nothing has happened: \(actor.events)")
        } else if ending == .isKilled {
            try actor.wait(for: RoundActor.noResume)
            try expect(level: Self.silence, claims: 0)
            try check(
                actor.interruptionEvents == [RoundActor.began, RoundActor.noResume]
                    && !actor.playerEvents.contains(actor.playing), "no resume: \(actor.events)")
            if actor === player {
                // There is no user to press play.
                try finish(actor, draw([.leaves, .isKilled]))
                player = nil
            }
        } else {
            try actor.wait(for: RoundActor.resume, actor.playing)
            try expect(level: actor.level, claims: 1)
            try check(
                actor.interruptionEvents == [RoundActor.began, RoundActor.resume]
                    && actor.playerEvents == [actor.paused, actor.playing], "resumed: \(actor.events)")
            resumeCount += 1
        }
    }

    /// Waits until the meter's peak stays within the range, and until there are so many claims.
    ///
    /// - Parameter claims: of those that play and of those that are interrupted; nil: any number.
    func expect(level: ClosedRange<Float>, claims: Int?) throws {
        if let claims {
            try machine.server.waitUntil("\(claims) claims") { graph in
                graph.nodes.count { $0.name == "audiosession.claim" } == claims
            }
        }
        var peaks: [Float] = []
        try until("a peak of \(level); the last ones: \(peaks.suffix(5))") {
            peaks.append(machine.headset.meter.reading.peak)
            return peaks.count > 1 && peaks.suffix(2).allSatisfy(level.contains)
        }
    }

    /// Evaluates the condition after each window of the meter.
    func until(_ what: @autoclosure () -> String, _ isThere: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: ToolRun.deadlineSeconds)
        while true {
            machine.headset.meter.mark()
            try machine.headset.meter.wait(frames: Self.windowFrames)
            if try isThere() { return }
            guard Date() < deadline else {
                throw Failure(description: "timed out after \(ToolRun.deadlineSeconds) s waiting for \(what())")
            }
        }
    }

    func check(_ isTrue: Bool, _ what: String) throws {
        if !isTrue { throw Failure(description: "check failed: \(what)") }
    }

    func draw<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }

    /// The level with a tolerance for rounding: a product of two floats.
    static func exactly(_ level: Float) -> ClosedRange<Float> { level - 2 * level.ulp...level + 2 * level.ulp }
}
