/// Where the story of a run is told.
///
/// The verb's thread.
protocol Display: AnyObject {
    /// Nobody can read it any more.
    var isClosed: Bool { get }
    /// Whether `update` does anything, so that time has to be asked for.
    var isMoving: Bool { get }
    func show(_ event: Event)
    func update(_ now: NowPlaying)
    /// Takes the moving picture off the screen; the next `update` brings it back.
    func clear()
}

extension Display {
    var isMoving: Bool { false }
    func update(_ now: NowPlaying) {}
    func clear() {}
}

/// One plain line an event; errors go to the error output.
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

    func show(_ event: Event) {
        let isError = if case .error = event.fact { true } else { false }
        if isError { errors.writeLine("audiosession: " + event.text(arrow: "->")) }
        switch style {
        case .errorsOnly: break
        case .json: output.writeLine(event.json.text)
        case .text(let arrow):
            if !isError { output.writeLine("\(TimeText.stamp(event.time)) \(event.text(arrow: arrow))") }
        }
    }
}
