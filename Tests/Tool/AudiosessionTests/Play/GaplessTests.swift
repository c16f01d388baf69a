import Foundation
import HostSimulated
import OpenAudioSession
import SessionRuntime
import SimulatedControls
import TestAudio
import Testing

@testable import audiosession

/// `play` on a real session of the simulated host, in virtual time: every frame of every file is counted.
@Suite struct GaplessTests {
    /// Half a second.
    private static let frames = 24_000

    /// Plays the files, and returns what the headphones played from the first frame on: `[channel][frame]`.
    private func heard(_ paths: [String], seconds: Double, change: (inout PlayPlan) -> Void = { _ in }) throws
        -> [[Float]]
    {
        let runtime = try SessionRuntime(host: SimulatedHost(.phone))
        let backend = SessionBackend(session: AVAudioSession(runtime: runtime))
        defer { backend.close() }
        let output = CapturedOutput()
        let inbox = Inbox<RunInput<PlayRunner.Report>>()
        let simulator = try #require(backend.simulator)
        try backend.configure(SessionSettings())
        var plan = PlayPlan(items: PlayPlan.items(paths))
        change(&plan)
        let runner = PlayRunner(
            RunContext(
                backend: backend,
                log: EventLog(display: Display(output: output, errors: output, style: .errorsOnly)),
                deliver: { inbox.post($0) }), plan: plan)
        runner.begin()
        let end = simulator.now + seconds
        while simulator.now < end, !runner.isDone {
            simulator.advance(bySeconds: 0.02)
            for input in inbox.take() { runner.handle(input) }
        }
        runner.close()
        #expect(output.text == "")
        let captures = simulator.captures
        let channels = try #require(captures.first { $0.port.kind == .headphones }).channels
        // A ramp's second channel begins with 100 / 32 768.
        let start = try #require(channels[1].firstIndex { $0 != 0 })
        return channels.map { Array($0[start...]) }
    }

    @Test(arguments: [24_000, 4_800])
    func files_followWithoutAFrameBetweenThem(frames: Int) throws {
        try withTemporaryDirectory { directory in
            let paths = try [AudioFileFormat.wav16, .flac16, .aiff16].map {
                try TestFile.write(.ramp, seconds: Double(frames) / 48_000, format: $0, in: directory)
            }
            let heard = try heard(paths, seconds: 2)
            let round = TestSignal.ramp.planar(0..<frames)
            for channel in 0..<2 {
                let played = Array(heard[channel].prefix(3 * frames))
                #expect(played == Array([round, round, round].map { $0[channel] }.joined()))
                #expect(heard[channel].dropFirst(3 * frames).allSatisfy { $0 == 0 })
            }
        }
    }

    @Test(arguments: [1, 2])
    func loop_isWithoutAFrameBetweenTheRounds(files: Int) throws {
        try withTemporaryDirectory { directory in
            let paths = try (0..<files).map { _ in try TestFile.write(.ramp, seconds: 0.5, in: directory) }
            let heard = try heard(paths, seconds: 4) { $0.rounds = 3 }
            let round = TestSignal.ramp.planar(0..<Self.frames)
            let count = 3 * files
            for channel in 0..<2 {
                let played = Array(heard[channel].prefix(count * Self.frames))
                #expect(played == Array((0..<count).flatMap { _ in round[channel] }))
                #expect(heard[channel].dropFirst(count * Self.frames).allSatisfy { $0 == 0 })
            }
        }
    }

    @Test func start_isThatOfTheFirstFileOnly() throws {
        try withTemporaryDirectory { directory in
            let paths = try (0..<2).map { _ in try TestFile.write(.ramp, seconds: 0.5, in: directory) }
            let heard = try heard(paths, seconds: 2) { $0.startSeconds = 0.125 }
            // The first 5 ms are faded in.
            let played = Array(heard[1].reversed().drop { $0 == 0 }.reversed())
            let expected = TestSignal.ramp.planar(6240..<24_000)[1] + TestSignal.ramp.planar(0..<24_000)[1]
            #expect(Array(played.suffix(expected.count)) == expected)
            #expect((0...240).contains(played.count - expected.count))
        }
    }

    @Test func nameThatIsNotUTF8_andThePipeOnTheStandardInput_play() throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.write(.ramp, seconds: 0.5, in: directory)
            let odd = FilePath(bytes: Array(directory.path("caf").utf8) + [0xE9] + Array(".wav".utf8))
            #expect(odd.withCString { name in path.withCString { rename($0, name) } } == 0)
            let bytes = try #require(
                odd.withCString { FileManager.default.contents(atPath: path) ?? Self.contents($0) })
            let pipe = Pipe()
            Thread.detachNewThread {
                try? pipe.fileHandleForWriting.write(contentsOf: bytes)
                try? pipe.fileHandleForWriting.close()
            }
            let input = StandardInput(pipe.fileHandleForReading.fileDescriptor)
            let heard = try heard([], seconds: 2) {
                $0.items = [.init(odd), .init(source: .standardInput(input), name: "standard input")]
            }
            withExtendedLifetime(pipe) {}
            let round = TestSignal.ramp.planar(0..<Self.frames)[1]
            #expect(Array(heard[1].prefix(Self.frames)) == round)
            #expect(Array(heard[1].dropFirst(Self.frames).drop { $0 == 0 }.prefix(Self.frames)) == round)
        }
    }

    private static func contents(_ name: UnsafePointer<CChar>) -> Data? {
        guard let file = fopen(name, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Data(bytes.prefix(count))
    }
}
