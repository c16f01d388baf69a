import Foundation
import TestAudio
import Testing

/// Wrong input: each mistake has its exit status and one clear sentence.
@Suite("audiosession and bad input", .ownThread, .serialized)
struct BadInputTests {
    private let machine: MachineWithoutServer

    init() throws { machine = try MachineWithoutServer() }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var words: [String]
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String..., names words: String...) { (self.arguments, self.words) = (arguments, words) }
    }

    static let usage: [Mistake] = [
        .init("play", names: "no file was given. Give at least one, for example: audiosession play song.flac"),
        .init("play", "a.wav", "--category", "plyback", names: "'plyback'", "playback", "multiRoute"),
        .init("play", "a.wav", "--category", "record", names: "'record' has no output", "playAndRecord"),
        .init("play", "a.wav", "--mode", "loud", names: "'loud'", "spokenAudio"),
        .init("play", "a.wav", "--options", "mixWithOthers,duck", names: "'duck'", "duckOthers"),
        .init("play", "a.wav", "--on-unplug", "stop", names: "'stop'", "'continue'", "'quit'"),
        .init("play", "a.wav", "--host", "alsa", names: "'alsa'", "'pipewire', 'simulated' or 'auto'"),
        .init("play", "a.wav", "--events", "xml", names: "'xml'", "'text' and 'json'"),
        .init("play", "a.wav", "--volume", "1.5", names: "1.5", "from 0 (silent) to 1 (unchanged)"),
        .init("play", "a.wav", "--volume", "-0.5", names: "-0.5", "from 0 (silent) to 1 (unchanged)"),
        .init("play", "a.wav", "--volume", "nan", names: "nan", "from 0 (silent) to 1 (unchanged)"),
        .init("play", "a.wav", "--volume", "loud", names: "'loud'", "from 0 (silent) to 1 (unchanged)"),
        .init(
            "pla", "a.wav", names: "'pla'", "Did you mean 'play'?",
            "play, record, call, route, outputs, watch, doctor, report, demo, simulate"),
        .init("a.wav", names: "'a.wav'", "To play it: audiosession play a.wav"),
        .init(
            "help", "nope", names: "'nope'", "play, record, call, route, outputs, watch, doctor, report, demo, simulate"
        ),
        .init("play", "a.wav", "--on-interruption", "stop", names: "'stop'", "'pause' and 'ignore'"),
        .init("play", "a.wav", "--on-server-loss", "cry", names: "'cry'", "'quit', 'wait' or 'resume'"),
        .init("call", "--duration", "0", names: "'0'", "from 0.1 to 600"),
        .init("call", "--duration", "-1", names: "'-1'", "from 0.1 to 600"),
        .init("call", "--duration", "nan", names: "'nan'", "from 0.1 to 600"),
        .init("call", "--duration", "long", names: "'long'", "from 0.1 to 600"),
        .init("call", "--duration", "601", names: "'601'", "from 0.1 to 600"),
        .init("watch", "--category", "plyback", names: "'plyback'", "playback"),
        .init("demo", "a.wav", "--scene", "rain", names: "'rain'", "call, call-ends-without-resume", "takeover"),
        .init("watch", "a.wav", names: "'a.wav'"),
        .init("demo", "a.wav", "--script", names: "--script"),
        .init("demo", names: "Missing expected argument '<file>'"),
        .init("simulate", names: "Missing expected argument '<scene>'"),
    ]

    @Test(arguments: usage)
    func mistakeInTheCommandLine_isNamedAndExitsWith2(mistake: Mistake) throws {
        let run = try machine.run(mistake.arguments)
        #expect(try run.waitForEnd() == .exited(2))
        #expect(run.output == "")
        let sentence = run.errors.split(separator: "\n").prefix(2).joined(separator: "\n")
        for word in mistake.words { #expect(sentence.contains(word), "\(run.errors)") }
        #expect(sentence.hasPrefix("Error: "))
    }

    /// Valid command lines that cannot be carried out: the words in the one sentence that reports them.
    static let impossible: [Mistake] = [
        .init(
            "play", "x", "--category", "multiRoute", "--mode", "dualRoute",
            names: "Mode dualRoute", "category multiRoute", "not supported on Linux"),
        .init(
            "play", "x", "--category", "ambient", "--mode", "voiceChat",
            names: "Mode voiceChat", "category ambient", "Allowed modes:"),
        .init("play", "x", "--options", "defaultToSpeaker", names: "defaultToSpeaker", "playAndRecord"),
        .init("play", "x", "--device", "Headset", names: "'Headset'", "'Headphones' (uid simulated.headphones)"),
        .init("play", "x", "--device", "headphnes", names: "Did you mean 'Headphones'?"),
        .init("play", "x", "--device", "", names: "there is no output ''", "Connected outputs:"),
    ]

    @Test(arguments: impossible)
    func impossibleRequest_isNamedAndExitsWith1(mistake: Mistake) throws {
        let run = try machine.run(mistake.arguments + ["--host", "simulated", "--events", "json"])
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.output == "")
        for word in mistake.words { #expect(run.errors.contains(word), "\(run.errors)") }
        expectOneSentence(run)
    }

    @Test func fileThatCannotBePlayed_isNamedAndExitsWith1() throws {
        let directory = machine.directory
        let empty = directory.path("empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        let files: [(path: String, code: String, words: String)] = [
            (directory.path("nothing.flac"), "notFound", "there is no file"),
            (empty, "isDirectory", "is a directory without sound files"),
            (try TestFile.write(bytes: [], named: "empty.wav", in: directory), "notAudio", "is empty (0 bytes)"),
            (try TestFile.notAudio(in: directory), "notAudio", "is not a sound file that can be played"),
            (try TestFile.corrupt(in: directory), "notAudio", "begins like a WAV file but cannot be decoded"),
            (try TestFile.write(bytes: Array("fLaC".utf8), named: "head.flac", in: directory), "notAudio", "FLAC"),
            ("/dev/null", "notAudio", "is a device"),
            (
                try TestFile.write(bytes: [0xFF, 0xD8, 0xFF, 0xE0, 0, 0], named: "cover.jpg", in: directory),
                "notAudio",
                "is a picture, not a sound."
            ),
            (
                "ftp://example.org/song.mp3", "notFound",
                "is an address of ftp, and only http, https and file addresses play"
            ),
            ("", "notFound", "the path '' cannot name a file; give the path of one audio file."),
        ]
        for file in files {
            let run = try machine.run("play", "--host", "simulated", "--events", "json", "--", file.path)
            #expect(try run.waitForEnd() == .exited(1), "\(file.path)")
            #expect(run.story == ["started on simulated, Headphones", "error \(file.code)"], "\(file.path)")
            #expect(try run.faults() == [])
            #expect(run.errors.contains(file.words), "\(run.errors)")
            #expect(file.path.isEmpty || run.errors.contains(file.path))
            expectOneSentence(run)
        }
    }

    @Test func emptyStandardInput_isNamedAndExitsWith1() throws {
        let run = try machine.run("play", "--host", "simulated", "-")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors.contains("the standard input is empty: the program before the pipe gave no sound"),
            "\(run.errors)")
        expectOneSentence(run)
    }

    @Test(arguments: [
        ("z", [], "its name has no extension that says what kind of file it is. Give it one: .wav"),
        (
            "z.wav", ["--format", "mp3"],
            "cannot be written as .mp3: programs would take it for a .wav file. Name it .mp3"
        ),
        ("z.xyz", [], "the extension \".xyz\" does not name a supported file type"),
    ])
    func recordingWithAnotherName_isNamedAndMakesNoFile(name: String, options: [String], words: String) throws {
        let path = machine.directory.path(name)
        let run = try machine.run(["record", path, "--host", "simulated"] + options)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: path))
        expectOneSentence(run)
    }

    @Test func listsWithoutEnd_areNamedAndExitWith1() throws {
        var list = "none.wav"
        for level in 0..<8 {
            let lines = String(repeating: list + "\n", count: 2_000)
            list = try TestFile.write(bytes: Array(lines.utf8), named: "\(level).m3u", in: machine.directory)
        }
        let run = try machine.run("play", list, "--host", "simulated")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.contains("'\(list)' brings the list to more than 100000 sound files"), "\(run.errors)")
        expectOneSentence(run)
    }

    @Test(arguments: ["wav", "flac"])
    func truncatedFile_playsWhatIsThereAndThenExitsWith1(ending: String) throws {
        let path = try TestFile.truncated(
            format: ending == "wav" ? .wav16 : .flac16, seconds: 1, named: "cut.\(ending)", in: machine.directory)
        let run = try machine.run("play", path, "--host", "simulated", "--events", "json")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.story == [
                "started on simulated, Headphones", "playing (user) cut.\(ending)", "failed (error) cut.\(ending)",
                "error playbackFailed",
            ])
        #expect(try run.faults() == [])
        let failed = run.lines.compactMap(EventLine.init)[2]
        // 40 % of the bytes of a second.
        #expect((0.3...0.5).contains(failed.position ?? 0), "failed at \(failed.position ?? 0) s")
        #expect(
            run.errors.contains("incomplete: it ends after 0.3") || run.errors.contains("incomplete: it ends after 0.4")
        )
        expectOneSentence(run)
    }

    // MARK: Hosts

    @Test func noServer_whileItIsRequested_isNamedAndExitsWith1() throws {
        for arguments in [["play", "x"], ["route"], ["route", "--json"], ["watch", "--json"]] {
            for asked in ["option", "variable"] {
                let run =
                    try asked == "option"
                    ? machine.run(arguments + ["--host", "pipewire"]) : machine.run(arguments, host: "pipewire")
                #expect(try run.waitForEnd() == .exited(1), "\(arguments), by \(asked)")
                #expect(run.output == "")
                #expect(run.errors.contains("No PipeWire server answers"), "\(run.errors)")
                #expect(run.errors.contains("--host simulated"), "\(run.errors)")
                expectOneSentence(run)
            }
        }
    }

    @Test func noServer_andNoChoiceOfAHost_isAnErrorThatSaysWhatToDo() throws {
        let path = machine.directory.path("take.wav")
        for arguments in [["play", "a.wav"], ["record", path], ["call"], ["route"], ["watch"]] {
            let run = try machine.run(arguments)
            #expect(try run.waitForEnd() == .exited(1), "\(arguments)")
            #expect(run.output == "")
            #expect(run.errors.contains("No PipeWire server answers"), "\(run.errors)")
            #expect(run.errors.contains("'audiosession doctor'"), "\(run.errors)")
            expectOneSentence(run)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func noServer_whileTheChoiceIsAutomatic_isReportedOnceAndTheSimulatedHostPlays() throws {
        let path = try TestFile.write(.sine(hertz: 440), seconds: 0.1, named: "a.wav", in: machine.directory)
        let run = try machine.run("play", path, "--events", "json", "--host", "auto")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(
            run.story == [
                "started on simulated, Headphones", "playing (user) a.wav", "finished (endOfFile) a.wav",
            ])
        #expect(
            run.errors.contains("Using a simulated speaker; there is no audio output, and nothing can be recorded."))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["play", "x"], ["route"], ["watch"]])
    func unknownHostInTheEnvironment_isNamedAndExitsWith1(arguments: [String]) throws {
        let run = try machine.run(arguments, host: "nonsense")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.output == "")
        #expect(
            run.errors
                == "audiosession: AUDIOSESSION_HOST is \"nonsense\", which is not one of: auto, pipewire, simulated. "
                + "Set one of these.\n"
        )
        // The option overrides the variable, which is then not checked.
        let chosen = try machine.run("route", "--host", "simulated", host: "nonsense")
        #expect(try chosen.waitForEnd() == .exited(0))
        #expect(chosen.errors == "")
    }

    @Test func invalidRoles_areNamedWithTheAllowedAndExitWith1() throws {
        for words in ["Game=loud", "Game", "=plays"] {
            var environment = machine.environment(host: "simulated")
            environment["AUDIOSESSION_ROLES"] = words
            let run = try ToolRun(["route"], environment: environment)
            #expect(try run.waitForEnd() == .exited(1))
            #expect(run.output == "")
            #expect(run.errors.contains("AUDIOSESSION_ROLES: "), "\(run.errors)")
            #expect(run.errors.contains("interrupts, ducks, plays, mixes, ignored"), "\(run.errors)")
            expectOneSentence(run)
        }
        var environment = machine.environment(host: "simulated")
        environment["AUDIOSESSION_ROLES"] = "Game=plays, none=ignored"
        let run = try ToolRun(["route"], environment: environment)
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.errors == "")
    }

    private func expectOneSentence(_ run: ToolRun, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(run.errors.hasPrefix("audiosession: "), "\(run.errors)", sourceLocation: sourceLocation)
        #expect(run.errors.hasSuffix(".\n"), "\(run.errors)", sourceLocation: sourceLocation)
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)", sourceLocation: sourceLocation)
    }
}
