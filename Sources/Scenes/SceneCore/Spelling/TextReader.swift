extension AudioScene {
    /// Reads a scene from text, one line an event.
    ///
    /// - Throws: at the first line that says nothing known, with its place and what was possible there.
    public init(text: String) throws(SceneError) {
        var builder = SceneBuilder()
        var number = 0
        try Self.checkLines(text)
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            var reader = try LineReader(line, number: number)
            guard !reader.isAtEnd else { continue }
            try reader.read(into: &builder)
        }
        self = try builder.finish()
    }

    /// Before characters are looked at, which takes long for what is no text.
    private static func checkLines(_ text: String) throws(SceneError) {
        var (line, length) = (1, 0)
        for byte in text.utf8 {
            length += 1
            if byte == UInt8(ascii: "\n") { (line, length) = (line + 1, 0) }
            guard length <= maximumLineBytes else {
                throw SceneError(
                    line: line, column: 1, message: "a line of a scene has at most \(maximumLineBytes) bytes")
            }
        }
    }
}

/// Reads one line.
private struct LineReader {
    private struct Token {
        var text: String
        var isQuoted = false
        var column: Int
    }

    private let tokens: [Token]
    private let number: Int
    private let endColumn: Int
    private var next = 0
    /// What was possible at the furthest token that any phrase has come to.
    private var furthest = 0
    private var possible: [Possible] = []

    private enum Possible {
        case word(String)
        case value(Phrase.ValueType)
    }

    init(_ line: Substring, number: Int) throws(SceneError) {
        self.number = number
        (tokens, endColumn) = try Self.tokens(of: line, number)
    }

    var isAtEnd: Bool { next == tokens.count }

    private func position(of index: Int) -> SourcePosition {
        SourcePosition(line: number, column: index < tokens.count ? tokens[index].column : endColumn)
    }

    // MARK: Statements

    mutating func read(into builder: inout SceneBuilder) throws(SceneError) {
        let start = position(of: next)
        let devices = builder.devices
        if takeWord("at") {
            let phrase = Phrase("<at:time>")
            let (time, _) = try fields(of: [phrase], devices)
            var actions: [Fields] = []
            repeat { actions.append(try fields(of: SceneGrammar.actions, devices).fields) } while takeWord("and")
            try finish(orPossible: ["and"], devices)
            try builder.add(event: time, actions, number)
        } else if takeWord("expect") {
            let (expectation, _) = try fields(of: SceneGrammar.expectations, devices)
            try finish(orPossible: [], devices)
            try builder.add(expectation: expectation, number)
        } else {
            note([.word("at"), .word("expect")], at: next)
            let (header, _) = try fields(of: SceneGrammar.header, devices)
            try finish(orPossible: [], devices)
            try builder.add(header: header, at: start)
        }
    }

    private mutating func takeWord(_ word: String) -> Bool {
        guard next < tokens.count, !tokens[next].isQuoted, tokens[next].text == word else { return false }
        next += 1
        return true
    }

    private mutating func finish(
        orPossible words: [String], _ devices: SceneBuilder.Devices
    ) throws(SceneError) {
        guard !isAtEnd else { return }
        note((words + ["the end of the line"]).map(Possible.word), at: next)
        throw error(devices)
    }

    private func error(_ devices: SceneBuilder.Devices) -> SceneError {
        let words = possible.flatMap { possible in
            switch possible {
            case .word(let word): [word]
            case .value(let type): type.possible(devices: devices.all)
            }
        }
        return SceneError(
            position(of: furthest), found: furthest < tokens.count ? tokens[furthest].text : nil, possible: words)
    }

    private mutating func note(_ possible: [Possible], at index: Int) {
        guard index >= furthest else { return }
        if index > furthest { (furthest, self.possible) = (index, []) }
        self.possible += possible
    }

    // MARK: Phrases

    /// The fields of the phrase that takes the most tokens from here.
    private mutating func fields(
        of phrases: [Phrase], _ devices: SceneBuilder.Devices
    ) throws(SceneError) -> (fields: Fields, end: Int) {
        var best: (fields: Fields, end: Int)?
        for phrase in phrases {
            var fields = Fields(phrase, at: position(of: next))
            if let end = match(phrase.pieces[...], from: next, into: &fields, devices), end > best?.end ?? -1 {
                best = (fields, end)
            }
        }
        guard let best else { throw error(devices) }
        next = best.end
        return best
    }

