import ArgumentParser
import AudioModel
import Foundation
import Glibc

/// `audiosession demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what happens when headphones leave, calls come and servers die, without any hardware.",
        discussion: """
            Plays on the simulated host. In a terminal you hold the plug: u unplugs the headphones, p plugs them in, c \
            lets a call come and end, x kills the server and starts it again. Elsewhere, or with --scene, a script does \
            it in virtual time and prints a timeline with a picture of what each output played; the exit status is 1 if \
            anything sounded where it should not, or did not where it should.

            EXAMPLES
              audiosession demo song.flac
              audiosession demo song.flac --scene call
            """)

    @Argument(help: "An audio file of some 7 s or more.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "What to show: headphones, call, takeover (another app) or crash (of the server). (default: headphones)",
            valueName: "scene"))
    var scene: DemoScene?

    @Flag(help: "Run the script in a terminal too.")
    var script = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        if !script && scene == nil && Terminal.canPaint(environment) && Terminal().isForeground {
            let performance = Performance(
                plan: PlayPlan(items: PlayPlan.items([file])), device: nil, host: .simulated, style: .text)
            if try performance.run() == false { throw ExitCode(1) }
            return
        }
        let isKept = try VerbThread.run { [file, scene] () throws(StudioError) in
            try Self.perform(file, scene ?? .headphones, environment)
        }
        if !isKept { throw ExitCode(1) }
    }

    /// False when the library broke a promise.
    private static func perform(
        _ file: String, _ scene: DemoScene, _ environment: [String: String]
    ) throws(StudioError) -> Bool {
        let studio = try Library.openStudio(host: .simulated)
        defer { studio.close() }
        try studio.configure(DemoRun.configuration)
        guard let phone = studio.phone else {
            throw StudioError(code: "notSimulated", message: "the simulated host gave no controls; please report this.")
        }
        let glyphs = Glyphs.forLocale(environment)
        let run = DemoRun(studio: studio, phone: phone, script: scene.script, arrow: glyphs.arrow)
        let report = try run.perform(file: file)
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in report.lines(glyphs: glyphs) { output.writeLine(line) }
        try output.finish()
        return report.isKept
    }
}

extension DemoScene: ExpressibleByArgument {}
