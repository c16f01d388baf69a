import Foundation

/// A Swift source and its code alone: comments and the contents of strings are blank in `code`, and every position is the
/// same in both.
///
/// Searches go through the C library: SwiftPM builds the tool without optimisation, and a project has thousands of files.
struct SourceText {
    let bytes: [UInt8]
    let code: [UInt8]

    /// What a type's braces enclose.
    struct Scope {
        var body: Range<Int>
        /// Qualified: `Outer.Inner`.
        var type: String
    }

    init(_ text: String) {
        bytes = Array(text.utf8)
        code = Self.code(in: bytes)
    }

    /// Counts from 1.
    func line(at position: Int) -> Int { 1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") } }

    func code(_ range: Range<Int>) -> String { String(decoding: code[range], as: UTF8.self) }

    /// Whether a text is somewhere in the code, also inside a longer word.
    func contains(_ text: String) -> Bool { !places(of: text, most: 1).isEmpty }

    /// The positions of a word in the code, not inside longer words.
    func positions(of word: String) -> [Int] {
        places(of: word).filter { start in
            let end = start + word.utf8.count
            return (start == 0 || !code[start - 1].isIdentifier) && (end == code.count || !code[end].isIdentifier)
        }
    }

    /// The positions of an attribute's `@`.
    func positions(ofAttribute name: String) -> [Int] {
        positions(of: name).filter { $0 > 0 && code[$0 - 1] == UInt8(ascii: "@") }.map { $0 - 1 }
    }

    /// The words that begin so.
    func words(beginningWith prefix: String) -> [String] {
        places(of: prefix).filter { $0 == 0 || !code[$0 - 1].isIdentifier }
            .map { start in code(start..<(code[start...].firstIndex { !$0.isIdentifier } ?? code.count)) }
    }

    /// Each `@objc` or `@objcMembers`, with what stands in its parentheses; those beside each other in one line as one.
    func objectiveCAttributes() -> [Range<Int>] {
        let starts = ["objc", "objcMembers"].flatMap { name in
            positions(ofAttribute: name).map { ($0, $0 + 1 + name.utf8.count) }
        }
        var runs: [Range<Int>] = []
        for (start, behindName) in starts.sorted(by: { $0.0 < $1.0 }) {
            var end = behindName
            if end < code.count, code[end] == UInt8(ascii: "("), let close = self.end(ofParenthesisAt: end) {
                end = close
            }
            if let last = runs.last, code[last.upperBound..<start].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                runs[runs.count - 1] = last.lowerBound..<end
            } else {
                runs.append(start..<end)
            }
        }
        return runs
    }

    // MARK: Imports

    /// The positions of a module's name in its imports.
    func importPositions(of module: String) -> [Int] {
        positions(of: module).filter { lineBefore($0).split(separator: " ").last == "import" }
    }

    func imports(_ module: String) -> Bool { !importPositions(of: module).isEmpty }

    /// Whether the line before is an `#if`, with this condition where one is given.
    func isConditional(_ position: Int, with condition: String = "") -> Bool {
        let line = position - lineBefore(position).utf8.count
        return line > 0 && lineBefore(line - 1).drop { $0 == " " || $0 == "\t" }.hasPrefix("#if" + condition)
    }

