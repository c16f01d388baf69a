import ArgumentParser
import Foundation

/// `audiosession demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show how playback reacts to unplugs, calls and server crashes, without hardware.",
        discussion: """
            The file plays on the simulated host, again and again if it is short. A script runs in virtual time, so that the \
            result is there at once: a timeline with the level of each output. The exit status is 1 if an output played \
            when it should be silent, or was silent when it should play.

            To do the same by hand, in real time: audiosession play --host simulated song.flac

            EXAMPLES
              audiosession demo song.flac
              audiosession demo song.flac --scene call
            """)

    @Argument(help: "An audio file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The scene: unplug, call, takeover (by another app) or crash (of the server).", valueName: "scene"))
    var scene = DemoScene.unplug

    func run() throws {
        try CommandThread.run { [file, scene] () throws(BackendError) in
            try Self.perform(file, scene, ProcessInfo.processInfo.environment)
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
        try DescriptorOutput.print(["By hand, in real time: audiosession play --host simulated \(file.printable)"])
    }
}

extension DemoScene: ExpressibleByArgument {}
