internal import AudioModel
internal import CPipeWireGuardShims
package import GuardCore

/// Reads SPA-JSON with libspa, and matches the patterns of PipeWire's rules.
package enum ConfigurationText {
    package struct Fault: Error, Hashable, Sendable {
        /// nil: it is a fault of the whole file.
        package let line: Int?
        package let words: String
    }

    /// The most bytes of a file.
    package static let mostBytes = 64 * 1024

    /// - Parameter bytes: the contents of a file; untrusted.
    package static func fields(_ bytes: [UInt8]) throws(Fault) -> [ConfigurationField] {
        guard bytes.count <= mostBytes else {
            throw Fault(line: 1, words: "has more than \(mostBytes) bytes, and is not read; divide it")
        }
        // libspa before 1.0 reads a comment at the end as a word.
        let text = bytes + [UInt8(ascii: "\n")]
        let lines = Lines(text)
        var tokens: [Token] = []
        var fault = 0
        let status = text.withUnsafeBytes { text in
            withUnsafeMutablePointer(to: &tokens) { tokens in
                oav_conf_read(
                    text.baseAddress!.assumingMemoryBound(to: CChar.self), text.count,
                    { data, kind, text, offset in
                        data.assumingMemoryBound(to: [Token].self).pointee.append(
                            Token(kind: kind, text: text.map { String(cString: $0) } ?? "", offset: offset))
                    }, tokens, &fault)
            }
        }
        guard status == OAV_CONF_OK else { throw Fault(line: lines.line(of: fault), words: words(status)) }
        var reader = TokenReader(tokens: tokens[...], lines: lines)
        return try reader.file()
    }

    package static let patterns = PatternLanguage(
        fault: { pattern in
            let (isWrong, words) = withShimText { oav_conf_pattern_fault(pattern, $0, $1) }
            return isWrong ? words : nil
        },
        matches: { oav_conf_pattern_matches($0, $1) })

    private static func words(_ status: oav_conf_status) -> String {
        switch status {
        case OAV_CONF_UNCLOSED: "has a bracket or quotation mark that is not closed, or by the wrong bracket"
        case OAV_CONF_TOO_DEEP: "has more than \(OAV_CONF_DEPTH) brackets within each other"
        case OAV_CONF_TOO_LONG: "has a text of more than \(OAV_CONF_TEXT) bytes"
        case OAV_CONF_UNAVAILABLE: "is not read: this program was built without libpipewire"
        default: "has a character that may not be there, or a bracket that nothing has opened"
        }
    }

    fileprivate struct Token {
        let kind: oav_conf_token
        let text: String
        let offset: Int
    }

    fileprivate struct Lines {
        /// The offsets at which lines begin, except the first line.
        private let starts: [Int]

        init(_ text: [UInt8]) { starts = text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 } }

        func line(of offset: Int) -> Int { (starts.firstIndex { $0 > offset } ?? starts.count) + 1 }
    }

    /// Builds fields from the tokens; the shim has already checked brackets and depth.
    private struct TokenReader {
        var tokens: ArraySlice<Token>
        let lines: Lines

        /// Reads a file with or without braces around its contents.
        mutating func file() throws(Fault) -> [ConfigurationField] {
            if tokens.first?.kind == OAV_CONF_OBJECT {
                let line = lines.line(of: tokens.removeFirst().offset)
                let fields = try table()
                guard tokens.isEmpty else { throw Fault(line: line, words: "has something after its last brace") }
                return fields
            }
            return try table()
        }

        private mutating func table() throws(Fault) -> [ConfigurationField] {
            var fields: [ConfigurationField] = []
            while let key = tokens.popFirst(), key.kind != OAV_CONF_END {
                let line = lines.line(of: key.offset)
                guard key.kind == OAV_CONF_WORD || key.kind == OAV_CONF_STRING else {
                    throw Fault(line: line, words: "has a bracket where a key must be: KEY = VALUE")
                }
                guard let value = try value() else {
                    throw Fault(line: line, words: "has the key '\(key.text.printable)' without a value")
                }
                fields.append(ConfigurationField(key: key.text, line: line, value: value))
            }
            return fields
        }

        /// - Returns: nil at the end of the container.
        private mutating func value() throws(Fault) -> ConfigurationValue? {
            guard let token = tokens.first, token.kind != OAV_CONF_END else { return nil }
            tokens.removeFirst()
            let kind: ConfigurationValue.Kind
            switch token.kind {
            case OAV_CONF_OBJECT: kind = .table(try table())
            case OAV_CONF_ARRAY:
                var values: [ConfigurationValue] = []
                while let next = try value() { values.append(next) }
                _ = tokens.popFirst()
                kind = .list(values)
            case OAV_CONF_WORD where token.text == "null": kind = .null
            default: kind = .text(token.text)
            }
            return ConfigurationValue(kind, line: lines.line(of: token.offset))
        }
    }
}
