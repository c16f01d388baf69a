import AudioModel
import EngineCore
import Testing

@Suite struct RouteLayoutTests {
    private static let stereo: [ChannelLabel] = [.left, .right]
    private static let quad: [ChannelLabel] = [.left, .right, .rearLeft, .rearRight]

    struct Row: Sendable, CustomTestStringConvertible {
        let ports: [[ChannelLabel]]
        let sources: Int
        let map: [Int]
        var testDescription: String { "\(sources) channels on \(ports.map(\.count))" }
    }

    static let rows = [
        Row(ports: [stereo, quad], sources: 1, map: [0, 0, -1, -1, -1, -1]),
        Row(ports: [stereo, quad], sources: 2, map: [0, 1, -1, -1, -1, -1]),
        Row(ports: [stereo, quad], sources: 4, map: [0, 1, 2, 3, -1, -1]),
        Row(ports: [stereo, quad], sources: 6, map: [0, 1, 2, 3, 4, 5]),
        Row(ports: [stereo, quad], sources: 8, map: [0, 1, 2, 3, 4, 5]),
        Row(ports: [quad, stereo], sources: 2, map: [0, 1, -1, -1, -1, -1]),
        Row(ports: [[.mono], stereo], sources: 1, map: [0, -1, -1]),
        Row(ports: [[.mono], stereo], sources: 2, map: [0, -1, -1]),
        Row(ports: [[.mono], stereo], sources: 3, map: [0, 1, 2]),
        Row(ports: [stereo, [.mono]], sources: 2, map: [0, 1, -1]),
    ]

    @Test(arguments: rows) func defaultMap_isTheRow(row: Row) {
        #expect(RouteLayout(ports: row.ports).defaultMap(sources: row.sources) == row.map)
    }

    @Test func labels_ofSeveralPorts_areAPairAndNoPlaces() {
        #expect(RouteLayout(ports: [Self.quad]).labels == Self.quad)
        #expect(!RouteLayout(ports: [Self.quad]).hasDefaultMap)
        let several = RouteLayout(ports: [[.mono], Self.quad])
        #expect(several.labels == [.left, .right, .discrete(2), .discrete(3), .discrete(4)])
        #expect(several.hasDefaultMap)
        #expect(RouteLayout(ports: []).labels == [])
    }
}
