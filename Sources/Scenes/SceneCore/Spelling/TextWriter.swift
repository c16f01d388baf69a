extension AudioScene {
    /// The scene as a text that ``init(text:)`` reads as the same scene.
    public var text: String {
        var lines = ["scene \(Self.version)"]
        for (verb, values) in header { lines.append(TextWriter.text(of: (verb, values), in: SceneGrammar.header)) }
        for line in self.lines {
            switch line.statement {
            case .event(let time, let actions):
                lines.append("at \(time.spelling) " + actions.map(\.text).joined(separator: " and "))
            case .expectation(let expectation): lines.append("expect " + expectation.text)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The lines before the first event, without the version.
    var header: [(verb: String, values: [String: [String]])] {
        var header: [(verb: String, values: [String: [String]])] = []
        if !title.isEmpty { header.append(("title", ["title": [title]])) }
        if let link { header.append(("link", ["link": [link]])) }
        if machine != .phone { header.append(("machine", ["machine": [machine.rawValue]])) }
        for port in ports { header.append((Self.portVerb, port.values)) }
        if !plugged.isEmpty { header.append(("plugged", ["devices": plugged])) }
        return header
    }

    static let portVerb = "port"
}

extension AudioScene.Port {
    var values: [String: [String]] {
        func list(_ text: String?) -> [String] { text.map { [$0] } ?? [] }
        return [
            "name": [name], "direction": [isInput ? "input" : "output"], "kind": [kind], "label": list(label),
            "channels": channels == 2 ? [] : ["\(channels)"], "hertz": list(hertz.map { $0.spelling + "Hz" }),
            "device": list(device), "jack": list(jackOf),
        ]
    }
}

/// Writes the text of phrases.
enum TextWriter {
    static func text(of spelling: (verb: String, values: [String: [String]]), in phrases: [Phrase]) -> String {
        var text = ""
        write(SceneGrammar.phrase(spelling.verb, in: phrases).pieces, spelling.values, to: &text)
        return text
    }

    private static func write(_ pieces: [Phrase.Piece], _ values: [String: [String]], to text: inout String) {
        for piece in pieces {
            switch piece {
            case .word(","): text += ","
            case .word(let word): add(word, to: &text)
            case .value(let name, let type), .repeated(let name, let type):
                for value in values[name, default: []] {
                    if case .choice = type { add(value, to: &text) } else { add(word(value), to: &text) }
                }
            case .optional(let inner):
                let isThere = inner.contains { piece in
                    switch piece {
                    case .value(let name, _), .repeated(let name, _): values[name]?.isEmpty == false
                    case .word, .optional: false
                    }
                }
                if isThere { write(inner, values, to: &text) }
            }
        }
    }

    private static func add(_ word: String, to text: inout String) { text += text.isEmpty ? word : " " + word }

    /// The value alone where it is one word, else in quotation marks.
    static func word(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x3A, 0x25, 0x2B: true
                default: false
                }
            }
        // A name that is a word of the grammar is read as a name where a name is possible, and only there.
        if isPlain { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || Self.isHidden(scalar):
                text += "\\u" + String(scalar.value, radix: 16, uppercase: true) + "."
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: isInvisible(scalar) || joins(scalar)
        }
    }

    /// Whether it makes one character with a quotation mark beside it, which a reader of characters does not see then.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && "\"\(scalar)\"".count != 3
    }

    /// What a terminal does not show, but obeys.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
