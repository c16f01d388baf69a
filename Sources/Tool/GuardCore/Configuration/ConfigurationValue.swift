/// A value of a configuration file in SPA-JSON; every text is untrusted.
package struct ConfigurationValue: Hashable, Sendable {
    package indirect enum Kind: Hashable, Sendable {
        case text(String)
        /// The word null, without quotation marks.
        case null
        case list([ConfigurationValue])
        case table([ConfigurationField])
    }

    package var kind: Kind
    /// Counted from 1.
    package var line: Int

    package init(_ kind: Kind, line: Int) {
        self.kind = kind
        self.line = line
    }

    /// nil for a list, a table and null.
    package var text: String? { if case .text(let text) = kind { text } else { nil } }

    /// Names the value in an error message.
    var words: String {
        switch kind {
        case .text(let text): "'\(text.printable)'"
        case .null: "null"
        case .list: "a list"
        case .table: "a table"
        }
    }
}

/// "key = value" in a table or a file.
package struct ConfigurationField: Hashable, Sendable {
    package var key: String
    package var line: Int
    package var value: ConfigurationValue

    package init(key: String, line: Int, value: ConfigurationValue) {
        self.key = key
        self.line = line
        self.value = value
    }
}

/// The regular expressions of PipeWire's rules, passed in because this module imports no library for them.
package struct PatternLanguage: Sendable {
    /// The error in a pattern; nil if the pattern is valid.
    package let fault: @Sendable (_ pattern: String) -> String?
    /// Whether the pattern matches anywhere in the text.
    package let matches: @Sendable (_ pattern: String, _ text: String) -> Bool

    package init(
        fault: @escaping @Sendable (_ pattern: String) -> String?,
        matches: @escaping @Sendable (_ pattern: String, _ text: String) -> Bool
    ) {
        self.fault = fault
        self.matches = matches
    }

    /// For a machine without rules: no pattern matches.
    package static let none = PatternLanguage(fault: { _ in nil }, matches: { _, _ in false })
}
