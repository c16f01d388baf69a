import AudioModel
import AudioRuntime
import Foundation
import Glibc
import SessionCore

/// Sets the stage for a run of `play`, runs it, and clears up.
struct Performance {
    enum Style: Sendable { case text, json, quiet }

    var plan: PlayPlan
    /// nil follows the session's route.
    var device: DeviceWish?
    var host: HostChoice?
    var style: Style

    /// False when an error was reported on the way.
    ///
    /// Main thread, which serves the session's news meanwhile.
    /// - Throws: `StudioError` when it cannot begin.
    func run() throws(StudioError) -> Bool {
        let terminal = Terminal()
        let mailbox = try Mailbox<PlayRunner.Input>()
        Signals.listen(beforeExit: { terminal.restore() }, deliver: { mailbox.post(.signal($0)) })
        return try VerbThread.run { () throws(StudioError) in try perform(mailbox, terminal) }
    }

    private func perform(_ mailbox: Mailbox<PlayRunner.Input>, _ terminal: Terminal) throws(StudioError) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        let stopwatch = Stopwatch()
        let studio = try Library.openStudio(host: host)
        defer { studio.close() }
        try studio.configure(plan.configuration)
        let isLive = style == .text && Terminal.canPaint(environment)
        let query = DeviceQuery(
            usable: studio.outputs.all, connected: studio.ports.outputs, category: plan.configuration.category)
        var plan = try plan.following(device, among: query)
        plan.isInteractive = isLive
        if plan.choice != .automatic { try studio.choose(plan.choice) }
        let output = DescriptorOutput(STDOUT_FILENO)
        let display = makeDisplay(on: output, isLive: isLive, terminal: terminal, environment: environment)
        let runner = PlayRunner(
            studio: studio, plan: plan, display: display, stopwatch: stopwatch, deliver: { mailbox.post($0) })
        studio.phone?.runInRealTime()
        MainLoop(mailbox: mailbox, runner: runner, display: display, terminal: terminal, wantsKeys: isLive).run()
        try output.finish()
        return !runner.hasFailed
    }

    private func makeDisplay(
        on output: DescriptorOutput, isLive: Bool, terminal: Terminal, environment: [String: String]
    ) -> any Display {
        let errors = DescriptorOutput(STDERR_FILENO)
        let glyphs = Glyphs.forLocale(environment)
        if isLive {
            return LiveDisplay(
                output: output, errors: errors, layout: LiveLayout(glyphs: glyphs),
                inColor: (environment["NO_COLOR"] ?? "").isEmpty, size: { terminal.size })
        }
        let lines: LineDisplay.Style =
            switch style {
            case .json: .json
            case .quiet: .errorsOnly
            case .text: .text(arrow: glyphs.arrow)
            }
        return LineDisplay(output: output, errors: errors, style: lines)
    }
}
