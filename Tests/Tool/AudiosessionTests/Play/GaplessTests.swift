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
    ///
    /// - Parameter keys: pressed after 0.1 s.
    private func heard(
        _ paths: [String], seconds: Double, keys: [Key] = [], change: (inout PlayPlan) -> Void = { _ in }
    ) throws -> [[Float]] {
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
        var keys = keys
        while simulator.now < end, !runner.isDone {
            simulator.advance(bySeconds: 0.02)
            if simulator.now > end - seconds + 0.1 {
                for key in keys { runner.handle(.key(key)) }
                keys = []
            }
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

    // MARK: ReplayGain

    /// A FLAC file of a ramp.
    private func ramp(_ tags: [String: String], seconds: Double = 0.5, in directory: TemporaryDirectory) throws
        -> String
    {
        try EncodedFile.write(
            .ramp, seconds: seconds, sampleRate: 48_000, channels: 2, codec: "flac", ending: "flac",
            options: tags.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }, in: directory
        ).path
    }

    @Test(arguments: [(PlayPlan.Gain.track, [0.5, 1, 2]), (.album, [0.25, 1, 2]), (.off, [1, 1, 1])])
    func gain_isThatOfEachFile_fromItsFirstFrameToItsLast(gain: PlayPlan.Gain, factors: [Float]) throws {
        try withTemporaryDirectory { directory in
            let half = "\(20 * log10(0.5)) dB"
            let paths = try [
                ["REPLAYGAIN_TRACK_GAIN": half, "REPLAYGAIN_ALBUM_GAIN": "\(20 * log10(0.25)) dB"], [:],
                // Louder by 40 dB than its peak allows.
                ["REPLAYGAIN_TRACK_GAIN": "46 dB", "REPLAYGAIN_TRACK_PEAK": "0.5"],
            ].map { try ramp($0, in: directory) }
            let heard = try heard(paths, seconds: 3) { $0.gain = gain }
            let round = TestSignal.ramp.planar(0..<Self.frames)
            for channel in 0..<2 {
                let expected = factors.flatMap { factor in round[channel].map { $0 * factor } }
                let faults = zip(heard[channel], expected).count { abs($0 - $1) > 1e-6 }
                #expect(faults == 0)
                #expect(heard[channel].count >= expected.count)
                #expect(heard[channel].dropFirst(expected.count).allSatisfy { $0 == 0 })
            }
        }
    }

    /// What was read ahead sounds as it was; the key goes through track and album to off.
    @Test func gainKey_changesWhatIsHeard_withoutAStep() throws {
        try withTemporaryDirectory { directory in
            let path = try ramp(["REPLAYGAIN_TRACK_GAIN": "\(20 * log10(0.5)) dB"], seconds: 2, in: directory)
            func channel(_ keys: Key...) throws -> [Float] { try heard([path, path], seconds: 5, keys: keys)[1] }
            let plain = try channel()
            #expect(try channel("g", "g", "g") == plain)
            let factors = zip(try channel("g"), plain).map { $1 > 0.01 ? $0 / $1 : nil }
            let known = factors.compactMap(\.self)
            #expect(known.first == 1 && known.allSatisfy { (0.4999...1).contains($0) })
            #expect(zip(known, known.dropFirst()).allSatisfy { $1 < $0 + 1e-4 && $1 > $0 - 0.01 })
            #expect(factors.dropFirst(2 * Self.frames).compactMap(\.self).allSatisfy { $0 < 0.5001 })
        }
    }

    // MARK: Cue sheets

    private func sheet(_ times: [String], of path: String, in directory: TemporaryDirectory) throws -> [PlayPlan.Item] {
        let tracks = times.enumerated().map { "TRACK \($0 + 1) AUDIO\nTITLE T\($0 + 1)\nINDEX 01 \($1)\n" }
        let text = "FILE \"\(path)\" WAVE\n" + tracks.joined()
        return try MediaList.items([
            FilePath(try TestFile.write(bytes: Array(text.utf8), named: "album.cue", in: directory))
        ])
    }

    /// 640 frames of 48 kHz are a frame of a sheet; 588 are one of 44.1 kHz.
    @Test(arguments: [(48_000, AudioFileFormat.wav16), (48_000, .flac16), (44_100, .wav16)])
    func tracksOfASheet_areTheFile_frameByFrame(rate: Int, format: AudioFileFormat) throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.write(
                rate == 48_000 ? .ramp : .quadrature(hertz: 440), seconds: 0.5, sampleRate: rate, format: format,
                in: directory)
            let whole = try heard([path], seconds: 2)
            let items = try sheet(["00:00:00", "00:00:10", "00:00:18", "00:00:30"], of: path, in: directory)
            let tracks = try heard([], seconds: 2) { $0.items = items }
            let tolerance: Float = rate == 48_000 ? 0 : 1e-3
            for channel in 0..<2 {
                let pairs = zip(tracks[channel], whole[channel])
                #expect(pairs.allSatisfy { abs($0 - $1) <= tolerance })
                #expect(abs(tracks[channel].count - whole[channel].count) < 2_000)
                #expect(tracks[channel].dropFirst(Self.frames).allSatisfy { abs($0) < 1e-3 })
            }
        }
    }

    /// A sheet of one track, which begins in the middle and is played twice.
    @Test func trackOfASheet_thatIsRepeated_beginsAgainWhereItBegins() throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.write(.ramp, seconds: 0.5, in: directory)
            let items = try sheet(["00:00:15"], of: path, in: directory)
            let heard = try heard([], seconds: 3) { ($0.items, $0.rounds) = (items, 2) }
            // The first 5 ms are faded in.
            let played = Array(heard[1].reversed().drop { $0 == 0 }.reversed())
            let part = TestSignal.ramp.planar(9_600..<24_000)[1]
            #expect(played.suffix(part.count) == part[...])
            #expect(played.prefix(part.count).dropFirst(240) == part.dropFirst(240))
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
