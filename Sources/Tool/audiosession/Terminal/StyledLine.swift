/// A line of styled text whose width on the terminal is known.
struct StyledLine: Hashable {
    /// The raw values are the parameters of SGR sequences.
    enum Look: String { case plain = "", bold = "1", dim = "2", good = "32", warning = "33" }

    struct Span: Hashable {
        var text: String
        var look: Look
    }

    private(set) var spans: [Span] = []

    init() {}

    init(_ text: String, _ look: Look = .plain) { append(text, look) }

    /// - Parameter text: may be untrusted; control characters are replaced.
    mutating func append(_ text: String, _ look: Look = .plain) {
        spans.append(Span(text: text.printable, look: look))
    }

    static func + (line: StyledLine, rest: StyledLine) -> StyledLine {
        var line = line
        line.spans += rest.spans
        return line
    }

    var columns: Int { spans.reduce(0) { $0 + DisplayWidth.columns(of: $1.text) } }

    /// Cut to at most `limit` columns.
    func truncated(to limit: Int, ellipsis: String) -> StyledLine {
        guard columns > limit else { return self }
        var (line, room) = (StyledLine(), limit)
        for span in spans {
            let width = DisplayWidth.columns(of: span.text)
            // The whole line is too long: more text follows a span that fills the room exactly.
            guard width < room else {
                line.append(DisplayWidth.truncate(span.text + ellipsis, to: room, ellipsis: ellipsis), span.look)
                break
            }
            line.append(span.text, span.look)
            room -= width
        }
        return line
    }

    /// The text with SGR sequences around the spans, or bare.
    func rendered(inColor: Bool) -> String {
        spans.map { span in
            inColor && span.look != .plain ? "\u{1B}[\(span.look.rawValue)m\(span.text)\u{1B}[0m" : span.text
        }.joined()
    }
}
