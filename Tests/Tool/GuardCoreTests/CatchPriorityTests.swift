import AudioModel
import GuardCore
import Testing

struct CatchPriorityTests {
    private static func outputs(
        _ priorities: KeyValuePairs<String, Int>, default name: String, _ ranking: SinkRanking
    ) -> GuardOutputs {
        GuardOutputs(
            outputs: priorities.map {
                GuardOutput(sink: $0.key, uid: $0.key, name: $0.key, kind: .headphones, priority: $0.value)
            }, defaultSink: .sink(name), ranking: ranking)
    }

    private static let plain: KeyValuePairs = ["headphones": 1500, "speaker": 500]
    private static let equal: KeyValuePairs = ["headphones": 1009, "speaker": 1009]
    private static let adjacent: KeyValuePairs = ["headphones": 1009, "speaker": 1008]

    @Test(arguments: SinkRanking.Rules.allCases)
    func justAboveTheNext(rules: SinkRanking.Rules) {
        let ranking = SinkRanking(rules: rules)
        func priority(_ priorities: KeyValuePairs<String, Int>) -> Int? {
            CatchPriority.priority(for: Self.outputs(priorities, default: "headphones", ranking))
        }
        #expect(priority(Self.plain) == 501)
        #expect(priority(Self.equal) == nil)
        #expect(priority(Self.adjacent) == nil)
        #expect(priority(["headphones": 1500]) == 1)
    }

    @Test func configuredDefault_outranksWhatWasStored() {
        for (rules, priority) in [(SinkRanking.Rules.wirePlumber04, 321_010), (.wirePlumber05, 21_010)] {
            let ranking = SinkRanking(rules: rules, configured: "headphones", stored: ["speaker"])
            #expect(
                CatchPriority.priority(for: Self.outputs(Self.equal, default: "headphones", ranking)) == priority)
        }
    }

    @Test func storedDefault_ranksByItsPlace() {
        let ranking = SinkRanking(rules: .wirePlumber04, stored: ["gone", "headphones", "speaker"])
        #expect(CatchPriority.priority(for: Self.outputs(Self.equal, default: "headphones", ranking)) == 281_010)
        let newer = SinkRanking(rules: .wirePlumber05, stored: ["headphones", "speaker"])
        #expect(CatchPriority.priority(for: Self.outputs(Self.equal, default: "headphones", newer)) == nil)
    }

    /// Each of the 16 newest that were chosen before ranks above the next, and the seventeenth as if it had not been chosen.
    @Test func severalStoredDefaults_ofWirePlumber04_rankInTheirOrder() {
        let stored = (0..<17).map { "sink\($0)" }
        let ranking = SinkRanking(rules: .wirePlumber04, configured: "sink0", stored: stored)
        let scores = (stored + ["other"]).map { ranking.score(ofSink: $0, priority: 9) }
        #expect(scores == [340_009] + (1..<16).map { 320_009 - 20_000 * $0 } + [9, 9])
        let withoutChoice = SinkRanking(rules: .wirePlumber04, stored: stored)
        #expect(withoutChoice.score(ofSink: "sink0", priority: 9) == 320_009)
        let forgotten = SinkRanking(rules: .wirePlumber04, configured: "c", stored: ["a", "c", "b"]).forgotten
        #expect(forgotten.stored == ["c", "a", "b"] && forgotten.configured == nil)
        #expect(SinkRanking(rules: .wirePlumber05, configured: "c", stored: ["a", "c"]).forgotten.stored == [])
    }

    /// From 0.5.11 on, no priority outranks what its user has chosen; where no other output was chosen, it is as before.
    @Test(arguments: [SinkRanking.Rules.wirePlumber0511, .wirePlumber0518])
    func otherOutputThatWasChosen_leavesNoRoom(rules: SinkRanking.Rules) {
        func priority(_ configured: String?, _ stored: [String]) -> Int? {
            let ranking = SinkRanking(rules: rules, configured: configured, stored: stored)
            return CatchPriority.priority(for: Self.outputs(Self.plain, default: "headphones", ranking))
        }
        #expect(priority("headphones", ["headphones", "speaker"]) == nil)
        #expect(priority("headphones", ["headphones", "gone"]) == 501)
        #expect(priority(nil, ["headphones"]) == 501)
    }

    @Test func microphone_isNotDisplaced() {
        func priority(_ source: Int, configured: String? = nil, stored: [String] = []) -> Int? {
            let ranking = SinkRanking(
                rules: .wirePlumber04, configured: configured, stored: stored, sourcePriority: source)
            return CatchPriority.priority(for: Self.outputs(Self.plain, default: "headphones", ranking))
        }
        #expect(priority(2000) == 501)
        #expect(priority(501) == nil)
        #expect(priority(2000, configured: "headphones") == 501)
        #expect(priority(2000, configured: "headphones", stored: ["headphones", "speaker"]) == nil)
    }

    @Test func defaultThatTheRulesDoNotExplain_hasNone() {
        let ranking = SinkRanking()
        #expect(CatchPriority.priority(for: Self.outputs(Self.plain, default: "speaker", ranking)) == nil)
        #expect(CatchPriority.priority(for: GuardOutputs(defaultSink: .catch)) == nil)
    }
}
