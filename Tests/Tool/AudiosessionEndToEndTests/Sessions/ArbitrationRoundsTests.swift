import Foundation
import Testing

/// Two hundred random rounds of real processes on one private PipeWire.
@Suite("audiosession processes that meet again and again", .ownThread, .serialized)
struct ArbitrationRoundsTests {
    /// `AUDIOSESSION_TEST_SEED` repeats the rounds of a failed run; otherwise each run has its own.
    private static let seed =
        ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    @Test func twoHundredRounds_withRandomKills_endInTheStateTheRulesSay() throws {
        let rounds = try ArbitrationRounds(seed: Self.seed)
        for _ in 0..<200 { try rounds.run() }
        try rounds.end()
        // Every kind of round must have run.
        let missing = ArbitrationRounds.Kind.allCases.filter { rounds.counts[$0, default: 0] == 0 }
        #expect(missing.isEmpty, "seed \(Self.seed): none of \(missing)")
        #expect(rounds.resumeCount > 20 && rounds.killCount > 20, "seed \(Self.seed)")
        print("rounds: \(rounds.counts), \(rounds.resumeCount) resumed, \(rounds.killCount) kills")
    }
}
