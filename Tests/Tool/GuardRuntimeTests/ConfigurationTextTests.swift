import Foundation
import GuardCore
import TestAudio
import Testing

@testable import GuardRuntime

/// SPA-JSON as libspa reads it, and the files that hold it.
struct ConfigurationTextTests {
    private func fields(_ text: String) throws -> [ConfigurationField] {
        try ConfigurationText.fields(Array(text.utf8))
    }

    private func configuration(_ text: String) throws -> GuardConfiguration {
        var configuration = GuardConfiguration()
        configuration.add("a.conf", try fields(text), ConfigurationText.patterns)
        return configuration
    }

    /// As docs/guard.md has it.
    private static let example = """
        # Mine.
        guard.settings = {
            on-return = resume   return-within = always
            while-recording = duck
        }
        guard.programs.rules = [
            {
                matches = [
                    { application.name = "~^mpv.*" }
                    { application.process.binary = "vlc", media.role = "!Music" }
                ]
                actions = { update-props = { guard.action = leave-alone guard.while-recording = never } }
            }
        ]
        guard.outputs.rules = [
            { matches = [ { node.name = "~alsa_output.usb.*" } ]
              actions = { update-props = { guard.on-loss = continue guard.return-within = 60 } } }
        ]
        """

    @Test(arguments: [false, true])
    func file_isRead_withAndWithoutBraces(hasBraces: Bool) throws {
        let text = hasBraces ? "{\n\(Self.example)\n}\n# The end" : Self.example
        let options = try configuration(text)
        #expect(options.problems == [])
        #expect(options.options.onReturn == .resume(withinSeconds: .infinity))
        #expect(options.options.whileRecording == .duck(decibels: 14))
        #expect(options.options.programRules.map(\.origin) == ["a.conf:\(hasBraces ? 8 : 7)"])
        #expect(
            options.options.outputRules.map(\.text) == [
                "{ node.name = ~alsa_output.usb.* }: guard.on-loss = continue guard.return-within = 60"
            ])
        func action(_ name: String, _ role: String? = nil) -> ProgramPolicy.Action {
            let program = Program(identity: .process(1), name: name, binary: name)
            return options.options.policy(of: program, role: role, ConfigurationText.patterns).action
        }
        #expect(action("mpv-2") == .leaveAlone)
        #expect(action("xmpv") == .hold)
        #expect(action("vlc", "Movie") == .leaveAlone)
        #expect(action("vlc", "Music") == .hold)
    }

    @Test(arguments: ["", "\n", "# nothing", "{ }", "guard.settings = { }"])
    func nothing_isNoFault(text: String) throws { #expect(try configuration(text).problems == []) }

    @Test(arguments: [
        ("a = {", 1, "is not closed"), ("a = {\n b = [\n 1 }\n", 2, "is not closed"), ("\n}", 2, "nothing has opened"),
        ("a = \"b\nc\"", 1, "may not be there"), ("a\n=\n", 1, ""), ("[ a ]", 1, "where a key must be"),
        ("{ } a = b", 1, "after its last brace"), ("a = \"\u{1}\"", 1, "may not be there"),
    ])
    func fault_namesItsLine(text: String, line: Int, words: String) throws {
        let fault = try #require(throws: ConfigurationText.Fault.self) { try fields(text) }
        #expect(fault.line == line, "\(fault)")
        // libspa from 1.2 on finds a key without a value itself, and says no more than that something is wrong.
        #expect(words.isEmpty || fault.words.contains(words), "\(fault)")
    }

    @Test func depthAndSizesAreBounded() {
        func nested(_ depth: Int) -> String {
            "a = " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try fields(nested(16)) }
        for text in [nested(17), nested(10_000), "a = \(String(repeating: "b", count: 1025))"] {
            #expect(throws: ConfigurationText.Fault.self) { try fields(text) }
        }
        #expect(throws: ConfigurationText.Fault.self) {
            try fields(String(repeating: "a = b\n", count: 20_000))
        }
    }

    @Test func strings_areUnescaped_andNullIsAWord() throws {
        let fields = try fields(#"a = "x\"\\\u00e9\n" b = null c = "null" "d e" = f"#)
        #expect(fields.map(\.key) == ["a", "b", "c", "d e"])
        #expect(fields.map(\.value.kind) == [.text("x\"\\é\n"), .null, .text("null"), .text("f")])
    }

    /// What its counts are when they are written out: glibc compiles that, in gigabytes.
    @Test(arguments: [
        "((((a{1,250}){1,250}){1,250}){1,250})", "a{2049}", "(a{1,100}){1,100}", "((a{32}){32}){3}", "a{255}{255}",
        "a{1,}{255}{10}", "[[:alpha:]]{255}{9}", "(((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+", "\\({255}{255}", "(a)\\1",
        String(repeating: "(", count: 17) + String(repeating: ")", count: 17),
    ])
    func patternThatIsLargerThanItLooks_isRefused(pattern: String) {
        #expect(ConfigurationText.patterns.fault(pattern) != nil)
        #expect(!ConfigurationText.patterns.matches(pattern, "a"))
    }

    @Test(arguments: [
        ("^(mpv|vlc)$", "vlc"), ("a{3}", "aaa"), ("[]{}]{2}", "{]"), ("[[:digit:]]{2,4}x+", "123xx"), ("a{2,}", "aa"),
        ("(ab){2}", "abab"), ("\\{3\\}", "{3}"), ("x{255}|y", "y"), ("[^]a]b", "cb"), ("a.*b?", "a"),
    ])
    func ordinaryPattern_matches(pattern: String, text: String) {
        #expect(ConfigurationText.patterns.fault(pattern) == nil)
        #expect(ConfigurationText.patterns.matches(pattern, text))
    }

    @Test func wrongPattern_isNamed() throws {
        let problems = try configuration(
            """
            guard.programs.rules = [
              { matches = [ { application.name = "~mpv(" } ] actions = { update-props = { guard.action = hold } } }
            ]
            """
        ).problems
        #expect(problems.count == 1)
        let words = "a.conf:2: application.name has the regular expression 'mpv(', which cannot be used: "
        #expect(problems[0].hasPrefix(words))
    }
}

