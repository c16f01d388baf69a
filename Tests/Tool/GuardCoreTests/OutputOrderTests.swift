import AudioModel
import GuardCore
import Testing

struct OutputOrderTests {
    private static func outputs(_ ranking: SinkRanking) -> GuardOutputs {
        let priorities: KeyValuePairs = ["speaker": 1009, "hdmi": 750, "headset": 1010]
        return GuardOutputs(
            outputs: priorities.map {
                GuardOutput(sink: $0.key, uid: $0.key, name: $0.key, kind: .headphones, priority: $0.value)
            }, defaultSink: .sink("headset"), ranking: ranking)
    }

    @Test(arguments: SinkRanking.Rules.allCases)
    func nothingWasChosen_prioritiesDecide(rules: SinkRanking.Rules) {
        let order = OutputOrder(Self.outputs(SinkRanking(rules: rules)))
        #expect(order.places.map(\.sink) == ["headset", "speaker", "hdmi"])
        #expect(order.places.allSatisfy { $0.reason == .priority && $0.output != nil })
    }

    @Test(arguments: SinkRanking.Rules.allCases)
    func choicesAreAboveAll_alsoOfWhatIsNotConnected(rules: SinkRanking.Rules) {
        let order = OutputOrder(
            Self.outputs(SinkRanking(rules: rules, configured: "gone", stored: ["gone", "hdmi"])),
            priorities: ["speaker": 1590])
        #expect(order.places.map(\.sink) == ["gone", "hdmi", "speaker", "headset"])
        #expect(order.places.map(\.reason) == [.chosen, .chosenBefore, .priority, .priority])
        #expect(order.places.map { $0.output != nil } == [false, true, true, true])
        #expect(order.places.map(\.priority) == [0, 750, 1590, 1010])
    }

    /// 0.5 adds the priority to nearly the same number for all that were chosen before; 0.4 has the last choice first.
    @Test func chosenBefore_isRankedAsEachVersionDoes() {
        func sinks(_ rules: SinkRanking.Rules) -> [String] {
            OutputOrder(Self.outputs(SinkRanking(rules: rules, stored: ["hdmi", "speaker"]))).places.map(\.sink)
        }
        #expect(sinks(.wirePlumber04) == ["hdmi", "speaker", "headset"])
        #expect(sinks(.wirePlumber05) == ["speaker", "hdmi", "headset"])
        #expect(sinks(.wirePlumber0511) == ["speaker", "hdmi", "headset"])
        #expect(sinks(.wirePlumber0518) == ["hdmi", "speaker", "headset"])
    }

    @Test func aSinkOfTwoPorts_hasOnePlace() {
        var outputs = Self.outputs(SinkRanking())
        outputs.outputs.append(
            GuardOutput(sink: "speaker", uid: "jack", name: "jack", kind: .headphones, isActive: false, priority: 1009))
        #expect(OutputOrder(outputs).places.compactMap(\.output?.uid) == ["headset", "speaker", "hdmi"])
    }
}
