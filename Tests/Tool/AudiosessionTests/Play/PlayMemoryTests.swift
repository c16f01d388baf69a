import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import audiosession

/// What `play` keeps from one run to the next, and its defaults in a file.
@Suite struct PlayMemoryTests {
    private typealias Rig = PlayRunnerRig

    // MARK: The memory

    @Test func lastOfTheFilesThatWereLeft_isTheStart() {
        var memory = PlayMemory()
        memory.note("/a", at: 10)
        memory.note("/b", at: 20)
        memory.note("/a", at: 30)
        #expect(memory.places.map(\.file) == ["/a", "/b"])
        #expect(memory.start(of: [nil, "/b", "/a"]).map { [Double($0.index), $0.seconds] } == [2, 30])
        #expect(memory.start(of: [nil, "/b", "/b"]).map { [Double($0.index), $0.seconds] } == [1, 20])
        #expect(memory.start(of: ["/c"]) == nil)
        memory.note("/a", at: nil)
        #expect(memory.places.map(\.file) == ["/b"])
    }

    @Test func memory_isBounded() {
        var memory = PlayMemory()
        for number in 0..<1000 { memory.note("/\(number)", at: 1) }
        #expect(memory.places.count == PlayMemory.mostPlaces)
        #expect(memory.places.first?.file == "/999")
        for (file, seconds) in [
            ("relative", 1), ("/a", -1), ("/a", .nan), ("/a", .infinity), ("/a", 1e9),
            ("/" + String(repeating: "a", count: 5000), 1),
        ] as [(String, Double)] {
            var memory = PlayMemory()
            memory.note(file, at: seconds)
            #expect(memory.places == [])
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{\"volume\":\"loud\",\"places\":[]}", "{\"places\":{}}",
        String(repeating: "[", count: 60_000), "\u{0}\u{1B}",
    ])
    func textOfAnotherKind_isNone(text: String) { #expect(PlayMemory(Array(text.utf8)) == nil) }

    @Test(arguments: [
        #"{"volume":7,"places":[]}"#, #"{"volume":-1,"places":[{"file":"x","seconds":1}]}"#,
        #"{"places":[{"file":"/x","seconds":-5},{"file":"/x","seconds":1e300}]}"#,
    ])
    func valuesThatNoRunWrites_areLeftOut(text: String) { #expect(PlayMemory(Array(text.utf8)) == PlayMemory()) }

    /// Whatever the bytes are, it is read or not, and what was read is what a run may write.
    @Test(arguments: 0..<300)
    func damagedText_isNeverBelieved(seed: Int) throws {
        var random = Seeded(seed: UInt64(seed))
        var memory = PlayMemory()
        memory.volume = 0.5
        for number in 0..<20 { memory.note("/file\(number)", at: Double(number)) }
        var bytes = Array(try JSONEncoder().encode(memory))
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard let read = PlayMemory(bytes) else { return }
        #expect(read.volume.map { (0...1).contains($0) } ?? true)
        #expect(read.places.allSatisfy { $0.file.hasPrefix("/") && (0...360_000).contains($0.seconds) })
        #expect(read.places.count <= PlayMemory.mostPlaces)
    }

    @Test func file_isReadAsItWasWritten_andAStrangeOneIsNamed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("state/play.json")
        #expect(try PlayMemory.read(path) == PlayMemory())
        try PlayMemory.change(path) { $0.note("/a", at: 3) }
        try PlayMemory.change(path) { $0.volume = 0.25 }
        let memory = try PlayMemory.read(path)
        #expect(memory.volume == 0.25 && memory.places.map(\.file) == ["/a"])
        try Data(repeating: 0x20, count: 1 << 20).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: BackendError.self) { _ = try PlayMemory.read(path) }
        #expect(error?.message.hasSuffix("is not what 'audiosession play' writes, and is not used; remove it.") == true)
        try PlayMemory.change(path) { $0.volume = 1 }
        #expect(try PlayMemory.read(path).volume == 1)
        // Not waited for.
        let pipe = directory.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: BackendError.self) { _ = try PlayMemory.read(pipe) }
    }

    // MARK: Runs

    private func rig(_ path: String, play files: [String] = ["/a.wav", "/b.wav"], resumes: Bool = true) -> Rig {
        Rig(Dictionary(uniqueKeysWithValues: files.map { ($0, 60) }), play: files, isInteractive: true) {
            ($0.memory, $0.resumes, $0.keepsVolume) = (path, resumes, true)
            try? $0.takeOver()
        }
    }

    @Test func run_thatResumes_beginsWhereTheLastOneEnded() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("play.json")
        let first = rig(path)
        first.press("n")
        first.run(seconds: 20)
        first.press("q")
        first.runner.close()
        let second = rig(path)
        #expect(second.runner.nowPlaying?.tracks[0].title == "b.wav")
        #expect(second.runner.nowPlaying?.tracks[0].position == 20)
        // What is heard to its end begins again.
        second.run(seconds: 40)
        second.runner.close()
        #expect(try PlayMemory.read(path).places == [])
        // A machine without power closes nothing.
        let third = rig(path)
        third.run(seconds: 7)
        third.press(" ")
        #expect(try PlayMemory.read(path).places == [.init(file: "/a.wav", seconds: 7)])
    }

    @Test func run_thatDoesNotResume_keepsTheVolumeOnly_ofAPersonWhoChangedIt() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("play.json")
        let first = rig(path, resumes: false)
        first.run(seconds: 5)
        first.runner.close()
        #expect(!FileManager.default.fileExists(atPath: path))
        let second = rig(path, resumes: false)
        second.press(.down, .down, " ")
        second.runner.close()
        let memory = try PlayMemory.read(path)
        #expect(memory.places == [] && memory.volume.map { abs($0 - 0.9) < 0.01 } == true)
        #expect(rig(path, resumes: false).runner.plan.volume == memory.volume)
    }

    // MARK: Defaults

    private func settings(_ text: String) throws -> PlaySettings {
        let directory = try TemporaryDirectory()
        let folder = directory.path("audiosession")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/play.conf"))
        return PlaySettings(["/nonexistent", directory.path])
    }

    @Test func defaults_areOptions_thatTheCommandLineOutranks() throws {
        let text = "# mine\nplay.settings = { volume = 0.5 on-return = stay resume = true speed = \"1.5\" }"
        let settings = try settings(text)
        #expect(settings.problems == [])
        #expect(settings.words == ["--volume=0.5", "--on-return=stay", "--resume", "--speed=1.5"])
        let command = try PlayCommand.parse(settings.words + ["--volume", "0.25", "--no-resume", "a.wav"])
        #expect(command.volume == 0.25 && command.speed == 1.5 && !command.resume && command.back.rule == .stay)
    }

    @Test(arguments: [
        ("play.settings = {\n volume = loud }", ":2: The value 'loud' is invalid for '--volume <volume>': it must"),
        ("play.settings = { color = red }", ":1: Unknown option '--color'"),
        ("guard.settings = { calls = off }", ":1: 'guard.settings' is not known; write play.settings"),
        ("play.settings = { volume = [ 1 ] }", ":1: volume must be one word"),
        ("play.settings = { volume = 1", ":1: has a bracket"),
        ("play.settings = { volume = \u{1B}[2J }", ":1: "),
    ])
    func fault_isNamedWithItsLine_andLeftOut(text: String, problem: String) throws {
        let settings = try settings(text)
        #expect(settings.words == [])
        #expect(settings.problems.count == 1)
        #expect(settings.problems[0].contains("audiosession/play.conf" + problem), "\(settings.problems)")
        #expect(!settings.problems[0].contains("\u{1B}"))
    }
}
