/// A moving picture at the bottom of the terminal, with the events scrolling above it.
final class LiveDisplay: Display {
    private let output: any TextOutput
    private let errors: any TextOutput
    private let layout: LiveLayout
    private let inColor: Bool
    private let size: () -> TerminalSize
    private var region = LiveRegion()
    private var newest: NowPlaying?

    /// - Parameter size: asked before each painting, so that a resize needs no bookkeeping.
    init(
        output: any TextOutput, errors: any TextOutput, layout: LiveLayout, inColor: Bool,
        size: @escaping () -> TerminalSize
    ) {
        self.output = output
        self.errors = errors
        self.layout = layout
        self.inColor = inColor
        self.size = size
    }

    var isClosed: Bool { output.isClosed }
    var isMoving: Bool { true }

    func show(_ event: Event) {
        let text = event.text(arrow: layout.glyphs.arrow)
        output.write(region.erase(columns: size().columns))
        if case .error = event.fact {
            errors.writeLine("audiosession: \(text)")
        } else {
            var line = StyledLine(TimeText.stamp(event.time), .dim)
            line.append(" \(text)")
            output.writeLine(line.rendered(inColor: inColor))
        }
        if let newest { update(newest) }
    }

    func update(_ now: NowPlaying) {
        newest = now
        let size = size()
        output.write(region.paint(layout.lines(now, size: size), columns: size.columns, inColor: inColor))
    }

    func clear() {
        output.write(region.erase(columns: size().columns))
        newest = nil
    }
}
