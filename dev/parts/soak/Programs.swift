import ArgumentParser
import Foundation
import TestSupport

struct Programs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start 4 to 8 programs, players and calls, and end them in any order: the newest player plays.")

    @Argument(help: "How often.")
    var count: Int
    @Option(help: "Chooses what is random.")
    var seed = UInt64.random(in: 0...UInt64.max)

    func run() throws {
        report("seed \(seed)")
        try Soak.run { [count, seed] in
            let machine = try Machine()
            let tone = try machine.tone(seconds: 120, named: "tone.wav")
            var random = Seeded(seed: seed)
            var counts = ProgramRound.Counts()
            for number in 1...count {
                let round = ProgramRound(number, on: machine, tone: tone)
                do {
                    try round.run(using: &random)
                } catch {
                    throw Failure(description: "seed \(seed): \(error)")
                }
                counts.add(round.counts)
                if number % 50 == 0 { report("\(number) rounds, \(counts)") }
            }
            report("\(count) rounds with \(counts): none stuck, no lost resume")
        }
    }
}

/// Players that interrupt each other, and calls of programs without a session.
private final class ProgramRound {
    struct Counts: CustomStringConvertible {
        var players = 0
        var calls = 0
        var refused = 0
        var killed = 0

        mutating func add(_ other: Counts) {
            players += other.players
            calls += other.calls
            refused += other.refused
            killed += other.killed
        }

        var description: String { "\(players) players, \(calls) calls, \(refused) refused, \(killed) killed" }
    }

    private(set) var counts = Counts()
    private let number: Int
    private let machine: Machine
    private let tone: String
    /// The newest player has the sound, or will have it after the call; those below wait for it.
    private var pile: [Program] = []
    private var call: Process?
    private var steps: [String] = []

    init(_ number: Int, on machine: Machine, tone: String) {
        self.number = number
        self.machine = machine
        self.tone = tone
    }

    deinit { endCall(by: SIGKILL) }

    func run(using random: inout Seeded) throws {
        let programs = Int.random(in: 4...8, using: &random)
        try startPlayer()
        try startPlayer()
        while counts.players + counts.calls < programs {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<2: try startPlayer()
            case 2..<5 where call == nil: try beginCall()
            case 2: try meetCallsEnd(afterMilliseconds: Int.random(in: 0...500, using: &random))
            case 3: try killRefusedPlayer(afterMilliseconds: Int.random(in: 0...500, using: &random))
            case 4..<6: try endCall(isKilled: Bool.random(using: &random))
            default: try endPlayer(using: &random)
            }
        }
        try endCall(isKilled: Bool.random(using: &random))
        while pile.count > 1 { try endPlayer(using: &random) }
        pile[0].end(by: SIGTERM)
    }

    private func step(_ text: String) { steps.append(text) }

    private func check() throws {
        let expected = pile.map { $0 === pile.last && call == nil ? "playing" : "paused" }
        try wait("\(expected), not \(states)") { states == expected }
    }

    private var states: [String] { pile.map { $0.isRunning ? $0.state ?? "none" : "ended" } }

    private func wait(_ what: @autoclosure () -> String, _ holds: () -> Bool) throws {
        try until("round \(number), \(what()); steps: \(steps.joined(separator: ", "))", holds)
    }

    private func makePlayer() throws -> Program {
        counts.players += 1
        return try machine.start(["play", tone, "--events", "json"])
    }

    /// It plays; during a call it is refused.
    private func startPlayer() throws {
        step("player")
        let player = try makePlayer()
        if call == nil { pile.append(player) } else { try expectRefusal(of: player) }
        try check()
    }

    private func expectRefusal(of player: Program) throws {
        step("refused")
        try wait("a refusal: \(player.output)") { !player.isRunning }
        guard player.waitForEnd() == 1, player.output.contains("insufficientPriority") else {
            throw Failure(description: "round \(number): not refused: \(player.output)")
        }
        counts.refused += 1
    }

    private func beginCall() throws {
        step("call")
        call = try machine.server.play(role: "Communication")
        counts.calls += 1
        try check()
    }

    private func endCall(isKilled: Bool) throws {
        guard call != nil else { return }
        step("call ends")
        endCall(by: isKilled ? SIGKILL : SIGTERM)
        try check()
    }

    private func endCall(by signal: Int32) {
        guard let call else { return }
        kill(call.processIdentifier, signal)
        call.waitUntilExit()
        self.call = nil
    }

    /// A player starts while the call ends.
    ///
    /// It is refused, or it meets the one that resumes: the later of the two plays.
    private func meetCallsEnd(afterMilliseconds delay: Int) throws {
        step("player meets the call's end after \(delay) ms")
        let player = try makePlayer()
        Thread.sleep(forTimeInterval: Double(delay) / 1000)
        endCall(by: SIGTERM)
        try wait("a refusal or a player: \(player.output)") { !player.isRunning || player.state != nil }
        guard player.isRunning else {
            try expectRefusal(of: player)
            return try check()
        }
        // Who of the two is later shows when neither changes any more.
        Thread.sleep(forTimeInterval: 1)
        pile.insert(player, at: pile.last?.state == "playing" ? pile.count - 1 : pile.count)
        try check()
    }

    private func killRefusedPlayer(afterMilliseconds delay: Int) throws {
        step("player killed after \(delay) ms")
        let player = try makePlayer()
        Thread.sleep(forTimeInterval: Double(delay) / 1000)
        player.end(by: SIGKILL)
        counts.killed += 1
        try check()
    }

    /// One that is killed while it plays gives the sound back to none.
    private func endPlayer(using random: inout Seeded) throws {
        guard pile.count > 1 else { return }
        let index = Int.random(in: 0..<pile.count, using: &random)
        let isKilled = (index < pile.count - 1 || call != nil) && Bool.random(using: &random)
        step("player \(index) \(isKilled ? "killed" : "ends")")
        pile.remove(at: index).end(by: isKilled ? SIGKILL : SIGTERM)
        if isKilled { counts.killed += 1 }
        try check()
    }
}
