import AudioModel
import TestAudio
import Testing

@testable import AudioFiles

/// Every format that we write is read as what it is, frame for frame.
struct FormatTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let exactFormats: [(AudioFileFormat, String)] = [
        (.wav16, "WAV, 16 bit"), (.wav24, "WAV, 24 bit"), (.wavFloat, "WAV, 32 bit float"), (.aiff16, "AIFF, 16 bit"),
        (.caf16, "CAF, 16 bit"), (.cafAppleLossless, "CAF, Apple Lossless, 16 bit"), (.flac16, "FLAC, 16 bit"),
        (.flac24, "FLAC, 24 bit"),
    ]

    @Test(arguments: exactFormats)
    func frames_whileFormatIsLossless_areExact(format: AudioFileFormat, name: String) throws {
        let path = try TestFile.write(.ramp, seconds: 0.5, sampleRate: 44_100, format: format, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        #expect(
            reader.info
                == AudioFileInfo.expected(
                    path: path, name: name, sampleRate: 44_100, channels: [.left, .right], frames: 22_050))
        #expect(try reader.readFrames() == TestSignal.ramp.samples(frames: 22_050, channels: 2, sampleRate: 44_100))
        #expect(reader.position == 22_050)
        #expect(try reader.readFrames() == [], "the end stays the end")
    }

    static let lossyFormats: [(AudioFileFormat, String)] = [
        (.oggVorbis, "Ogg Vorbis"), (.oggOpus, "Ogg Opus"), (.mp3, "MP3"),
    ]

    @Test(arguments: lossyFormats)
    func sine_whileFormatIsLossy_keepsLengthPitchAndLevel(format: AudioFileFormat, name: String) throws {
        let path = try TestFile.write(.quadrature(hertz: 1000), seconds: 2, format: format, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let samples = try reader.readFrames()
        #expect(reader.info.formatName == name)
        #expect(reader.info.frameCount == 96_000)
        #expect(samples.count == 2 * 96_000)
        let tone = Tone(of: samples.channel(0, of: 2)[9600..<86_400], sampleRate: 48_000, near: 1000)
        // The encoders' own error at their default quality. LAME is the farthest off, by 0.24 dB in the level.
        #expect(abs(tone.hertz - 1000) < 0.1)
        #expect(abs(tone.level - 0.5) < 0.02)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func channels_whileFileIsFLAC_haveTheirPlaces(count: Int) throws {
        let path = try TestFile.write(.ramp, seconds: 0.1, channels: count, format: .flac16, in: directory)
        let channels = try AudioFileReader(path: path, outputSampleRate: nil).info.channels
        #expect(channels.count == count)
        #expect(Set(channels).count == count)
        #expect(!channels.contains { if case .discrete = $0 { true } else { false } })
    }

    @Test func channels_whileFileIsVorbis51_areInVorbisOrder() throws {
        let path = try TestFile.write(.ramp, seconds: 0.1, channels: 6, format: .oggVorbis, in: directory)
        #expect(
            try AudioFileReader(path: path, outputSampleRate: nil).info.channels
                == [.left, .center, .right, .rearLeft, .rearRight, .lowFrequency])
    }

    @Test func channels_whileWAVHas64_areReadAndDiscrete() throws {
        let path = try TestFile.write(.ramp, seconds: 0.05, channels: 64, format: .wav16, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        #expect(reader.info.channels == (0..<64).map { .discrete($0) })
        #expect(try reader.readFrames() == TestSignal.ramp.samples(frames: 2400, channels: 64, sampleRate: 48_000))
    }

    @Test func channels_whileWAVHasChannelMask_followIt() throws {
        // 0x33: front left and right, back left and right; 0x4 would be the center alone.
        let quad = try TestFile.write(
            bytes: waveExtensible(channels: 4, mask: 0x33, frames: 16), named: "quad.wav", in: directory)
        #expect(
            try AudioFileReader(path: quad, outputSampleRate: nil).info.channels
                == [.left, .right, .rearLeft, .rearRight])
        let mono = try TestFile.write(
            bytes: waveExtensible(channels: 1, mask: 0x4, frames: 16), named: "mono.wav", in: directory)
        #expect(try AudioFileReader(path: mono, outputSampleRate: nil).info.channels == [.mono])
        let surround = try TestFile.write(
            bytes: waveExtensible(channels: 5, mask: 0x607, frames: 16), named: "surround.wav", in: directory)
        #expect(
            try AudioFileReader(path: surround, outputSampleRate: nil).info.channels
                == [.left, .right, .center, .sideLeft, .sideRight])
    }

    @Test(arguments: [AudioFileFormat.wav16, .aiff16, .flac16, .oggVorbis, .oggOpus, .mp3])
    func tags_whilePresent_areGivenRaw(format: AudioFileFormat) throws {
        let path = try TestFile.write(
            .silence, seconds: 0.2, format: format, title: "Étude \u{1B}[31m", artist: "A. Nonymous", in: directory)
        let info = try AudioFileReader(path: path, outputSampleRate: nil).info
        #expect(info.title == "Étude \u{1B}[31m")
        #expect(info.artist == "A. Nonymous")
    }

    @Test func samples_whileFloatFileHoldsNonsense_areFinite() throws {
        let path = directory.path("nonsense.wav")
        let writer = try AudioFileWriter(path: path, format: .wavFloat, sampleRate: 48_000, channelCount: 1)
        try writer.write([0.25, .nan, .infinity, -.infinity, 1e30, -4, 0.5])
        try writer.close()
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        #expect(try reader.readFrames() == [0.25, 0, 0, 0, 0, -4, 0.5])
    }

    @Test func file_whileWithoutFrames_endsAtOnce() throws {
        let path = try TestFile.write(.silence, seconds: 0, in: directory)
        for rate in [nil, 44_100.0] {
            let reader = try AudioFileReader(path: path, outputSampleRate: rate)
            #expect(reader.info.duration == 0)
            #expect(try reader.readFrames() == [])
        }
    }

    /// The header of WAVEFORMATEXTENSIBLE files, 16 bit PCM, then silence.
    private func waveExtensible(channels: Int, mask: Int, frames: Int) -> [UInt8] {
        let dataLength = frames * channels * 2
        return Array("RIFF".utf8) + littleEndian(60 + dataLength, 4) + Array("WAVEfmt ".utf8) + littleEndian(40, 4)
            + littleEndian(0xFFFE, 2) + littleEndian(channels, 2) + littleEndian(48_000, 4)
            + littleEndian(48_000 * channels * 2, 4) + littleEndian(channels * 2, 2) + littleEndian(16, 2)
            + littleEndian(22, 2) + littleEndian(16, 2) + littleEndian(mask, 4)
            + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
            + Array("data".utf8) + littleEndian(dataLength, 4) + [UInt8](repeating: 0, count: dataLength)
    }
}

extension AudioFileInfo {
    static func expected(
        path: String, name: String, sampleRate: Double, channels: [ChannelLabel], frames: Int64
    ) -> AudioFileInfo {
        AudioFileInfo(
            path: path, formatName: name, sampleRate: sampleRate, channels: channels, frameCount: frames)
    }
}
