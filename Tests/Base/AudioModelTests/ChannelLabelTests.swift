import AudioModel
import Testing

struct ChannelLabelTests {
    @Test func standardLabels_forEachCount_followTheFileFormatsOrder() {
        let rows: [(count: Int, labels: [ChannelLabel])] = [
            (0, []),
            (1, [.mono]),
            (2, [.left, .right]),
            (3, [.discrete(0), .discrete(1), .discrete(2)]),
            (4, [.left, .right, .rearLeft, .rearRight]),
            (5, [.discrete(0), .discrete(1), .discrete(2), .discrete(3), .discrete(4)]),
            (6, [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight]),
            (8, [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight]),
        ]
        var count = 0
        for row in rows {
            #expect(ChannelLabel.standard(count: row.count) == row.labels, "\(row.count) channels")
            count += 1
        }
        #expect(count == 8)
    }

    @Test func standardLabels_forANegativeCount_areNone() {
        #expect(ChannelLabel.standard(count: -1) == [])
    }

    @Test func standardLabels_forAnyCount_areAsManyAndNoneTwice() {
        for count in 0...64 {
            let labels = ChannelLabel.standard(count: count)
            #expect(labels.count == count)
            #expect(Set(labels).count == count)
        }
    }

    @Test func name_ofADiscreteChannel_countsFromOne() {
        #expect(ChannelLabel.discrete(2).name == "3")
        #expect(ChannelLabel.standard(count: 6).map(\.name).last == "Rear Right")
    }
}
