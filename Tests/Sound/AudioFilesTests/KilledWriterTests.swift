import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// Files whose writer was killed.
struct KilledWriterTests {
    static let types: [AudioFileType] = [
        AudioFileType(container: .wav, coding: .integer(bits: 16)),
        AudioFileType(container: .wav, coding: .float(bits: 32)),
        AudioFileType(container: .wav, coding: .muLaw), AudioFileType(container: .wav, coding: .aLaw),
        AudioFileType(container: .rf64, coding: .integer(bits: 24)),
        AudioFileType(container: .wave64, coding: .integer(bits: 16)),
        AudioFileType(container: .wave64, coding: .muLaw),
        AudioFileType(container: .aiff, coding: .integer(bits: 16)),
        AudioFileType(container: .aiff, coding: .muLaw), AudioFileType(container: .aiff, coding: .aLaw),
        AudioFileType(container: .caf, coding: .integer(bits: 16)),
        AudioFileType(container: .caf, coding: .float(bits: 32)),
        AudioFileType(container: .caf, coding: .muLaw), AudioFileType(container: .caf, coding: .aLaw),
        AudioFileType(container: .au, coding: .integer(bits: 16)),
        AudioFileType(container: .au, coding: .muLaw), AudioFileType(container: .au, coding: .aLaw),
        AudioFileType(container: .flac, coding: .integer(bits: 16)),
        AudioFileType(container: .ogg, coding: .vorbis), AudioFileType(container: .ogg, coding: .opus),
        AudioFileType(container: .mpeg, coding: .mp3), AudioFileType(container: .mpeg4, coding: .aac),
        AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 16)),
        AudioFileType(container: .adts, coding: .aac),
    ]

    /// Encoders spend very different numbers of bytes on these.
    enum Sound: String, CaseIterable {
        case noise, tone, silence, noiseAfterSilence

        /// A tenth of a second of stereo at 48 kHz.
        func samples(tenth: Int) -> [Float] {
            switch self {
            case .noiseAfterSilence where tenth < 15, .silence: Self.silent
            case .noise, .noiseAfterSilence: Self.noisy
            case .tone: Self.sounding
            }
        }

        private static let silent = [Float](repeating: 0, count: 9600)
        private static let noisy = {
            var random = Seeded(seed: 1)
            return (0..<9600).map { _ in Float.random(in: -0.5...0.5, using: &random) }
        }()
        /// As many whole waves each time.
        private static let sounding = TestSignal.sine(hertz: 440).samples(
            frames: 4800, channels: 2, sampleRate: 48_000)
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ sound: Sound) -> String { directory.path(sound.rawValue) }

    /// Writes a file of each sound in tenths of a second, as a recorder does, in a process that then kills itself.
    private func writeAndKill(type index: Int, tenths: Int) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [index = index as Int, tenths = tenths as Int, directory = directory.path as String] in
            let writers = try Sound.allCases.map { sound in
                try AudioFileWriter(
                    path: directory + "/" + sound.rawValue, type: KilledWriterTests.types[index], sampleRate: 48_000,
                    channels: [.left, .right])
            }
            for tenth in 0..<tenths {
                for (sound, writer) in zip(Sound.allCases, writers) { try writer.write(sound.samples(tenth: tenth)) }
            }
            kill(getpid(), SIGKILL)
        }
    }

    // Behaviour 101
    @Test(arguments: types.indices) func killedRecordingIsReadable(type index: Int) async throws {
        await writeAndKill(type: index, tenths: 30)
        // libsndfile writes a page of Ogg Vorbis when it is full: after 5.4 s of silence.
        for sound in Sound.allCases where sound != .silence || Self.types[index].coding != .vorbis {
            let reader = try AudioFileReader(path: path(sound), outputSampleRate: nil)
            #expect(
                reader.type.container == Self.types[index].container && reader.type.coding == Self.types[index].coding)
            let (samples, error) = reader.readToEnd()
            #expect(samples.count >= 2 * 2 * 48_000, "\(samples.count) samples of \(sound)")
            #expect(samples.count <= 2 * 3 * 48_000, "\(samples.count) samples of \(sound)")
            #expect(error == nil, "\(sound)")
            #expect(samples.peak > 0.4 || sound == .silence)
        }
    }

    /// Nothing was written to the header yet.
    @Test(arguments: types.indices.filter { types[$0].hasLinearPCM })
    func headerThatAnnouncesNothing_isNoEnd(type index: Int) async throws {
        await writeAndKill(type: index, tenths: 1)
        let reader = try AudioFileReader(path: path(.noise), outputSampleRate: nil)
        let samples = try reader.readFrames()
        #expect(samples.count == 9600)
        try reader.seek(toFrame: 2400)
        #expect(try reader.readFrames() == Array(samples[4800...]))
    }

    /// The header is behind what there is: what it says is read, and is no error.
    @Test(arguments: types.indices.filter { types[$0].hasLinearPCM })
    func headerThatAnnouncesAPart_isBelieved(type index: Int) async throws {
        // The header was updated at 0.6 s, and not at 0.8 s.
        await writeAndKill(type: index, tenths: 8)
        let reader = try AudioFileReader(path: path(.tone), outputSampleRate: nil)
        #expect((28_800...38_400).contains(reader.info.frameCount))
        let (samples, error) = reader.readToEnd()
        #expect(error == nil)
        #expect(samples.count == 2 * Int(reader.info.frameCount))
        let tone = TestSignal.sine(hertz: 440).samples(frames: 38_400, channels: 2, sampleRate: 48_000)
        // 1 step of 16 bits.
        #expect(largestDifference(samples, tone) <= 1 / 32_768)
    }
}

extension AudioFileType {
    fileprivate var hasLinearPCM: Bool {
        switch coding {
        case .integer, .float: container != .flac
        case .appleLossless, .vorbis, .opus, .mp3, .muLaw, .aLaw, .aac, .other: false
        }
    }
}
