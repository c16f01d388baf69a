import Foundation
import TestSupport
import Testing

@testable import OpenSpeech

/// Words and passages of a text, and the words of a sound.
@Suite struct SpeechTextTests {
    private func words(_ text: String) -> [[String]] {
        SpeechText.passages(of: text).map { $0.words.map { (text as NSString).substring(with: $0.range) } }
    }

    @Test func words_haveTheirRanges_withoutPunctuation() {
        let text = "\u{201C}Héllo\u{201D} \u{1F600}\u{1F600} – it's 25.5 €, (rock'n'roll)!"
        #expect(words(text) == [["Héllo", "😀😀", "it's", "25.5", "€", "rock'n'roll"]])
        let passage = SpeechText.passages(of: "( a ) - b")
        #expect(passage.map { $0.words.map(\.text) } == [["(a)-", "b"]])
        for text in [" \n\t ", "", "..."] { #expect(words(text).isEmpty) }
    }

    @Test func passages_endWithSentences_lines_andTheirGreatestLength() {
        #expect(words("one\ntwo\n\nthree four") == [["one"], ["two"], ["three", "four"]])
        let long = Array(repeating: "seven", count: 12).joined(separator: " ")
        #expect(SpeechText.passages(of: "\(long). Next one. Mr. X").count == 2)
        // A short word before a full stop may be an abbreviation.
        #expect(SpeechText.passages(of: "\(long) Dr. Smith").count == 1)
        #expect(SpeechText.passages(of: "\(long) no! Smith").count == 2)
        #expect(words("你好。再见，朋友") == [["你好", "再见", "朋友"]])
        let endless = SpeechText.passages(of: String(repeating: "x", count: 1_700))
        #expect(endless.flatMap(\.words).map(\.range.length).reduce(0, +) == 1_700)
        #expect(endless.allSatisfy { $0.words.map(\.range.length).reduce(0, +) <= SpeechText.greatestLength })
    }

    /// Any text: ranges ascend, lie in the text and do not overlap.
    @Test func rangesOfRandomTexts_ascendWithinTheText() {
        var random = Seeded(seed: 24)
        let alphabet = Array("aZ9 .!?\n\r\n\t,-–()[]\"'’。，你e\u{301}👩‍👩‍👧🇩🇪\u{0}\u{1}\u{200B}\u{FEFF}")
        for _ in 0..<2_000 {
            let text = String(
                (0..<Int.random(in: 0...700, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                })
            var end = 0
            for passage in SpeechText.passages(of: text) {
                #expect(!passage.words.isEmpty)
                for word in passage.words {
                    #expect(word.range.location >= end && word.range.length > 0)
                    end = word.range.upperBound
                }
            }
            #expect(end <= text.utf16.count)
        }
    }

    // MARK: The words of a sound

    private func rendering(_ lengths: [Int], level: (Int) -> Int) -> [Float] {
        lengths.enumerated().flatMap { word, length in
            (0..<length).map { 0.4 * Float(sin(Double($0 + 1) / 7)) * Float(level(word)) / 100 }
        }
    }

    @Test func words_areFoundByTheirLevels_toTheFrame() {
        let lengths = [400, 300, 500, 200, 900, 350]
        let frames = WordMarks.frames(
            plain: rendering(lengths) { _ in 100 }, marked: rendering(lengths, level: WordMarks.level), wordCount: 6)
        let expected = lengths.indices.map { lengths[..<$0].reduce(0, +) }
        // A word begins with its first sample that is loud enough.
        #expect(zip(frames, expected).allSatisfy { (0...3).contains($0 - $1) }, "\(frames)")
    }

    @Test func wordsThatTheEngineContracts_lieBetweenTheirNeighbours() {
        // The second of five shares the level of the first.
        let lengths = [400, 400, 400, 400, 400]
        let marked = rendering(lengths) { WordMarks.level(ofWord: $0 == 1 ? 0 : $0) }
        let frames = WordMarks.frames(plain: rendering(lengths) { _ in 100 }, marked: marked, wordCount: 5)
        #expect(zip(frames, [0, 400, 800, 1200, 1600]).allSatisfy { abs($0 - $1) <= 4 }, "\(frames)")
        // Of another length: evenly.
        #expect(WordMarks.frames(plain: Array(repeating: 0, count: 900), marked: [], wordCount: 3) == [0, 300, 600])
        #expect(WordMarks.frames(plain: [], marked: [], wordCount: 0).isEmpty)
    }

    @Test func framesOfRandomSounds_ascendWithinTheSound() {
        var random = Seeded(seed: 24)
        for _ in 0..<500 {
            let count = Int.random(in: 0...2_000, using: &random)
            let plain = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
            let levels = WordMarks.levels + [0, 60]
            var level = 100
            let marked = plain.map { sample in
                if Int.random(in: 0..<40, using: &random) == 0 {
                    level = levels[Int.random(in: 0..<levels.count, using: &random)]
                }
                return sample * Float(level) / 100
            }
            let words = Int.random(in: 0...20, using: &random)
            let frames = WordMarks.frames(plain: plain, marked: marked, wordCount: words)
            #expect(frames.count == words && frames == frames.sorted())
            #expect(frames.allSatisfy { (0...plain.count).contains($0) })
        }
    }
}
