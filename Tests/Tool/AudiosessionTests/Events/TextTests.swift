import AudioModel
import OpenAudioSession
import Testing

@testable import audiosession

@Suite struct TextTests {
    @Test(arguments: [
        (0.0, "0:00"), (7.99, "0:07"), (754, "12:34"), (3723, "1:02:03"), (-1, "0:00"), (.nan, "0:00"),
        (.infinity, "0:00"),
    ])
    func clock_isWrittenAsClocksShowIt(seconds: Double, text: String) {
        #expect(NumberText.clock(seconds) == text)
    }

    @Test(arguments: [(2.0132, "[0:02.013]"), (59.9996, "[1:00.000]"), (0, "[0:00.000]"), (-3, "[0:00.000]")])
    func stamp_isRoundedToTheMillisecond(seconds: Double, text: String) {
        #expect(NumberText.stamp(seconds) == text)
    }

    @Test(arguments: [
        (1.5, 3, "1.500"), (-0.25, 1, "-0.3"), (0.1 + 0.2, 6, "0.300000"), (-0.0001, 3, "0.000"), (7, 0, "7"),
        (.infinity, 1, "9000000000.0"), (0.0000005, 6, "0.000001"),
    ])
    func fixed_hasExactlyItsDigits(number: Double, digits: Int, text: String) {
        #expect(number.fixed(digits) == text)
    }

    @Test func json_escapesWhatATerminalOrAParserWouldObey() {
        let hostile = "a\"b\\c\n\r\t\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{2028}é漢🎧"
        #expect(
            JSONValue.string(hostile).text
                == #""a\"b\\c\n\r\t\u001b[2J\u007f\u009b\u202e\u2028é漢🎧""#)
    }

    @Test func json_escapesAControlBeyondTheBasicPlaneAsTwoUnits() {
        #expect(JSONValue.string("\u{E0001}").text == #""\udb40\udc01""#)
    }

    @Test func json_keepsTheOrderOfFields() {
        let value = JSONValue.fields([
            "z": .integer(1), "a": .array([.bool(true), .null]), "n": .number(.nan, digits: 3),
        ])
        #expect(value.text == #"{"z":1,"a":[true,null],"n":null}"#)
    }

    @Test(arguments: [
        ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("🎧", 2), ("▶", 1), ("▶\u{FE0F}", 2), ("한국", 4), ("", 0), ("…", 1),
    ])
    func columns_countWideAndCombining(text: String, columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢字", 6, "漢字…"), ("漢字漢字", 7, "漢字漢…"), ("abc", 0, ""),
        ("abc", 1, "…"),
    ])
    func truncate_neverExceedsItsColumns(text: String, limit: Int, expected: String) {
        #expect(DisplayWidth.truncate(text, to: limit) == expected)
    }

    @Test func table_alignsWideTextAndTrimsLineEnds() {
        let table = Table(header: ["A", "", "B"], rows: [["漢字", "*", "x"], ["abc", "", ""]])
        #expect(table.lines == ["A        B", "漢字  *  x", "abc"])
    }

    @Test(arguments: [
        ("plyback", "playback"), ("PLAYBACK", "playback"), ("playA", "playAndRecord"), ("solo", "soloAmbient"),
        ("ambeint", "ambient"),
    ])
    func nearest_findsWhatWasMeant(typed: String, meant: String) {
        #expect(Spelling.nearest(to: typed, in: SessionWords.categories.words) == meant)
    }

    @Test(arguments: ["", "p", "xyz", "karaoke"])
    func nearest_whereNothingIsNear_staysSilent(typed: String) {
        #expect(Spelling.nearest(to: typed, in: SessionWords.categories.words) == nil)
    }

    @Test func words_areApplesNames() throws {
        #expect(
            SessionWords.categories.words
                == ["ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute"])
        #expect(try SessionWords.modes.value(for: "default") == .default)
        #expect(
            try SessionWords.options.values(forList: "mixWithOthers,duckOthers") == [.mixWithOthers, .duckOthers])
        #expect(try SessionWords.options.values(forList: "") == [])
    }

    @Test func unknownWord_isNamedWithTheAllowedOnes() {
        #expect(throws: WordError(noun: "mode", received: "x", allowed: SessionWords.modes.words)) {
            try SessionWords.modes.value(for: "x")
        }
        #expect(throws: WordError(noun: "option", received: "", allowed: SessionWords.options.words)) {
            try SessionWords.options.values(forList: "mixWithOthers,")
        }
        let error = WordError(noun: "category", received: "play\u{1B}back", allowed: ["playback", "record"])
        #expect(
            error.description
                == "unknown category 'play\u{FFFD}back'. Did you mean 'playback'? Allowed: playback, record.")
    }

}
