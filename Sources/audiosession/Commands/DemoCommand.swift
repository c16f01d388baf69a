import ArgumentParser
import AudioModel
import Foundation
import Glibc

/// `audiosession demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what happens when the headphones go away, without any hardware.",
        discussion: """
            Plays on the simulated host. In a terminal you hold the plug: u unplugs the headphones, p plugs them in. \
            Elsewhere, or with --script, a script does it in virtual time and prints a timeline with a picture of what \
            each output played; the exit status is 1 if the speaker played a single frame.
            """)

    @Argument(help: "An audio file; without one, a tune of the program's own.", completion: .file())
    var file: String?

    @Flag(help: "Run the script in a terminal too.")
    var script = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let sample = file == nil ? try TemporaryFile(name: "sample.wav", bytes: SampleTune.wav()) : nil
        defer { withExtendedLifetime(sample) {} }
        guard let path = file ?? sample?.path else { return }
        if !script && Terminal.canPaint(environment) && Terminal().isForeground {
            let performance = Performance(
                plan: PlayPlan(files: [path]), configuration: SessionConfiguration(category: .playback), device: nil,
                host: .simulated, style: .text)
            if try performance.run() == false { throw ExitCode(1) }
            return
        }
        let studio = try Library.openStudio(host: .simulated)
        defer { studio.close() }
        try studio.configure(SessionConfiguration(category: .playback))
        guard let phone = studio.phone else {
            throw StudioError(code: "notSimulated", message: "the simulated host gave no controls; please report this.")
        }
        phone.plugHeadphones()
        phone.advance(bySeconds: 0)
        let glyphs = Glyphs.forLocale(environment)
        let run = DemoRun(studio: studio, phone: phone, script: .headphonesLeave, arrow: glyphs.arrow)
        let report = try run.perform(file: path)
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in report.lines(glyphs: glyphs) { output.writeLine(line) }
        try output.finish()
        if !report.isKept { throw ExitCode(1) }
    }
}
