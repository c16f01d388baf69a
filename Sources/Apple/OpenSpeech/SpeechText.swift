import Foundation

/// Splits a text into passages, each of one sentence or a few short ones.
///
/// The engine speaks one passage at a time.
enum SpeechText {
    struct Word: Hashable, Sendable {
        /// The word without the punctuation around it, in UTF-16 units of the whole text.
        var range: NSRange
        /// The word with the punctuation around it.
        var text: String
    }

    struct Passage: Hashable, Sendable {
        var words: [Word]
    }

    /// In UTF-16 units.
    ///
    /// A sentence that ends after this length ends its passage.
    private static let usualLength = 60
    /// The longest passage, in UTF-16 units.
    static let greatestLength = 500

    /// Splits a text at white space and at the full-width punctuation of Chinese and Japanese.
    ///
    /// Text without a letter, digit or symbol is no word of its own: it becomes part of a neighbour.
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

    /// Returns true for a word that ends a sentence.
    ///
    /// A full stop after a short word counts as that of an abbreviation.
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
