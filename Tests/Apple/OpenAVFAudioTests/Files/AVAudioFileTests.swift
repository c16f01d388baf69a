import Foundation
import OpenAVFAudio
import OpenAudioSession
import TestAudio
import Testing

struct AVAudioFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: directory.path(name)) }

    private func settings(_ more: [String: Any] = [:], rate: Double = 48_000, channels: Int = 2) -> [String: Any] {
        more.merging([AVSampleRateKey: rate, AVNumberOfChannelsKey: channels]) { given, _ in given }
    }

    /// Writes interleaved samples through a file and reads all of them back in the same format.
    private func roundTrip<Sample: Equatable>(
        _ samples: [Sample], name: String, settings: [String: Any], as common: AVAudioCommonFormat
    ) throws -> [Sample] {
        let url = url(name)
        let writer = try AVAudioFile(
            forWriting: url, settings: settings, commonFormat: common, interleaved: true)
        let channels = Int(writer.processingFormat.channelCount)
        let count = AVAudioFrameCount(samples.count / channels)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: writer.processingFormat, frameCapacity: count))
        buffer.frameLength = count
        samples.withUnsafeBytes {
            buffer.mutableAudioBufferList.pointee.mBuffers.mData!.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
        }
        try writer.write(from: buffer)
        #expect(writer.length == Int64(count) && writer.framePosition == Int64(count))
        writer.close()
        let reader = try AVAudioFile(forReading: url, commonFormat: common, interleaved: true)
        let result = try #require(
            AVAudioPCMBuffer(pcmFormat: reader.processingFormat, frameCapacity: AVAudioFrameCount(reader.length)))
        try reader.read(into: result)
        return Array(UnsafeBufferPointer<Sample>(result.audioBufferList.pointee.mBuffers))
    }

    /// Apps read "while framePosition < length": a length that is too long is corrected at the end of the sound.
    @Test(arguments: [1000, 4096, 100_000] as [AVAudioFrameCount])
    func readLoop_whileLengthIsTooLong_ends(capacity: AVAudioFrameCount) throws {
        let whole = try EncodedFile.write(
            .sine(hertz: 440), seconds: 2, sampleRate: 48_000, channels: 2, codec: "libmp3lame", ending: "mp3",
            in: directory
        ).path
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
        // The frame that counts the others counts one more: within what decoders disagree on, so that its lack is no error.
        let count = try #require(bytes.firstRange(of: Array("Info".utf8))?.upperBound) + 7
        bytes[count] += 1
        let file = try AVAudioFile(
            forReading: URL(fileURLWithPath: try TestFile.write(bytes: bytes, named: "long.mp3", in: directory)))
        #expect(file.length == 96_000 + 1152)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: capacity))
        var (frames, reads, end): (Int64, Int, NSError?) = (0, 0, nil)
        while file.framePosition < file.length, reads < 200, end == nil {
            reads += 1
            do { try file.read(into: buffer) } catch { end = error as NSError }
            frames += Int64(buffer.frameLength)
            #expect(buffer.frameLength > 0 || end?.code == Int(kAudioFileEndOfFileError))
        }
        #expect(reads < 200)
        #expect((96_000..<96_000 + 1152).contains(frames))
        #expect((file.framePosition, file.length) == (frames, frames))
        #expect(throws: NSError.self) { try file.read(into: buffer) }
    }

    private static let ramp = (0..<9_000).map { Int16(truncatingIfNeeded: $0 * 7) } + [.min, .max, -1, 0]

    @Test(
        arguments: [
            ("a.wav", [AVFormatIDKey: Int(kAudioFormatLinearPCM)]), ("a.aiff", [:]),
            ("a.aif", [AVLinearPCMIsBigEndianKey: 0]),
            ("a.caf", [:]), ("a.caf", [AVLinearPCMIsBigEndianKey: 1]), ("a.au", [:]), ("a.w64", [:]), ("a.rf64", [:]),
            ("a.wav", [AVLinearPCMBitDepthKey: 24]), ("a.wav", [AVLinearPCMBitDepthKey: 32]),
            ("a.wav", [AVLinearPCMIsFloatKey: 1]), ("a.caf", [AVLinearPCMIsFloatKey: 1, AVLinearPCMBitDepthKey: 64]),
            ("a.flac", [:]), ("a.flac", [AVFormatIDKey: Int(kAudioFormatFLAC), AVEncoderBitDepthHintKey: 24]),
            ("a.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless)]),
            ("a.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless), AVEncoderBitDepthHintKey: 24]),
            ("a.bin", [AVAudioFileTypeKey: Int(kAudioFileWAVEType)]),
            (
                "a.bin",
                [AVAudioFileTypeKey: Int(kAudioFileM4AType), AVFormatIDKey: Int(kAudioFormatAppleLossless)]
            ),
        ] as [(String, [String: Int])])
    func int16Samples_throughEveryLosslessFile_comeBack(name: String, more: [String: Int]) throws {
        let back = try roundTrip(Self.ramp, name: name, settings: settings(more), as: .pcmFormatInt16)
        #expect(back == Self.ramp)
    }

    @Test func everyInt32_throughA32BitFile_comesBack() throws {
        let samples: [Int32] = [.min, .min + 1, -65_537, -1, 0, 1, 255, 256, 16_777_217, .max - 1, .max, 12_345_678]
        for name in ["a.wav", "a.aiff", "a.caf"] {
            let back = try roundTrip(
                samples, name: name, settings: settings([AVLinearPCMBitDepthKey: 32]), as: .pcmFormatInt32)
            #expect(back == samples)
        }
    }

    @Test func everyFloat_throughAFloatFile_comesBackBitByBit() throws {
        let samples: [Float] = [0, -0.0, 1, -1, 3.5, -1e30, .leastNonzeroMagnitude, 0.1, .pi, .infinity, 1e-20, -2]
        let back = try roundTrip(
            samples, name: "a.wav", settings: settings([AVLinearPCMIsFloatKey: true]), as: .pcmFormatFloat32)
        #expect(back.map(\.bitPattern) == samples.map(\.bitPattern))
        let doubles = samples.map { Double($0) * 1.000_000_000_1 }
        let wide = settings([AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 64])
        #expect(try roundTrip(doubles, name: "a.caf", settings: wide, as: .pcmFormatFloat64) == doubles)
    }

    /// The steps of an 8-bit file are 256 of Int16's.
    @Test func samplesBetweenTheStepsOfAFile_goToTheNearestAndAreClipped() throws {
        let samples: [Float] = [0.5 / 128, 1.5 / 128, 0.6 / 128, -0.6 / 128, 1.5, -1.5, .nan, 127.4 / 128]
        for name in ["a.wav", "a.aiff"] {
            let back = try roundTrip(
                samples, name: name, settings: settings([AVLinearPCMBitDepthKey: 8]), as: .pcmFormatFloat32)
            #expect(back.map { $0 * 128 } == [0, 2, 1, -1, 127, -128, 0, 127], "ties go to the even step")
        }
    }

    @Test(arguments: [("a.ogg", 2), ("a.opus", 2), ("a.mp3", 2), ("a.ogg", 1), ("a.opus", 1), ("a.mp3", 1)])
    func tone_throughALossyFile_keepsLengthAndLevel(name: String, channels: Int) throws {
        let tone = TestSignal.sine(hertz: 1_000).samples(frames: 48_000, channels: channels, sampleRate: 48_000)
        let quality = settings([AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue], channels: channels)
        let back = try roundTrip(tone, name: name, settings: quality, as: .pcmFormatFloat32)
        // MP3 is padded to whole frames of 1 152 and has the encoder's and the decoder's delay.
        let slack = name.hasSuffix("mp3") ? 3 * 1152 : 0
        #expect(abs(back.count / channels - 48_000) <= slack)
        let middle = back[(12_000 * channels)..<(36_000 * channels)]
        let level = (middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)).squareRoot()
        #expect(abs(level - 0.5 / Float(2).squareRoot()) < 0.01, "0.25 dB: what these codecs do to a pure tone is less")
    }

    @Test func fileForReading_hasTheStandardFormatAtItsOwnRate() throws {
        let path = try TestFile.write(.ramp, seconds: 0.5, sampleRate: 44_100, in: directory)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        #expect(file.processingFormat == AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        #expect(file.fileFormat.streamDescription.pointee.mBitsPerChannel == 16)
        #expect(file.fileFormat.commonFormat == .pcmFormatInt16 && file.fileFormat.isInterleaved)
        #expect(file.length == 22_050 && file.framePosition == 0 && file.isOpen && file.url.path == path)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 30_000))
        try file.read(into: buffer)
        #expect(buffer.frameLength == 22_050 && file.framePosition == 22_050)
        let channels = try #require(buffer.floatChannelData)
        #expect((0..<22_050).allSatisfy { channels[0][$0] == Float($0) / 32_768 })
        #expect((0..<22_050).allSatisfy { channels[1][$0] == Float($0 + 100) / 32_768 })
    }

    @Test func read_fromAnyPosition_givesTheFramesFromThere() throws {
        let path = try TestFile.write(.ramp, seconds: 1, channels: 1, format: .flac16, in: directory)
        let file = try AVAudioFile(
            forReading: URL(fileURLWithPath: path), commonFormat: .pcmFormatInt16, interleaved: false)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 1000))
        func read(_ frames: AVAudioFrameCount) throws -> [Int16] {
            try file.read(into: buffer, frameCount: frames)
            return Array(UnsafeBufferPointer<Int16>(buffer.audioBufferList.pointee.mBuffers))
        }
        #expect(try read(3) == [0, 1, 2])
        #expect(try read(2) == [3, 4])
        file.framePosition = 20_000
        #expect(try read(2) == [20_000, 20_001])
        file.framePosition = 10
        #expect(try read(1) == [10])
        #expect(try read(5_000).count == 1000, "no more than the buffer holds")
        file.framePosition = 47_998
        #expect(try read(10) == [15_230, 15_231], "47 998 mod 32 768: the last two")
        #expect(throws: NSError.self) { try read(1) }
        file.framePosition = .max
        #expect(file.framePosition == 48_000)
        file.framePosition = -1
        #expect(file.framePosition == 0)
        #expect(try read(0).isEmpty && file.framePosition == 0)
    }

    @Test func read_atTheEnd_throwsEndOfFile() throws {
        let path = try TestFile.write(.silence, seconds: 0.01, in: directory)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 480))
        try file.read(into: buffer)
        let error = #expect(throws: NSError.self) { try file.read(into: buffer) }
        #expect(error?.domain == "com.apple.coreaudio.avfaudio" && error?.code == -39)
        #expect(error?.localizedDescription.contains("has no more than its 480 frames") == true)
        #expect(buffer.frameLength == 0)
    }

    @Test func read_ofAnIncompleteFile_givesWhatIsThereAndThenThrows() throws {
        let path = try TestFile.truncated(format: .wav16, seconds: 1, keeping: 0.5, in: directory)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 48_000))
        try file.read(into: buffer)
        // Half of the bytes, of which 44 are the header.
        #expect(buffer.frameLength == (44 + 48_000 * 4) / 2 / 4 - 11)
        #expect(throws: NSError.self) { try file.read(into: buffer) }
    }

    @Test func open_ofWhatIsNoSoundFile_saysWhy() throws {
        func error(_ url: URL) -> NSError? {
            do {
                _ = try AVAudioFile(forReading: url)
                return nil
            } catch { return error as NSError }
        }
        let missing = error(url("missing.wav"))
        #expect(missing?.code == Int(kAudioFileUnspecifiedError))
        #expect(missing?.localizedDescription.contains("There is no file") == true)
        let letter = error(URL(fileURLWithPath: try TestFile.notAudio(in: directory)))
        #expect(letter?.code == Int(kAudioFileUnsupportedFileTypeError))
        #expect(error(URL(fileURLWithPath: directory.path))?.localizedDescription.contains("is a directory") == true)
        let remote = error(try #require(URL(string: "https://example.org/a.wav")))
        #expect(remote?.localizedDescription == #""https://example.org/a.wav" is not the URL of a file; use one."#)
    }

    @Test func buffer_ofAnotherFormat_isRefused() throws {
        let path = try TestFile.write(.silence, seconds: 0.01, in: directory)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let mono = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 10))
        let error = #expect(throws: NSError.self) { try file.read(into: buffer) }
        #expect(error?.code == -50 && error?.localizedDescription.contains("of its processingFormat") == true)
        let written = try AVAudioFile(forWriting: url("b.wav"), settings: settings())
        #expect(throws: NSError.self) { try written.write(from: buffer) }
        #expect(written.length == 0)
    }

    @Test func file_whileOpenForTheOther_neitherReadsNorWrites() throws {
        let writer = try AVAudioFile(forWriting: url("a.wav"), settings: settings())
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: writer.processingFormat, frameCapacity: 10))
        buffer.frameLength = 10
        #expect(throws: NSError.self) { try writer.read(into: buffer) }
        buffer.frameLength = 10
        try writer.write(from: buffer)
        writer.framePosition = 3
        #expect(writer.framePosition == 10, "a file is written from its beginning to its end")
        writer.close()
        writer.close()
        #expect(!writer.isOpen && writer.length == 10)
        #expect(throws: NSError.self) { try writer.write(from: buffer) }
        let reader = try AVAudioFile(forReading: url("a.wav"))
        #expect(throws: NSError.self) { try reader.write(from: buffer) }
        reader.close()
        let error = #expect(throws: NSError.self) { try reader.read(into: buffer) }
        #expect(error?.localizedDescription == #""a.wav" is closed and cannot be read."#)
    }

    @Test func file_withoutClose_isCompleteWhenItIsGone() throws {
        do {
            let file = try AVAudioFile(forWriting: url("a.wav"), settings: settings())
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 7))
            buffer.frameLength = 7
            try file.write(from: buffer)
            try file.write(from: buffer)
        }
        #expect(try AVAudioFile(forReading: url("a.wav")).length == 14)
        _ = try AVAudioFile(forWriting: url("a.wav"), settings: settings())
        #expect(try AVAudioFile(forReading: url("a.wav")).length == 0, "an existing file is replaced")
    }

    @Test func settingsOfAFormat_makeAFileOfThatFormat() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
        let file = try AVAudioFile(forWriting: url("a.caf"), settings: format.settings)
        #expect(file.processingFormat == format)
        #expect(file.fileFormat.commonFormat == .pcmFormatFloat32 && file.fileFormat.isInterleaved)
        let flac = try AVAudioFile(
            forWriting: url("a.flac"), settings: settings([AVEncoderBitDepthHintKey: 24], rate: 96_000))
        let frame = try #require(AVAudioPCMBuffer(pcmFormat: flac.processingFormat, frameCapacity: 1))
        frame.frameLength = 1
        try flac.write(from: frame)
        flac.close()
        let read = try AVAudioFile(forReading: url("a.flac"))
        #expect(read.fileFormat == flac.fileFormat)
        #expect(read.fileFormat.streamDescription.pointee.mFormatID == kAudioFormatFLAC)
        #expect(read.fileFormat.settings[AVEncoderBitDepthHintKey] as? Int == 24)
        let again = try AVAudioFile(forWriting: url("b.flac"), settings: read.fileFormat.settings)
        #expect(again.fileFormat == read.fileFormat)
    }

    @Test(
        arguments: [
            ("a.wav", [AVLinearPCMBitDepthKey: 8], "UInt8"), ("a.aiff", [AVLinearPCMBitDepthKey: 8], "Int8"),
            ("a.wav", [AVLinearPCMBitDepthKey: 24], "Int24"), ("a.aiff", [:], "Int16 big-endian"),
            ("a.aiff", [AVLinearPCMIsBigEndianKey: 0], "Int16"), ("a.caf", [AVLinearPCMIsBigEndianKey: 0], "Int16"),
            ("a.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless)], "'alac'"), ("a.opus", [:], "'opus'"),
            ("a.ogg", [:], "'vorb'"), ("a.mp3", [:], "'.mp3'"),
            ("a.au", [AVFormatIDKey: Int(kAudioFormatULaw)], "'ulaw'"),
            ("a.wav", [AVFormatIDKey: Int(kAudioFormatALaw)], "'alaw'"), ("a.m4a", [:], "'aac '"),
            ("a.aac", [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)], "'aac '"),
            ("b.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless), AVEncoderBitDepthHintKey: 24], "'alac'"),
        ] as [(String, [String: Int], String)])
    func fileFormat_saysHowTheFileStoresItsSamples(name: String, more: [String: Int], coding: String) throws {
        let written = try AVAudioFile(forWriting: url(name), settings: settings(more))
        #expect(written.fileFormat.description.contains("2 ch, 48000.0 Hz, \(coding)"), "\(written.fileFormat)")
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: written.processingFormat, frameCapacity: 4_800))
        buffer.frameLength = 4_800
        try written.write(from: buffer)
        written.close()
        #expect(try AVAudioFile(forReading: url(name)).fileFormat == written.fileFormat)
    }

    @Test(
        arguments: [
            ("a.wma", [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)], kAudioFileUnsupportedFileTypeError, #"".wma""#),
            ("a.m4a", [AVFormatIDKey: Int(kAudioFormatLinearPCM)], kAudioFileUnsupportedDataFormatError, "linear PCM"),
            ("a.m4a", [AVSampleRateKey: 44_000], kAudioFileUnsupportedDataFormatError, "44000 Hz"),
            ("a.caf", [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)], kAudioFileUnsupportedDataFormatError, "'aac '"),
            ("a.caf", [AVFormatIDKey: Int(kAudioFormatAppleLossless)], kAudioFileUnsupportedDataFormatError, "'alac'"),
            ("a.flac", [AVFormatIDKey: Int(kAudioFormatLinearPCM)], kAudioFileUnsupportedDataFormatError, "linear PCM"),
            ("a.wav", [AVFormatIDKey: Int(kAudioFormatFLAC)], kAudioFileUnsupportedDataFormatError, "'flac'"),
            ("a.wav", [AVLinearPCMBitDepthKey: 12], kAudioFileUnsupportedDataFormatError, "of 12 bits"),
            ("a.opus", [AVSampleRateKey: 44_100], kAudioFileUnsupportedDataFormatError, "44100 Hz"),
            ("a.flac", [AVNumberOfChannelsKey: 9], kAudioFileUnsupportedDataFormatError, "9 channels"),
            ("a.wav", [AVSampleRateKey: 0], kAudio_ParamError, "AVSampleRateKey"),
            ("a.wav", [AVNumberOfChannelsKey: 0], kAudio_ParamError, "AVNumberOfChannelsKey"),
            ("missing/a.wav", [:], kAudioFileUnspecifiedError, "No such file or directory"),
        ] as [(String, [String: Int], OSStatus, String)])
    func create_ofWhatCannotBeWritten_saysWhy(name: String, more: [String: Int], code: OSStatus, words: String) {
        let error = #expect(throws: NSError.self) {
            try AVAudioFile(forWriting: url(name), settings: settings(more))
        }
        #expect(error?.code == Int(code))
        #expect(error?.localizedDescription.contains(words) == true, "\(error?.localizedDescription ?? "")")
        #expect(!FileManager.default.fileExists(atPath: directory.path(name)))
    }

    @Test func otherFormat_processesNoFile() throws {
        let path = try TestFile.write(.silence, seconds: 0.01, in: directory)
        #expect(throws: NSError.self) {
            try AVAudioFile(forReading: URL(fileURLWithPath: path), commonFormat: .otherFormat, interleaved: true)
        }
        #expect(throws: NSError.self) {
            try AVAudioFile(
                forWriting: url("a.wav"), settings: settings(), commonFormat: .otherFormat, interleaved: true)
        }
    }

    @Test func surroundWAV_keepsTheChannelsPlaces() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(try surroundRoundTrip("a.wav", format) == format)
    }

    /// libsndfile has one name for side and rear channels in these: the samples stay in order, the places' names may not.
    @Test(arguments: ["a.caf", "a.aiff", "a.flac"])
    func surroundFile_keepsTheChannelsOrder(name: String) throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_WAVE_5_1_B))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(try surroundRoundTrip(name, format).channelCount == 6)
    }

    /// Writes a frame that numbers its channels and checks them; returns the format that the file is read in.
    private func surroundRoundTrip(_ name: String, _ format: AVAudioFormat) throws -> AVAudioFormat {
        var settings = format.settings
        if name.hasSuffix("flac") { settings[AVFormatIDKey] = kAudioFormatFLAC }
        let file = try AVAudioFile(forWriting: url(name), settings: settings)
        #expect(file.processingFormat == format)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 2))
        buffer.frameLength = 2
        for channel in 0..<6 { buffer.floatChannelData?[channel][1] = Float(channel) / 8 }
        try file.write(from: buffer)
        file.close()
        let reader = try AVAudioFile(forReading: url(name))
        let read = try #require(AVAudioPCMBuffer(pcmFormat: reader.processingFormat, frameCapacity: 2))
        try reader.read(into: read)
        #expect((0..<6).map { read.floatChannelData?[$0][1] } == [0, 0.125, 0.25, 0.375, 0.5, 0.625])
        return reader.processingFormat
    }
}
