extension SceneHistory {
    /// One JSON object a line: each entry, then a last one with what was not met.
    public var json: String {
        let lines = entries.map { entry in
            var fields = [
                ("time", "\(entry.time.seconds)"), ("who", JSONText.string(entry.what.lane)),
                ("what", JSONText.string(entry.what.words)),
            ]
            if let notice = entry.what.notice { fields.append(("notice", JSONText.string(notice))) }
            return JSONText.object(fields)
        }
        let result = JSONText.object([
            ("time", "\(duration.seconds)"), ("who", JSONText.string("result")),
            ("failures", JSONText.array(failures.map { JSONText.string($0.description) })),
            ("objections", JSONText.array(objections.map(JSONText.string))),
            (
                "outputs",
                JSONText.array(
                    sounds.map { sound in
                        JSONText.object([("name", JSONText.string(sound.name)), ("frames", "\(sound.frames)")])
                    })
            ),
        ])
        return (lines + [result]).joined(separator: "\n") + "\n"
    }
}

/// Writes JSON.
private enum JSONText {
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
