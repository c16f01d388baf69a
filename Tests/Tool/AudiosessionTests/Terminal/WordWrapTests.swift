import Testing

@testable import audiosession

@Suite struct WordWrapTests {
    @Test(arguments: [
        ("one line", 20, ["one line"]), ("", 20, [""]),
        ("the output was disconnected", 14, ["the output was", "  disconnected"]),
        ("a verylongwordthatfitsnowhere b", 10, ["a", "  verylongwordthatfitsnowhere", "  b"]),
        // Each of these signs has two columns.
        ("音楽 音楽 音楽", 9, ["音楽 音楽", "  音楽"]),
    ])
    func text_breaksAtItsSpaces(text: String, columns: Int, lines: [String]) {
        #expect(WordWrap.lines(text, columns: columns) == lines)
    }
}
