import AudioModel
import Testing

struct PrintableTests {
    @Test func printable_forHarmfulText_leavesNothingThatActs() {
        let rows: [(received: String, shown: String)] = [
            ("\u{1B}[2JUSB DAC", "\u{FFFD}[2JUSB DAC"),
            ("\u{1B}]0;title\u{07}x", "\u{FFFD}]0;title\u{FFFD}x"),
            ("\u{9B}31mred", "\u{FFFD}31mred"),
            ("two\nlines\r\n", "two\u{FFFD}lines\u{FFFD}\u{FFFD}"),
            ("tab\tbell\u{07}nul\u{0}del\u{7F}", "tab\u{FFFD}bell\u{FFFD}nul\u{FFFD}del\u{FFFD}"),
            ("line\u{2028}paragraph\u{2029}next\u{85}", "line\u{FFFD}paragraph\u{FFFD}next\u{FFFD}"),
            ("abc\u{202E}cba\u{202C}", "abc\u{FFFD}cba\u{FFFD}"),
            ("\u{2066}isolated\u{2069}\u{200E}\u{200F}\u{61C}", "\u{FFFD}isolated\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("zero\u{200B}width\u{FEFF}", "zero\u{FFFD}width\u{FFFD}"),
            ("tag\u{E0041}", "tag\u{FFFD}"),
        ]
        var count = 0
        for row in rows {
            #expect(row.received.printable.unicodeScalars.elementsEqual(row.shown.unicodeScalars), "\(row.shown)")
            count += 1
        }
        #expect(count == 10)
    }

    @Test func printable_forHonestText_changesNothing() {
        let rows = [
            "", "Built-in Audio Analog Stereo", "Kopfhörer é e\u{301}", "ヘッドホン", "אוזניות", "می\u{200C}خواهم",
            "👩\u{200D}🎤 ❤\u{FE0F} 🎧",
        ]
        var count = 0
        for row in rows {
            #expect(row.printable.unicodeScalars.elementsEqual(row.unicodeScalars), "\(row)")
            count += 1
        }
        #expect(count == 7)
    }

    @Test func printable_ofPrintableText_isTheSame() {
        let once = "a\u{1B}b\u{202E}c".printable
        #expect(once.printable == once)
    }
}
