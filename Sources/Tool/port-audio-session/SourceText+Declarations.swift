extension SourceText {
    /// The name before the dot of a call whose function begins at a position.
    func receiver(of function: Int) -> String {
        var end = function
        while end > 0, code[end - 1] == UInt8(ascii: ".") || code[end - 1] == UInt8(ascii: "?") || code[end - 1].isSpace
        {
            end -= 1
        }
        var start = end
        while start > 0, code[start - 1].isIdentifier { start -= 1 }
        return code(start..<end)
    }

    /// The line up to a position, or the one before where that line has nothing else.
    func statementBefore(_ position: Int) -> String {
        let line = lineBefore(position)
        guard line.trimmed.isEmpty, position > line.utf8.count else { return line }
        return lineBefore(position - line.utf8.count - 1)
    }

    /// What stands before the body of a scope, from its keyword on; nil where that is another one.
    func header(of scope: Scope, _ keyword: String) -> (text: String, start: Int)? {
        guard let start = positions(of: keyword).last(where: { $0 < scope.body.lowerBound }) else { return nil }
        let text = code(start..<scope.body.lowerBound)
        return text.contains("{") || text.contains("}") ? nil : (text, start)
    }

    /// A function without a result behind `optional`; `start` is that of `func`.
    func optionalMember(at word: Int) -> (name: String, start: Int, signature: String)? {
        var start = word + "optional".utf8.count
        while start < code.count, code[start].isSpace { start += 1 }
        let rest = code(start..<min(start + 2000, code.count))
        guard rest.hasPrefix("func "), let parenthesis = rest.firstIndex(of: "("),
            let close = end(ofParenthesisAt: start + rest[..<parenthesis].utf8.count)
        else { return nil }
        let name = String(rest[..<parenthesis].dropFirst("func ".count)).trimmed
        let after = code(close..<code.count).prefix { $0 != "\n" && $0 != "}" }
        guard !after.contains("->"), name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        return (name, start, String(decoding: bytes[start..<close], as: UTF8.self))
    }

    /// What a class inherits, with the place of each name.
    func bases(of scope: Scope) -> [(name: String, place: Int)] {
        guard let (header, start) = header(of: scope, "class"), let colon = header.firstIndex(of: ":") else {
            return []
        }
        var bases: [(String, Int)] = []
        var place = start + header[...colon].utf8.count
        for part in header[colon...].dropFirst().split(separator: ",", omittingEmptySubsequences: false) {
            let blanks = part.prefix { $0.isWhitespace }.utf8.count
            bases.append((String(part).trimmed, place + blanks))
            place += part.utf8.count + 1
        }
        return bases
    }
}
