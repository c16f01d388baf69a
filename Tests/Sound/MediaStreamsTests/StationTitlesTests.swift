import TestSupport
import Testing

@testable import MediaStreams

/// The titles between the bytes of a station.
@Suite struct StationTitlesTests {
    /// Sound and titles of these bytes, which come in pieces of so many.
    private func take(_ bytes: [UInt8], interval: Int, pieces: Int) throws -> (sound: [UInt8], titles: [String]) {
        var titles = try #require(StationTitles(interval: interval))
        var (sound, found): ([UInt8], [String]) = ([], [])
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            var piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            let result = piece.withUnsafeMutableBytes { titles.take($0) }
            sound += piece[..<result.sound]
            if let title = result.title { found.append(title) }
        }
        return (sound, found)
    }

    private func block(_ text: String) -> [UInt8] {
        let count = (text.utf8.count + 15) / 16
        return [UInt8(count)] + Array(text.utf8) + [UInt8](repeating: 0, count: count * 16 - text.utf8.count)
    }

    @Test(arguments: [1, 2, 3, 7, 16, 1000]) func titles_areTakenOut_howeverTheBytesCome(pieces: Int) throws {
        let bytes =
            [1, 2, 3, 4] + block("StreamTitle='A';StreamUrl='x';") + [5, 6, 7, 8] + [0] + [9, 10, 11, 12]
            + block("StreamTitle='B'") + [13]
        let taken = try take(bytes, interval: 4, pieces: pieces)
        #expect(taken.sound == Array(1...13))
        #expect(taken.titles == (pieces < 1000 ? ["A", "B"] : ["B"]))
    }

    @Test(arguments: [
        ("StreamTitle='It's; a title';", "It's; a title"), ("StreamTitle='';", ""), ("StreamTitle='open", "open"),
        ("StreamUrl='a';StreamTitle='b\u{1B}[2J';", "b\u{FFFD}[2J"), ("StreamTitle='a\u{202E}b';", "a\u{FFFD}b"),
    ]) func title_isItsText_withoutControlCharacters(text: String, title: String) {
        #expect(StationTitles.title(Array(text.utf8)) == title)
    }

    @Test func title_thatIsNoUTF8_isLatin1() {
        #expect(StationTitles.title(Array("StreamTitle='Caf".utf8) + [0xE9, 0x27, 0x3B]) == "Café")
        #expect(StationTitles.title(Array("StreamUrl='a';".utf8)) == nil)
        #expect(StationTitles.title([]) == nil)
    }

    @Test func interval_isChecked() {
        for interval in [0, -1, 1 << 25, .max] { #expect(StationTitles(interval: interval) == nil) }
        func titles(_ name: String, _ value: String) -> StationTitles? {
            StationTitles(HTTPHead(status: 200, fields: [(name, value)], isShoutcast: true))
        }
        #expect(titles("icy-metaint", "16000") != nil)
        for (name, value) in [("icy-metaint", "x"), ("icy-metaint", "99999999999999999999"), ("icy-name", "a")] {
            #expect(titles(name, value) == nil)
        }
        // Of a file, not of a station.
        #expect(StationTitles(HTTPHead(status: 200, fields: [("Content-Length", "1")])) == nil)
    }
}
