import Foundation

/// A Swift source and its code alone: comments and the contents of strings are blank in `code`, and every position is the
/// same in both.
struct SourceText {
    let bytes: [UInt8]
    let code: [UInt8]
    /// The position of each line's first byte.
    private let lineStarts: [Int]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
        code = Self.code(in: bytes)
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Counts from 1.
    func line(at position: Int) -> Int { (lineStarts.firstIndex { $0 > position } ?? lineStarts.count) }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func code(_ range: Range<Int>) -> String { String(decoding: code[range], as: UTF8.self) }

    /// The positions of a word in the code, not inside longer words.
    func positions(of word: String) -> [Int] {
        let word = Array(word.utf8)
        guard code.count >= word.count else { return [] }
        return (0...code.count - word.count).filter { start in
            code[start..<start + word.count].elementsEqual(word)
                && (start == 0 || !code[start - 1].isIdentifier)
                && (start + word.count == code.count || !code[start + word.count].isIdentifier)
        }
    }

    /// The position behind the parenthesis that closes the one at `start`.
    func end(ofParenthesisAt start: Int) -> Int? {
        var depth = 0
        for position in start..<code.count {
            if code[position] == UInt8(ascii: "(") { depth += 1 }
            if code[position] == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 { return position + 1 }
            }
        }
        return nil
    }

    /// The name of the function whose argument list contains the position.
    func call(around position: Int) -> String? {
        var depth = 0
        var place = position - 1
        while place >= 0 {
            switch code[place] {
            case UInt8(ascii: ")"): depth += 1
            case UInt8(ascii: "(") where depth > 0: depth -= 1
            case UInt8(ascii: "("):
                var start = place
                while start > 0, code[start - 1].isIdentifier { start -= 1 }
                return code(start..<place)
            default: break
            }
            place -= 1
        }
        return nil
    }

    /// The qualified name of the type or extension around the position.
    func type(around position: Int) -> String? {
        var names: [String?] = []
        var pending: String?
        var place = 0
        while place < position {
            if code[place].isIdentifier {
                var end = place
                while end < code.count, code[end].isIdentifier || code[end] == UInt8(ascii: ".") { end += 1 }
                let word = code(place..<end)
                if ["class", "struct", "actor", "extension", "enum", "protocol"].contains(word) {
                    pending = ""
                } else if pending == "", !["func", "var", "let"].contains(word) {
                    pending = word
                } else if ["func", "var", "let"].contains(word) {
                    pending = nil
                }
                place = end
                continue
            }
            if code[place] == UInt8(ascii: "{") {
                names.append(pending)
                pending = nil
            }
            if code[place] == UInt8(ascii: "}"), !names.isEmpty { names.removeLast() }
            place += 1
        }
        let known = names.compactMap(\.self).filter { !$0.isEmpty }
        return known.isEmpty ? nil : known.joined(separator: ".")
    }

    private static func code(in bytes: [UInt8]) -> [UInt8] {
        var code = bytes
        var place = 0
        func has(_ text: String, at position: Int) -> Bool { bytes[position...].starts(with: text.utf8) }
        func blank(_ range: Range<Int>) {
            for i in range where bytes[i] != UInt8(ascii: "\n") { code[i] = UInt8(ascii: " ") }
        }
        while place < bytes.count {
            let start = place
            if has("//", at: place) {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                blank(start..<place)
            } else if has("/*", at: place) {
                var depth = 0
                repeat {
                    if has("/*", at: place) {
                        depth += 1
                        place += 2
                    } else if has("*/", at: place) {
                        depth -= 1
                        place += 2
                    } else {
                        place += 1
                    }
                } while depth > 0 && place < bytes.count
                blank(start..<min(place, bytes.count))
            } else if has("\"", at: place) {
                let quote = has("\"\"\"", at: place) ? "\"\"\"" : "\""
                place += quote.utf8.count
                while place < bytes.count, !has(quote, at: place),
                    quote.utf8.count == 3 || bytes[place] != UInt8(ascii: "\n")
                {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place = min(place + quote.utf8.count, bytes.count)
                blank(start + 1..<max(start + 1, place - 1))
            } else {
                place += 1
            }
        }
        return code
    }
}

extension UInt8 {
    var isIdentifier: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    var isSpace: Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(self)
    }
}