    /// Where the pieces end; nil where they do not fit.
    ///
    /// A part that may be missing is taken where it fits: no phrase needs what it has taken for something else.
    private mutating func match(
        _ pieces: ArraySlice<Phrase.Piece>, from start: Int, into fields: inout Fields, _ devices: SceneBuilder.Devices
    ) -> Int? {
        var index = start
        for piece in pieces {
            switch piece {
            case .word(let word):
                guard index < tokens.count, !tokens[index].isQuoted, tokens[index].text == word else {
                    note([.word(word)], at: index)
                    return nil
                }
                index += 1
            case .value(let name, let type):
                guard let end = matchValue(name, type, from: index, into: &fields, devices) else { return nil }
                index = end
            case .repeated(let name, let type):
                guard var end = matchValue(name, type, from: index, into: &fields, devices) else { return nil }
                while let further = matchValue(name, type, from: end, into: &fields, devices) { end = further }
                index = end
            case .optional(let inner):
                var trial = fields
                if let end = match(inner[...], from: index, into: &trial, devices) { (index, fields) = (end, trial) }
            }
        }
        return index
    }

    private mutating func matchValue(
        _ name: String, _ type: Phrase.ValueType, from index: Int, into fields: inout Fields,
        _ devices: SceneBuilder.Devices
    ) -> Int? {
        var count = 1
        var text = index < tokens.count ? tokens[index].text : nil
        if case .choice(let choices) = type {
            let words = choices.map { $0.split(separator: " ").map(String.init) }
            let rest = tokens[min(index, tokens.count)...]
            let taken = words.filter { rest.starts(with: $0) { $0.text == $1 } }
                .max { $0.count < $1.count }
            count = taken?.count ?? 1
            text = taken?.joined(separator: " ")
        }
        guard let text, type.accepts(text, devices: devices.known),
            tokens[index].isQuoted ? type.mayBeQuoted : text != ","
        else {
            note([.value(type)], at: index)
            return nil
        }
        fields.values[name, default: []].append(Fields.Value(text: text, position: position(of: index)))
        return index + count
    }

    // MARK: Tokens

    private static func tokens(of line: Substring, _ number: Int) throws(SceneError) -> ([Token], Int) {
        var tokens: [Token] = []
        var column = 0
        var rest = line[...]
        func failed(_ message: String, at column: Int) -> SceneError {
            SceneError(SourcePosition(line: number, column: column), message)
        }
        while let character = rest.popFirst() {
            column += 1
            if character == "#" { return (tokens, column) }
            if character.isWhitespace { continue }
            let start = column
            if character == "," {
                tokens.append(Token(text: ",", column: start))
                continue
            }
            guard character == "\"" else {
                var word = String(character)
                while let following = rest.first, !following.isWhitespace, following != ",", following != "\"" {
                    word.append(following)
                    rest = rest.dropFirst()
                    column += 1
                }
                tokens.append(Token(text: word, column: start))
                continue
            }
            var text = ""
            var isOpen = true
            while isOpen, let inner = rest.popFirst() {
                column += 1
                switch inner {
                case "\"": isOpen = false
                case "\\":
                    column += 1
                    switch rest.popFirst() {
                    case "\""?: text.append("\"")
                    case "\\"?: text.append("\\")
                    case "n"?: text.append("\n")
                    case "r"?: text.append("\r")
                    case "u"?:
                        let digits = rest.prefix(8).prefix { $0 != "." }
                        guard rest.dropFirst(digits.count).first == ".",
                            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
                        else {
                            throw failed("\\u needs up to 8 hexadecimal digits and a full stop: \\u200B.", at: column)
                        }
                        text.unicodeScalars.append(scalar)
                        rest = rest.dropFirst(digits.count + 1)
                        column += digits.count + 1
                    case let other:
                        throw failed(
                            "\\\(other.map(String.init) ?? "") is unknown; possible here: \\\", \\\\, \\n, \\r, \\u200B.",
                            at: column)
                    }
                default: text.append(inner)
                }
            }
            if isOpen { throw failed("a quotation mark is missing at the end of this name", at: start) }
            tokens.append(Token(text: text, isQuoted: true, column: start))
        }
        return (tokens, column + 1)
    }
}

extension Phrase.ValueType {
    fileprivate var mayBeQuoted: Bool { self == .name || self == .device }
}
