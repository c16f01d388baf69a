import Foundation

/// A text as passages that are made into sound one by one: a sentence or a few short ones.
enum SpeechText {
    struct Word: Hashable, Sendable {
        /// Of the word without the punctuation around it, in UTF-16 units of the whole text.
        var range: NSRange
        /// With the punctuation around it.
        var text: String
    }

    struct Passage: Hashable, Sendable {
        var words: [Word]
    }

    /// In UTF-16 units: a sentence that ends later than this ends its passage.
    private static let usualLength = 60
    /// In UTF-16 units: no passage is longer.
    static let greatestLength = 500

    /// Words are what white space and the full-width punctuation of Chinese and Japanese separate.
    ///
    /// What has no letter, digit or symbol is not spoken by itself: it goes with a neighbour.
    static func passages(of text: String) -> [Passage] {
        var (passages, words, length) = ([Passage](), [Word](), 0)
        /// Punctuation before the first word of a passage.
        var opening = ""
        func end() {
            if !words.isEmpty { passages.append(Passage(words: words)) }
            (words, length, opening) = ([], 0, "")
        }
        for token in tokens(of: text) {
            switch token {
            case .lineBreak: end()
            case .word(let offset, let characters):
                let text = String(characters)
                guard let first = characters.firstIndex(where: \.isSpoken),
                    let last = characters.lastIndex(where: \.isSpoken)
                else {
                    if words.isEmpty { opening += text } else { words[words.count - 1].text += text }
                    continue
                }
                if length + text.utf16.count > greatestLength { end() }
                let before = String(characters[..<first]).utf16.count
                let spoken = String(characters[first...last]).utf16.count
                words.append(Word(range: NSRange(location: offset + before, length: spoken), text: opening + text))
                length += text.utf16.count + 1
                opening = ""
                if length > usualLength, endsSentence(text) { end() }
            }
        }
        end()
        return passages
    }

    private enum Token {
        case word(offset: Int, ArraySlice<Character>)
        case lineBreak
    }

    private static func tokens(of text: String) -> [Token] {
        let characters = Array(text)
        var (tokens, offset, start, startOffset) = ([Token](), 0, 0, 0)
        func end(at index: Int) {
            if index > start { tokens.append(.word(offset: startOffset, characters[start..<index])) }
        }
        for (index, character) in characters.enumerated() {
            let after = offset + character.utf16.count
            let isTooLong = after - startOffset > greatestLength && index > start
            if character.isWhitespace {
                end(at: index)
                if character.isNewline { tokens.append(.lineBreak) }
                (start, startOffset) = (index + 1, after)
            } else if "、。，；：！？".contains(character) {
                end(at: index + 1)
                (start, startOffset) = (index + 1, after)
            } else if isTooLong {
                end(at: index)
                (start, startOffset) = (index, offset)
            }
            offset = after
        }
        end(at: characters.count)
        return tokens
    }

    /// A full stop behind a short word is more often an abbreviation's.
    private static func endsSentence(_ word: String) -> Bool {
        let core = word.reversed().drop { "\"'”’»)]".contains($0) }
        guard let mark = core.first else { return false }
        if "!?…。！？".contains(mark) { return true }
        return mark == "." && core.dropFirst().prefix { $0.isLetter || $0.isNumber }.count > 3
    }
}

extension Character {
    fileprivate var isSpoken: Bool { isLetter || isNumber || isSymbol || "&@#%*".contains(self) }
}