/// Directories of files, and their changes.
struct GuardFilesTests {
    private let directory: TemporaryDirectory
    private let files: GuardFiles

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("etc"), withIntermediateDirectories: true)
        // The user's is missing, with the one above.
        files = GuardFiles(directories: [directory.path("etc"), directory.path("home/audiosession/guard.conf.d")])
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path(name)), options: .atomic)
    }

    private var hasChanged: Bool {
        var source = pollfd(fd: files.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&source, 1, 0) == 1
    }

    private var configuration: GuardConfiguration {
        var configuration = GuardConfiguration()
        files.add(to: &configuration)
        return configuration
    }

    @Test func files_areReadInTheOrderOfTheirNames_theUsersLast() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("home/audiosession/guard.conf.d"), withIntermediateDirectories: true)
        try write("guard.settings = { return-within = 1 calls = off }", to: "etc/z.conf")
        try write("guard.settings = { return-within = 2 }", to: "home/audiosession/guard.conf.d/a.conf")
        try write("guard.settings = { return-within = 3 }", to: "home/audiosession/guard.conf.d/b.conf")
        try write("guard.settings = { return-within = 4 }", to: "home/audiosession/guard.conf.d/c.conf.bak")
        try write("guard.settings = {", to: "etc/y.conf")
        let configuration = configuration
        #expect(configuration.options.onReturn == .resume(withinSeconds: 3))
        #expect(!configuration.options.holdsForCalls)
        #expect(
            configuration.problems == [
                "\(directory.path("etc/y.conf")):1: has a bracket or quotation mark that is not closed, or by the wrong bracket"
            ])
    }

    @Test func moreFilesThanTheBound_areNotRead() throws {
        for index in 100..<170 { try write("guard.settings = { return-within = \(index) }", to: "etc/\(index).conf") }
        #expect(configuration.options.onReturn == .resume(withinSeconds: 163))
        #expect(configuration.problems.count == 1)
    }

    /// Nothing is asked again and again: the descriptor says it, from the first directory on.
    @Test func changes_areSeen_alsoInADirectoryThatComesLater() throws {
        #expect(!hasChanged)
        let path = directory.path("home/audiosession/guard.conf.d")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(hasChanged)
        files.drain()
        #expect(!hasChanged)
        try write("guard.settings = { calls = off }", to: "home/audiosession/guard.conf.d/a.conf")
        #expect(hasChanged)
        files.drain()
        #expect(!configuration.options.holdsForCalls)
        #expect(!hasChanged)
        try FileManager.default.removeItem(atPath: path)
        #expect(hasChanged)
        files.drain()
        #expect(configuration.options.holdsForCalls)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(hasChanged)
    }

    @Test func whatIsNoFile_isNotWaitedFor_andIsNamed() throws {
        #expect(mkfifo(directory.path("etc/a.conf"), 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: directory.path("etc/b.conf"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("etc/c.conf"), withDestinationPath: "/nowhere")
        let words = "is a directory, a pipe or a device; put a file there, or give it another name"
        #expect(
            configuration.problems == [
                "\(directory.path("etc/a.conf")): \(words)", "\(directory.path("etc/b.conf")): \(words)",
                "\(directory.path("etc/c.conf")): cannot be read (No such file or directory)",
            ])
    }

    @Test func fileThatIsTooLong_isNamedAsThat() throws {
        try write(String(repeating: " ", count: 4 << 20 + 1), to: "etc/a.conf")
        #expect(
            configuration.problems == [
                "\(directory.path("etc/a.conf")):1: has more than 65536 bytes, and is not read; divide it"
            ])
    }
}
