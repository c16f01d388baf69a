import GuardCore
import Testing

@testable import HostPipeWire

struct WirePlumberRankingTests {
    private static let file = """
        [default-nodes]
        default.configured.audio.sink=usb
        default.configured.audio.sink.0=usb
        default.configured.audio.sink.1=speaker
        default.configured.audio.source=mic
        """

    @Test func storedSinks_areReadAsEachVersionCountsThem() {
        #expect(WirePlumberRanking.storedSinks(.wirePlumber04, inFile: Self.file) == ["usb", "speaker"])
        #expect(WirePlumberRanking.storedSinks(.wirePlumber05, inFile: Self.file) == ["usb", "usb", "speaker"])
        #expect(WirePlumberRanking.storedSinks(.wirePlumber05, inFile: "") == [])
    }

    @Test func unknownProcess_hasTheNewerRules() {
        #expect(WirePlumberRanking.rules(ofProcess: 0) == .wirePlumber05)
        #expect(WirePlumberRanking.rules(ofProcess: UInt32.max) == .wirePlumber05)
    }
}
