/// Shows the events of a run.
///
/// The command thread.
protocol Display: AnyObject {
    /// The reader is gone.
    var isClosed: Bool { get }
    /// Whether `update` does anything, so that the main loop must wake up for it.
    var isLive: Bool { get }
    func show(_ event: Event)
    func update(_ content: any LiveContent)
    /// Erases the live content; the next `update` paints it again.
    func clear()
}

/// What a live display paints below the events.
///
/// Pure.
protocol LiveContent {
    /// At most `size.rows` lines, each narrower than the terminal, so that none wraps.
    func lines(size: TerminalSize, glyphs: Glyphs) -> [StyledLine]
}

/// One plain line per event; errors go to the error output.
///
/// No control codes.
final class LineDisplay: Display {
    enum Style { case text(arrow: String), json, errorsOnly }

    private let output: any TextOutput
    private let errors: any TextOutput
    private let style: Style

    init(output: any TextOutput, errors: any TextOutput, style: Style) {
        self.output = output
        self.errors = errors
        self.style = style
    }

    var isClosed: Bool { output.isClosed }
    var isLive: Bool { false }

    func show(_ event: Event) {
        let isError = if case .error = event.fact { true } else { false }
        if isError { errors.writeLine("audiosession: " + event.text(arrow: "->")) }
        switch style {
        case .errorsOnly: break
        case .json: output.writeLine(event.json.text)
        case .text(let arrow):
            if !isError { output.writeLine("\(NumberText.stamp(event.time)) \(event.text(arrow: arrow))") }
        }
    }

    func update(_ content: any LiveContent) {}
    func clear() {}
}

/// Live content at the bottom of the terminal, with the events scrolling above it.
final class LiveDisplay: Display {
    private let output: any TextOutput
    private let errors: any TextOutput
    private let glyphs: Glyphs
    private let inColor: Bool
    private let size: () -> TerminalSize
    private var region = LiveRegion()
    private var newest: (any LiveContent)?

    /// - Parameter size: asked before each painting, so that a resize needs no bookkeeping.
    init(
        output: any TextOutput, errors: any TextOutput, glyphs: Glyphs, inColor: Bool,
        size: @escaping () -> TerminalSize
    ) {
        self.output = output
        self.errors = errors
        self.glyphs = glyphs
        self.inColor = inColor
        self.size = size
    }

    var isClosed: Bool { output.isClosed }
    var isLive: Bool { true }

    func show(_ event: Event) {
        let text = event.text(arrow: glyphs.arrow)
        output.write(region.erase(columns: size().columns))
        if case .error = event.fact {
            errors.writeLine("audiosession: \(text)")
        } else {
            var line = StyledLine(NumberText.stamp(event.time), .dim)
            line.append(" \(text)")
            output.writeLine(line.rendered(inColor: inColor))
        }
        if let newest { update(newest) }
    }

    func update(_ content: any LiveContent) {
        newest = content
        let size = size()
        let lines = content.lines(size: size, glyphs: glyphs)
        output.write(region.paint(lines, columns: size.columns, inColor: inColor))
    }

    func clear() {
        output.write(region.erase(columns: size().columns))
        newest = nil
    }
}

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