    /// The `.Part` of each `import Module.Part`.
    func submodules(of modules: [String]) -> [Range<Int>] {
        modules.flatMap(importPositions).compactMap { start in
            guard let dot = code[start...].firstIndex(where: { !$0.isIdentifier }), code[dot] == UInt8(ascii: ".")
            else {
                return nil
            }
            let end = code[dot...].firstIndex { !$0.isIdentifier && $0 != UInt8(ascii: ".") } ?? code.count
            return dot..<end
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

    /// Each call of a function or a type, or its declaration: from the name to the closing parenthesis.
    func calls(of name: String) -> [(whole: Range<Int>, argument: Range<Int>)] {
        positions(of: name).compactMap { word in
            let open = word + name.utf8.count
            guard code[open...].starts(with: "(".utf8), let end = end(ofParenthesisAt: open) else { return nil }
            return (word..<end, open + 1..<end - 1)
        }
    }

    /// Each `#name(…)`, with its `#`.
    func macros(_ name: String) -> [(whole: Range<Int>, argument: Range<Int>)] {
        calls(of: name).filter { code[..<$0.whole.lowerBound].last == UInt8(ascii: "#") }
            .map { ($0.whole.lowerBound - 1..<$0.whole.upperBound, $0.argument) }
    }

    /// The opening parenthesis of the argument list that contains the position.
    func parenthesis(around position: Int) -> Int? {
        var depth = 0
        for place in (0..<position).reversed() {
            switch code[place] {
            case UInt8(ascii: ")"): depth += 1
            case UInt8(ascii: "(") where depth > 0: depth -= 1
            case UInt8(ascii: "("): return place
            // No argument list goes over the braces of a body.
            case UInt8(ascii: "{") where depth == 0: return nil
            default: break
            }
        }
        return nil
    }

    /// The name of the function whose argument list contains the position.
    func call(around position: Int) -> String? {
        parenthesis(around: position).map { open in
            code((code[..<open].lastIndex { !$0.isIdentifier } ?? -1) + 1..<open)
        }
    }

    /// The line around a position, without its end.
    func line(around position: Int) -> Range<Int> {
        let start = code[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return start..<(code[position...].firstIndex(of: UInt8(ascii: "\n")) ?? code.count)
    }

    /// The line up to a position.
    func lineBefore(_ position: Int) -> String {
        let start = code[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return code(start..<position)
    }

    /// Types and extensions, an outer one before those inside it.
    func scopes() -> [Scope] {
        var found: [Scope] = []
        /// For each open brace, the index of its scope, or nil for a brace of something else.
        var open: [Int?] = []
        var pending: String?
        code.withUnsafeBufferPointer { code in
            var place = 0
            while place < code.count {
                if code[place].isIdentifier {
                    let start = place
                    while place < code.count, code[place].isIdentifier || code[place] == UInt8(ascii: ".") {
                        place += 1
                    }
                    // Only the names behind these words matter; most words begin otherwise.
                    guard pending == "" || Self.firstLetters.contains(code[start]) else { continue }
                    let word = String(decoding: UnsafeBufferPointer(rebasing: code[start..<place]), as: UTF8.self)
                    if Self.typeWords.contains(word) {
                        pending = ""
                    } else if Self.memberWords.contains(word) {
                        pending = nil
                    } else if pending == "" {
                        pending = word
                    }
                    continue
                }
                if code[place] == UInt8(ascii: "{") {
                    if let name = pending, !name.isEmpty {
                        let outer = open.compactMap(\.self).last.map { found[$0].type + "." } ?? ""
                        found.append(Scope(body: place..<code.count, type: outer + name))
                        open.append(found.count - 1)
                    } else {
                        open.append(nil)
                    }
                    pending = nil
                }
                if code[place] == UInt8(ascii: "}"), let scope = open.popLast(), let scope {
                    found[scope].body = found[scope].body.lowerBound..<place
                }
                place += 1
            }
        }
        return found
    }

    private static let typeWords: Set<String> = ["class", "struct", "actor", "extension", "enum", "protocol"]
    private static let memberWords: Set<String> = ["func", "var", "let", "init"]
    private static let firstLetters = Set((typeWords.union(memberWords)).compactMap(\.utf8.first))

    // MARK: Scanning

    private func places(of text: String, most: Int = .max) -> [Int] {
        // The C library's searches need an end.
        (code + [0]).withUnsafeBytes { code in
            guard let base = code.bindMemory(to: CChar.self).baseAddress else { return [] }
            var places: [Int] = []
            var from = base
            while places.count < most, let match = strstr(from, text) {
                places.append(UnsafePointer(match) - base)
                from = UnsafePointer(match) + text.utf8.count
            }
            return places
        }
    }

    /// A byte of 0, which no source has, is blank too.
    private static func code(in bytes: [UInt8]) -> [UInt8] {
        var code = bytes.map { $0 == 0 ? 0x20 : $0 } + [0]
        let count = bytes.count
        code.withUnsafeMutableBytes { code in
            guard let base = code.bindMemory(to: CChar.self).baseAddress else { return }
            func has(_ text: StaticString, at place: Int) -> Bool {
                let length = text.utf8CodeUnitCount
                return place + length <= count && memcmp(base + place, text.utf8Start, length) == 0
            }
            func blank(_ range: Range<Int>) {
                for i in range where base[i] != 0x0A { base[i] = 0x20 }
            }
            var place = 0
            while place < count {
                place += strcspn(base + place, "/\"#")
                guard place < count else { break }
                let start = place
                if has("//", at: place) {
                    place += strcspn(base + place, "\n")
                    blank(start..<min(place, count))
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
                    } while depth > 0 && place < count
                    blank(start..<min(place, count))
                } else if let end = endOfString(at: place, count, has) {
                    // The quotes stay, so that a string is still something between two commas.
                    blank(start + 1..<max(start + 1, end - 1))
                    place = end
                } else {
                    place += 1
                }
            }
        }
        code.removeLast()
        return code
    }

    /// The position behind the string that begins there, with its `#` if it has some; nil where none begins.
    private static func endOfString(at start: Int, _ count: Int, _ has: (StaticString, Int) -> Bool) -> Int? {
        var place = start
        while has("#", place) { place += 1 }
        let marks = place - start
        guard has("\"", place) else { return nil }
        let isLong = has("\"\"\"", place)
        place += isLong ? 3 : 1
        func marksFollow(_ place: Int) -> Bool { (0..<marks).allSatisfy { has("#", place + $0) } }
        while place < count {
            if has("\\", place), marksFollow(place + 1) {
                place += 2 + marks
            } else if isLong ? has("\"\"\"", place) : has("\"", place), marksFollow(place + (isLong ? 3 : 1)) {
                return min(place + (isLong ? 3 : 1) + marks, count)
            } else if !isLong, has("\n", place) {
                // Not closed: no string of Swift.
                return place
            } else {
                place += 1
            }
        }
        return count
    }
}

extension UInt8 {
    var isIdentifier: Bool {
        // Not ranges: they are slow without optimisation.
        if self >= 0x80 || self == 0x5F { return true }
        let letter = self | 0x20
        return (letter >= 0x61 && letter <= 0x7A) || (self >= 0x30 && self <= 0x39)
    }

    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
