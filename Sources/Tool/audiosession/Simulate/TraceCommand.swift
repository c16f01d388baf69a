import ArgumentParser
import Foundation
import Threading

/// `audiosession trace`.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Write what happens to the audio system as a scene.",
        discussion: """
            Devices, other programs and the sound server as a session sees them, until Control-C or for a time. 'audiosession \
            simulate' runs the scene. Names of devices and programs are replaced by port-1, name-1..., unless --names is given.

            For an app that uses this library, AUDIOSESSION_TRACE=FILE writes a trace with what the app does, too; \
            'audiosession simulate FILE --print' makes a scene of it.

            EXAMPLES
              audiosession trace --for 30 -o desk.scene
              audiosession simulate desk.scene --report desk.html
            """)

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
    var seconds: Double?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the scene there, and not to the standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Keep the names of devices and programs.")
    var names = false

    @OptionGroup var host: HostOption

    func validate() throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= 86400 else {
            throw ValidationError("The time of --for is \(seconds) s. Use a number above 0, up to 86400.")
        }
    }

    func run() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "audiosession-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("trace.scene").path
        // The session's own trace is the source: there is one recorder of what a session sees.
        setenv("AUDIOSESSION_TRACE", path, 1)
        if names { setenv("AUDIOSESSION_TRACE_NAMES", "1", 1) } else { unsetenv("AUDIOSESSION_TRACE_NAMES") }
        let (host, seconds) = (host.host, seconds)
        try CommandThread.run { () throws(BackendError) in
            let backend = try makeBackend(host: host)
            let stopped = Latch()
            Signals.listen(beforeExit: {}, deliver: { if $0 == .leave { stopped.raise() } })
            if let seconds { stopped.wait(timeoutSeconds: seconds) } else { stopped.wait() }
            backend.close()
        }
        let scene = try String(contentsOfFile: path, encoding: .utf8)
        guard let output else { return try DescriptorOutput.print([String(scene.dropLast())]) }
        try SceneRun.write(scene, to: output)
    }
}
