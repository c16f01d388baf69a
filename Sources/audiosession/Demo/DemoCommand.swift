import ArgumentParser
import Foundation

/// `audiosession demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show how playback reacts to unplugs, calls and server crashes, without hardware.",
        discussion: """
            The file plays on the simulated host. In a terminal, these keys work: u unplugs the headphones, p plugs them \
            in, c starts and ends a call, x stops and starts the server. Without a terminal, or with --scene, a script \
            runs in virtual time and prints a timeline with the level of each output. The exit status is 1 if an output \
            played when it should be silent, or was silent when it should play, and if the file ended before the \
            scene's event.

            EXAMPLES
              audiosession demo song.flac
              audiosession demo song.flac --scene call
            """)

    @Argument(help: "An audio file of at least 7 s.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The scene: headphones, call, takeover (by another app) or crash (of the server). (default: headphones)",
            valueName: "scene"))
    var scene: DemoScene?

    @Flag(help: "Run the script even in a terminal.")
    var script = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        if !script && scene == nil && Terminal.canPaint(environment) && Terminal().isForeground {
            return try PlayPlan(items: PlayPlan.items([file])).run(host: .simulated, style: .live)
        }
        try CommandThread.run { [file, scene] () throws(BackendError) in
            try Self.perform(file, scene ?? .headphones, environment)
        }
    }

    /// - Throws: also if an expectation was not met.
    private static func perform(
        _ file: String, _ scene: DemoScene, _ environment: [String: String]
    ) throws(BackendError) {
        let backend = try makeBackend(host: .simulated)
        defer { backend.close() }
        try backend.configure(SessionSettings())
        guard let simulator = backend.simulator else {
            throw BackendError(
                code: .program(.notSimulated), message: "the simulated host has no controls; please report this.")
        }
        let glyphs = Glyphs.forLocale(environment)
        let run = DemoRun(backend: backend, simulator: simulator, script: scene.script, arrow: glyphs.arrow)
        let report = try run.perform(file: file)
        try DescriptorOutput.print(report.lines(glyphs: glyphs))
        try report.check()
    }
}

extension DemoScene: ExpressibleByArgument {}
