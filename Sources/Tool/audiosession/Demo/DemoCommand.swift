import ArgumentParser
import SceneCore

/// `audiosession demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show how playback reacts to unplugs, calls and server crashes, without hardware.",
        discussion: """
            The file plays on a simulated machine, again and again if it is short, while one of the scenes happens that \
            'audiosession simulate' lists. It runs in virtual time, so that the result is there at once: a timeline with the level \
            of each output. The exit status is 1 if an output played when it should be silent, or was silent when it should play.

            To do the same by hand, in real time: audiosession play --host simulated song.flac

            EXAMPLES
              audiosession demo song.flac
              audiosession demo song.flac --scene call
            """)

    @Argument(help: "An audio file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The scene: headphones-leave, call, takeover (by another app), media-services-reset (the server crashes)...",
            valueName: "scene"),
        completion: .list(AudioScene.wellKnownNames))
    var scene = "headphones-leave"

    func validate() throws {
        guard AudioScene.wellKnown(scene) == nil else { return }
        throw ValidationError(
            "The scene is '\(scene.printable)'. Use one of \(AudioScene.wellKnownNames.joined(separator: ", ")).")
    }

    func run() throws {
        guard let scene = AudioScene.wellKnown(scene) else { return }
        let isMet = try CommandThread.run { [file] () throws(BackendError) in
            let isMet = try SceneRun(scene: scene, files: [file], loops: true).perform()
            try DescriptorOutput.print(["By hand, in real time: audiosession play --host simulated \(file.printable)"])
            return isMet
        }
        if !isMet { throw ExitCode(1) }
    }
}
