/// Shows the events of a run; errors go to the error output.
///
/// The command thread.
final class Display {
    enum Style {
        /// One plain line per event, without control codes.
        case text(arrow: String)
        /// The same as JSON, also of errors.
        case json
        case errorsOnly
        /// Live content at the bottom of the terminal, with the events scrolling above it.
        ///
        /// `size` is asked before each painting, so that a resize needs no bookkeeping.
        case live(Glyphs, inColor: Bool, size: () -> TerminalSize)
    }

    /// How events are told.
    enum Wording {
        /// For people who play and record.
        case plain
        /// By the names of Apple's notifications.
        case notifications
    }

    private let output: any TextOutput
    private let errors: any TextOutput
    private let style: Style
    private let wording: Wording
    private var region = LiveRegion()
    private var newest: LiveContent?

    init(output: any TextOutput, errors: any TextOutput, style: Style, wording: Wording = .plain) {
        self.output = output
        self.errors = errors
        self.style = style
        self.wording = wording
    }

    /// The reader is gone.
    var isClosed: Bool { output.isClosed }
    /// Whether `update` does anything, so that the main loop must wake up for it.
    var isLive: Bool { if case .live = style { true } else { false } }

    func show(_ event: Event) {
        if case .live(_, _, let size) = style { output.write(region.erase(columns: size().columns)) }
        if case .error(let error, _) = event.fact {
            errors.writeMessage("audiosession: \(error.message.printable)")
            if case .json = style { output.writeLine(event.json.text) }
        } else if case .json = style {
            output.writeLine(event.json.text)
        } else if let text = text(of: event) {
            write(text, time: event.time)
        }
        if let newest { update(newest) }
    }

    /// Says what a person can do, where only lines are shown: a live display has its keys.
    func advise(_ text: String, time: Double) {
        if case .text = style { write(text, time: time) }
    }

    private func text(of event: Event) -> String? {
        switch wording {
        case .plain: event.plainText(arrow: arrow)
        case .notifications: event.text(arrow: arrow)
        }
    }

    private func write(_ text: String, time: Double) {
        let stamp = NumberText.stamp(time)
        switch style {
        case .errorsOnly, .json: break
        case .text: output.writeLine("\(stamp) \(text)")
        case .live(_, let inColor, let size):
            let width = DisplayWidth.columns(of: stamp) + 1
            let lines = WordWrap.lines(text, columns: max(1, size().columns - 1 - width), indent: 0)
            for (index, line) in lines.enumerated() {
                var styled = StyledLine(index == 0 ? stamp : String(repeating: " ", count: width - 1), .dim)
                styled.append(" \(line)")
                output.writeLine(styled.rendered(inColor: inColor))
            }
        }
    }

    private var arrow: String {
        switch style {
        case .text(let arrow): arrow
        case .live(let glyphs, _, _): glyphs.arrow
        case .json, .errorsOnly: "->"
        }
    }

    func update(_ content: @escaping LiveContent) {
        guard case .live(let glyphs, let inColor, let size) = style else { return }
        newest = content
        let now = size()
        output.write(
            region.paint(content(now, glyphs), columns: now.columns, inColor: inColor))
    }

    /// Erases the live content; the next `update` paints it again.
    func clear() {
        guard case .live(_, _, let size) = style else { return }
        output.write(region.erase(columns: size().columns))
        newest = nil
    }
}

/// What a live display paints below the events: at most `size.rows` lines, each narrower than the terminal, so that none
/// wraps.
///
/// Pure.
typealias LiveContent = (_ size: TerminalSize, Glyphs) -> [StyledLine]

/// The lines at the bottom of a terminal that are repainted while other lines scroll above them.
///
/// Pure: returns the characters to write. The cursor stays at the end of the last painted line.
struct LiveRegion {
    private var painted: [StyledLine] = []
    private var paintedColumns = 0

    /// Paints `lines` in place of the old ones; returns "" if they are the same.
    ///
    /// - Parameter columns: the terminal's width; every line must be narrower, or it would wrap.
    mutating func paint(_ lines: [StyledLine], columns: Int, inColor: Bool) -> String {
        guard lines != painted || columns != paintedColumns else { return "" }
        let erasing = erase(columns: columns)
        painted = lines
        paintedColumns = columns
        return erasing + lines.map { $0.rendered(inColor: inColor) }.joined(separator: "\r\n")
    }

    /// Erases the region; the cursor moves to the start of its first line.
    mutating func erase(columns: Int) -> String {
        guard !painted.isEmpty else { return "" }
        // A terminal that becomes narrower wraps the old lines: count the rows that they fill now.
        let width = max(1, columns)
        let rows = painted.reduce(0) { $0 + max(1, ($1.columns + width - 1) / width) }
        painted = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }
}
