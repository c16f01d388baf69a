/// Why a text is no scene.
public struct SceneError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the text, from 1.
    public var line: Int
    /// The column of that line, in characters from 1.
    public var column: Int
    /// What was found, and what was possible there.
    public var message: String

    package init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = Self.printable(message)
    }

    init(_ position: SourcePosition, _ message: String) {
        self.init(line: position.line, column: position.column, message: message)
    }

    /// "line 3, column 7: found \"hedphones\"; possible here: headphones, headset".
    public var description: String { "line \(line), column \(column): \(message)" }
}

/// A place in a text.
package struct SourcePosition: Hashable, Sendable {
    var line: Int
    var column: Int

    package static let start = SourcePosition(line: 1, column: 1)
}

extension SceneError {
    /// - Parameters:
    ///   - found: the text there; nil at the end.
    ///   - possible: what was possible there.
    init(_ position: SourcePosition, found: String?, possible: some Sequence<String>) {
        var seen: Set<String> = []
        let distinct = possible.filter { seen.insert($0).inserted }
        let listed = distinct.prefix(40).map(Self.shortened).joined(separator: ", ")
        let shown = listed + (distinct.count > 40 ? ", and others" : "")
        let what = found.map { "found \"\(Self.shortened($0))\"" } ?? "the line ends"
        self.init(position, "\(what); possible here: \(shown)")
    }

    /// The first 60 characters of the file's text.
    static func shortened(_ text: String) -> String { text.count > 60 ? text.prefix(60) + "…" : text }

    /// Names of the file are in messages, also among those that are possible.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isShown($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format: false
        default: true
        }
    }
}
