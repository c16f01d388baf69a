import Testing

@testable import audiosession

@Suite struct KeyDecoderTests {
    @Test func letters_comeOneByOne() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("q u".utf8)) == [.character("q"), .character(" "), .character("u")])
    }

    @Test(arguments: [
        ("\u{1B}[A", Key.up), ("\u{1B}[B", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OC", .right),
        ("\u{1B}[1;5D", .left), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[6;5~", .pageDown),
    ])
    func arrow_inEitherModeAndWithModifiers_isDecoded(sequence: String, key: Key) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(sequence.utf8)) == [key])
        #expect(!decoder.isPending)
    }

    @Test func arrow_whileItArrivesByteByByte_isPendingUntilTheLast() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isPending)
        #expect(decoder.decode([0x5B]) == [])
        #expect(decoder.isPending)
        #expect(decoder.decode([0x43]) == [.right])
        #expect(!decoder.isPending)
    }

    @Test func escapeAlone_afterFlush_isTheKeyAndLeavesNothingBehind() {
        var decoder = KeyDecoder()
        _ = decoder.decode([0x1B])
        #expect(decoder.flush() == .escape)
        #expect(decoder.flush() == nil)
        #expect(decoder.decode(Array("[q".utf8)) == [.character("["), .character("q")])
    }

    @Test func unfinishedSequence_afterFlush_isNoKey() {
        var decoder = KeyDecoder()
        _ = decoder.decode(Array("\u{1B}[1;".utf8))
        #expect(decoder.flush() == nil)
        #expect(decoder.decode([0x71]) == [.character("q")])
    }

    @Test(arguments: ["\r", "\n"])
    func enter_isAKeyHoweverTheTerminalSendsIt(byte: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(byte.utf8)) == [.enter])
    }

    @Test func unknownSequences_areSwallowedWhole() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[3~\u{1B}[15~\u{1B}OPq".utf8)) == [.character("q")])
    }

    @Test func backspace_isAKey_whateverTheTerminalSends() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x7F, 0x08]) == [.backspace, .backspace])
    }

    @Test func lettersBeyondASCIIAndControls_areNoKeys() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("é漢\u{01}\t".utf8)) == [])
    }
}
