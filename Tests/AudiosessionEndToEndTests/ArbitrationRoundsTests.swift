import Foundation
import Testing

/// Two hundred encounters of real processes on one private PipeWire, drawn at random.
@Suite("audiosession processes that meet again and again", .ownThread, .serialized)
struct ArbitrationRoundsTests {
    /// `AUDIOSESSION_TEST_SEED` brings a failed run's encounters back; else each run draws its own.
    private static let seed =
        ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    @Test func twoHundredRounds_withRandomKills_endInTheStateTheRulesSay() throws {
        let rounds = try ArbitrationRounds(seed: Self.seed)
        for _ in 0..<200 { try rounds.run() }
        try rounds.end()
        // All that can happen did: otherwise the test says less than its name.
        let missing = ArbitrationRounds.Kind.allCases.filter { rounds.counts[$0, default: 0] == 0 }
        #expect(missing.isEmpty, "seed \(Self.seed): none of \(missing)")
        #expect(rounds.resumeCount > 20 && rounds.killCount > 20, "seed \(Self.seed)")
        print("rounds: \(rounds.counts), \(rounds.resumeCount) resumed, \(rounds.killCount) kills")
    }
}
