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
        AudioFileType(container: .rf64, coding: .integer(bits: 24)),
        AudioFileType(container: .wave64, coding: .integer(bits: 16)),
        AudioFileType(container: .aiff, coding: .integer(bits: 16)),
        AudioFileType(container: .caf, coding: .integer(bits: 16)),
        AudioFileType(container: .caf, coding: .float(bits: 32)),
        AudioFileType(container: .au, coding: .integer(bits: 16)),
        AudioFileType(container: .flac, coding: .integer(bits: 16)),
        AudioFileType(container: .ogg, coding: .vorbis), AudioFileType(container: .ogg, coding: .opus),
        AudioFileType(container: .mpeg, coding: .mp3), AudioFileType(container: .mpeg4, coding: .aac),
        AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 16)),
        AudioFileType(container: .adts, coding: .aac),
    ]

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes noise in tenths of a second, as a recorder does, in a process that then kills itself.
    private func writeAndKill(type index: Int, tenths: Int, to path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [index = index as Int, tenths = tenths as Int, path = path as String] in
            let writer = try AudioFileWriter(
                path: path, type: KilledWriterTests.types[index], sampleRate: 48_000, channels: [.left, .right])
            var random = Seeded(seed: 1)
            for _ in 0..<tenths {
                try writer.write((0..<9600).map { _ in Float.random(in: -0.5...0.5, using: &random) })
            }
            kill(getpid(), SIGKILL)
        }
    }

    // Behaviour 101
    @Test(arguments: types.indices) func killedRecordingIsReadable(type index: Int) async throws {
        let path = directory.path("killed")
        await writeAndKill(type: index, tenths: 30, to: path)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let (samples, _) = reader.readToEnd()
        #expect(samples.count >= 2 * 2 * 48_000, "\(samples.count) samples")
        #expect(samples.peak > 0.4)
    }

    /// Nothing was written to the header yet.
    @Test(arguments: types.indices.filter { types[$0].hasLinearPCM })
    func headerThatAnnouncesNothing_isNoEnd(type index: Int) async throws {
        let path = directory.path("killed")
        await writeAndKill(type: index, tenths: 1, to: path)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let samples = try reader.readFrames()
        #expect(samples.count == 9600)
        try reader.seek(toFrame: 2400)
        #expect(try reader.readFrames() == Array(samples[4800...]))
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
