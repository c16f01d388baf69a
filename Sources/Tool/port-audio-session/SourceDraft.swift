/// A source, and what the rules make of it: the changes, and what is left to a person.
///
/// Positions are those of the source as it was.
struct SourceDraft {
    struct Remark: Hashable {
        var line: Int
        var text: String
    }

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    let source: SourceText
    /// Empty where no rule needs them.
    let scopes: [SourceText.Scope]
    /// A module of Apple's screens whose names the file uses.
    let screen: String?
    /// Where a rule writes a name that comes with AVFoundation.
    private(set) var ownNames: [Int] = []
    private var edits: [Edit] = []
    private var notes: [Remark] = []

    init(_ text: String) {
        source = SourceText(text)
        screen = ScreenImports.needed(by: source)
        let needsScopes = ["#selector", "@objc", "override"].contains(where: source.contains)
        scopes = needsScopes ? source.scopes() : []
    }

    /// The source with all changes.
    var text: String {
        var bytes = source.bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// In the order of the lines.
    var remarks: [Remark] { notes.sorted { $0.line < $1.line } }

    mutating func replace(_ range: Range<Int>, with text: String) { edits.append(Edit(range: range, text: text)) }

    mutating func insert(_ text: String, at position: Int) { replace(position..<position, with: text) }

    mutating func remark(_ position: Int, _ text: String) {
        notes.append(Remark(line: source.line(at: position), text: text))
    }

    mutating func noteOwnName(at position: Int) { ownNames.append(position) }

    /// The qualified name of the type or extension around the position.
    func type(around position: Int) -> String? { scopes.last { $0.body.contains(position) }?.type }
}

extension String {
    var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
