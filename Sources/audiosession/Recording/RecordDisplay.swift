/// The lines of a recording, and below them its meters where there is a terminal.
final class RecordDisplay: Display {
    private let lines: LineDisplay
    private let output: any TextOutput
    private let layout: RecordLayout
    private let inColor: Bool
    private let size: () -> TerminalSize
    private var region = LiveRegion()

    init(
        lines: LineDisplay, output: any TextOutput, layout: RecordLayout, inColor: Bool,
        size: @escaping () -> TerminalSize
    ) {
        self.lines = lines
        self.output = output
        self.layout = layout
        self.inColor = inColor
        self.size = size
    }

    var isClosed: Bool { lines.isClosed }

    func show(_ event: Event) {
        clear()
        lines.show(event)
    }

    func paint(_ now: NowRecording) {
        let size = size()
        output.write(region.paint(layout.lines(now, size: size), columns: size.columns, inColor: inColor))
    }

    func clear() { output.write(region.erase(columns: size().columns)) }
}
