import AudioModel
import EngineCore
import Testing

@Suite struct MixMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var from: [ChannelLabel]
        var to: [ChannelLabel]
        var matrix: [Float]
        var testDescription: String { name }
    }

    private static let stereo: [ChannelLabel] = [.left, .right]
    private static let surround = ChannelLabel.standard(count: 6)
    private static let surround7 = ChannelLabel.standard(count: 8)
    private static let quad = ChannelLabel.standard(count: 4)
    /// -3 dB.
    private static let h: Float = 0.707107

    static let rows: [Row] = [
        Row(name: "mono", from: [.mono], to: [.mono], matrix: [1]),
        Row(name: "stereo", from: stereo, to: stereo, matrix: [1, 0, 0, 1]),
        Row(name: "stereo swapped", from: stereo, to: [.right, .left], matrix: [0, 1, 1, 0]),
        Row(name: "one channel to itself", from: [.lowFrequency], to: [.lowFrequency], matrix: [1]),
        Row(name: "mono to stereo", from: [.mono], to: stereo, matrix: [1, 1]),
        Row(name: "mono to 5.1", from: [.mono], to: surround, matrix: [1, 1, 0, 0, 0, 0]),
        Row(
            name: "mono to anonymous", from: [.mono], to: [.discrete(0), .discrete(1), .discrete(2)], matrix: [1, 1, 0]),
        Row(name: "stereo to mono", from: stereo, to: [.mono], matrix: [0.5, 0.5]),
        Row(name: "stereo to one anonymous", from: stereo, to: [.discrete(0)], matrix: [0.5, 0.5]),
        Row(name: "stereo to centre only", from: stereo, to: [.center], matrix: [0.5, 0.5]),
        Row(name: "stereo to 5.1", from: stereo, to: surround, matrix: [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        Row(
            name: "stereo to anonymous", from: stereo, to: [.discrete(0), .discrete(1), .discrete(2)],
            matrix: [1, 0, 0, 1, 0, 0]),
        Row(
            name: "stereo to two stereo ports", from: stereo, to: stereo + stereo,
            matrix: [1, 0, 0, 1, 0, 0, 0, 0]),
        Row(
            name: "4.0 to stereo", from: quad, to: stereo,
            matrix: [1, 0, h, 0, 0, 1, 0, h]),
        Row(name: "4.0 to mono", from: quad, to: [.mono], matrix: [0.5, 0.5, h / 2, h / 2]),
        Row(
            name: "5.1 to stereo", from: surround, to: stereo,
            matrix: [1, 0, h, 0, h, 0, 0, 1, h, 0, 0, h]),
        Row(name: "5.1 to mono", from: surround, to: [.mono], matrix: [0.5, 0.5, h, 0, h / 2, h / 2]),
        Row(
            name: "7.1 to stereo", from: surround7, to: stereo,
            matrix: [1, 0, h, 0, h, 0, h, 0, 0, 1, h, 0, 0, h, 0, h]),
        Row(
            name: "rear centre to stereo", from: [.left, .right, .rearCenter], to: stereo,
            matrix: [1, 0, 0.5, 0, 1, 0.5]),
        Row(
            name: "5.1 to anonymous pair", from: surround, to: [.discrete(0), .discrete(1)],
            matrix: [1, 0, h, 0, h, 0, 0, 1, h, 0, 0, h]),
        Row(
            name: "anonymous to stereo", from: [.discrete(0), .discrete(1), .discrete(2)], to: stereo,
            matrix: [1, 0, 0, 0, 1, 0]),
        Row(
            name: "anonymous to mono", from: [.discrete(0), .discrete(1), .discrete(2), .discrete(3)], to: [.mono],
            matrix: [0.25, 0.25, 0.25, 0.25]),
        Row(name: "places that do not meet", from: stereo, to: [.lowFrequency, .rearCenter], matrix: [1, 0, 0, 1]),
        Row(name: "nothing to play", from: [], to: stereo, matrix: []),
        Row(name: "nowhere to play", from: stereo, to: [], matrix: []),
    ]

    @Test(arguments: rows) func matrix_isTheRow(row: Row) {
        let matrix = MixMatrix.compile(from: row.from, to: row.to)
        #expect(matrix.count == row.matrix.count)
        // The rows are written to six digits.
        #expect(zip(matrix, row.matrix).allSatisfy { abs($0 - $1) < 1e-6 }, "\(matrix)")
    }

    @Test func severalPorts_haveApplesDefaultMap() {
        let ports = [Self.quad, Self.stereo, [.mono]]
        #expect(
            MixMatrix.compile(from: Self.stereo, toPorts: ports) == [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        // Also where only the second has the source's places.
        let anonymous: [ChannelLabel] = [.discrete(0), .discrete(1)]
        #expect(MixMatrix.compile(from: Self.stereo, toPorts: [anonymous, Self.stereo]) == [1, 0, 0, 1, 0, 0, 0, 0])
        #expect(MixMatrix.compile(from: [.mono], toPorts: [Self.stereo, Self.stereo]) == [1, 1, 0, 0])
        #expect(MixMatrix.compile(from: [.mono], toPorts: [[.mono], Self.stereo]) == [1, 0, 0])
        // Half of a pair sounds on no other device.
        #expect(MixMatrix.compile(from: Self.stereo, toPorts: [[.mono], Self.stereo]) == [1, 0, 0, 0, 0, 0])
        // What has more is folded down to a pair, not spread by labels over several rooms.
        let fold = MixMatrix.compile(from: ChannelLabel.standard(count: 6), to: Self.stereo)
        #expect(
            MixMatrix.compile(from: ChannelLabel.standard(count: 6), toPorts: [Self.stereo, Self.quad])
                == fold + [Float](repeating: 0, count: 24))
        #expect(MixMatrix.compile(from: Self.stereo, toPorts: []) == [])
        #expect(MixMatrix.compile(from: [], toPorts: ports) == [])
    }

    @Test func onePort_isMixedByLabels() {
        for labels in [Self.stereo, Self.quad, [.mono]] {
            let byLabels = MixMatrix.compile(from: Self.stereo, to: labels)
            #expect(MixMatrix.compile(from: Self.stereo, toPorts: [labels]) == byLabels)
        }
    }

    @Test func identity_isExact() {
        for count in 1...32 {
            let labels = ChannelLabel.standard(count: count)
            let identity = (0..<count * count).map { $0 / count == $0 % count ? Float(1) : 0 }
            #expect(MixMatrix.compile(from: labels, to: labels) == identity)
        }
    }

    /// What a converter writes into a file.
    @Test func fullScale_canNotClip() {
        for sources in 1...10 {
            for outputs in 1...10 {
                let matrix = MixMatrix.normalised(
                    MixMatrix.compile(
                        from: ChannelLabel.standard(count: sources), to: ChannelLabel.standard(count: outputs)),
                    columns: sources)
                for row in 0..<outputs {
                    // One rounding for each term of the sum.
                    #expect(matrix[row * sources..<(row + 1) * sources].reduce(0, +) <= 1 + Float(sources) * .ulpOfOne)
                }
            }
        }
    }
}
