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

    @Test(arguments: [
        (
            "  1    an error: a file that cannot be played", 30,
            ["  1    an error: a file that", "       cannot be played"]
        ),
        ("  headphones-leave, call, sleep", 20, ["  headphones-leave,", "  call, sleep"]),
        (
            "  --on-return <on-return> When it is back: resume it, or stay", 56,
            ["  --on-return <on-return> When it is back: resume it, or", "                          stay"]
        ),
        ("USAGE: audiosession play [--a] [--b]", 28, ["USAGE: audiosession play", "       [--a] [--b]"]),
        ("A plain sentence of a help text.", 20, ["A plain sentence of", "a help text."]),
    ])
    func lineOfAHelp_keepsItsIndent(text: String, columns: Int, lines: [String]) {
        #expect(WordWrap.lines(ofHelp: text, columns: columns) == lines)
        #expect(lines.allSatisfy { $0.count <= columns })
    }
}
