/// A JSON value with its place in the text.
struct SceneJSON {
    enum Value {
        case null
        case bool(Bool)
        /// As it is spelled.
        case number(String)
        case string(String)
        case array([SceneJSON])
        case object([(name: String, value: SceneJSON)])
    }

    var value: Value
    var position = SourcePosition.start

    subscript(name: String) -> SceneJSON? {
        if case .object(let fields) = value { fields.first { $0.name == name }?.value } else { nil }
    }

    /// The word, or the number as it is spelled.
    var word: String? {
        switch value {
        case .string(let text), .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }

    /// The elements; a value alone is a list of one.
    var list: [SceneJSON] { if case .array(let elements) = value { elements } else { [self] } }

    /// What it is, for a message.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text), .string(let text): text
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// Reads JSON; what is deeper than a scene needs is an error.
struct JSONReader {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var position = SourcePosition.start
    private static let maximumDepth = 8

    static func read(_ text: String) throws(SceneError) -> SceneJSON {
        var reader = JSONReader(scalars: Array(text.unicodeScalars))
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        if let rest = reader.peek { throw reader.unexpected(rest, possible: ["the end of the text"]) }
        return value
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        index += 1
        if scalar == "\n" {
            position = SourcePosition(line: position.line + 1, column: 1)
        } else {
            position.column += 1
        }
        return scalar
    }

    private mutating func skipSpace() {
        while let scalar = peek, scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" { _ = take() }
    }

    private func unexpected(_ scalar: Unicode.Scalar?, possible: [String]) -> SceneError {
        guard let scalar else {
            return SceneError(position, "the text ends; possible here: \(possible.joined(separator: ", "))")
        }
        return SceneError(position, found: String(scalar), possible: possible)
    }

    private mutating func value(depth: Int) throws(SceneError) -> SceneJSON {
        skipSpace()
        let start = position
        guard depth < Self.maximumDepth else { throw SceneError(start, "too deep; a scene has three levels") }
        let value: SceneJSON.Value
        switch peek {
        case "{"?: value = .object(try object(depth: depth))
        case "["?: value = .array(try array(depth: depth))
        case "\""?: value = .string(try string())
        case let scalar? where scalar == "-" || ("0"..."9").contains(scalar):
            var text = ""
            while let digit = peek, digit.isASCII,
                digit.properties.isAlphabetic || "+-.0123456789".unicodeScalars.contains(digit)
            {
                text.unicodeScalars.append(digit)
                _ = take()
            }
            value = .number(text)
        case let scalar? where scalar.properties.isAlphabetic:
            var text = ""
            while let letter = peek, letter.properties.isAlphabetic, text.utf8.count < 60 {
                text.unicodeScalars.append(letter)
                _ = take()
            }
            switch text {
            case "true": value = .bool(true)
            case "false": value = .bool(false)
            case "null": value = .null
            default: throw SceneError(start, found: text, possible: ["a string", "a list", "an object"])
            }
        case let other: throw unexpected(other, possible: ["a string", "a list", "an object"])
        }
        return SceneJSON(value: value, position: start)
    }

    private mutating func object(depth: Int) throws(SceneError) -> [(name: String, value: SceneJSON)] {
        _ = take()
        var fields: [(name: String, value: SceneJSON)] = []
        skipSpace()
        if peek == "}" {
            _ = take()
            return fields
        }
        while true {
            skipSpace()
            let start = position
            guard peek == "\"" else { throw unexpected(peek, possible: ["\""]) }
            let name = try string()
            guard !fields.contains(where: { $0.name == name }) else {
                throw SceneError(start, "the field \"\(SceneError.shortened(name))\" is there twice")
            }
            skipSpace()
            guard peek == ":" else { throw unexpected(peek, possible: [":"]) }
            _ = take()
            fields.append((name, try value(depth: depth + 1)))
            guard fields.count <= 64 else { throw SceneError(start, "an object has at most 64 fields") }
            skipSpace()
            switch peek {
            case ","?: _ = take()
            case "}"?:
                _ = take()
                return fields
            case let other: throw unexpected(other, possible: [",", "}"])
            }
        }
    }

    private mutating func array(depth: Int) throws(SceneError) -> [SceneJSON] {
        _ = take()
        var elements: [SceneJSON] = []
        skipSpace()
        if peek == "]" {
            _ = take()
            return elements
        }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            switch peek {
            case ","?: _ = take()
            case "]"?:
                _ = take()
                return elements
            case let other: throw unexpected(other, possible: [",", "]"])
            }
        }
    }

    private mutating func string() throws(SceneError) -> String {
        let start = position
        _ = take()
        var text = String.UnicodeScalarView()
        while let scalar = take() {
            switch scalar {
            case "\"": return String(text)
            case "\\":
                let escape = take()
                switch escape {
                case "n"?: text.append("\n")
                case "r"?: text.append("\r")
                case "t"?: text.append("\t")
                case "b"?: text.append("\u{8}")
                case "f"?: text.append("\u{C}")
                case "\""?, "\\"?, "/"?: if let escape { text.append(escape) }
                case "u"?: text.append(try escapedScalar())
                case let other: throw unexpected(other, possible: ["n", "r", "t", "b", "f", "u", "\"", "\\", "/"])
                }
            case "\n": throw SceneError(start, "a quotation mark is missing at the end of this string")
            default: text.append(scalar)
            }
        }
        throw SceneError(start, "a quotation mark is missing at the end of this string")
    }

    private mutating func codeUnit() throws(SceneError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = take(), let digit = Character(scalar).hexDigitValue else {
                throw unexpected(peek, possible: ["four hexadecimal digits"])
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private mutating func escapedScalar() throws(SceneError) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), scalars[index...].starts(with: "\\u".unicodeScalars) else {
            return "\u{FFFD}"
        }
        let (next, place) = (index, position)
        _ = (take(), take())
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low) else {
            // It stands alone, and what follows is a character of its own.
            (index, position) = (next, place)
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }
}

/// Writes JSON.
enum JSONText {
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // "<" too: the text may stand in a page. A terminal obeys the others.
            case _ where scalar == "<" || TextWriter.isInvisible(scalar):
                for unit in scalar.utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Fields with strings, or lists of them.
    static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\(string($0.0)): \($0.1)" }.joined(separator: ", ") + "}"
    }

    static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ", ") + "]" }
}
