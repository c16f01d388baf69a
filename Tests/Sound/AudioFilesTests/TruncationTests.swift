import Foundation
import TestAudio
import Testing

@testable import AudioFiles

/// An incomplete file plays as far as it goes, and then says that it is incomplete.
struct TruncationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let countingFormats: [AudioFileFormat] = [.wav16, .wav24, .wavFloat, .aiff16, .flac16, .mp3]

    @Test(arguments: countingFormats, [nil, 44_100.0])
    func file_whileCutOff_playsWhatIsThereAndThenThrows(format: AudioFileFormat, rate: Double?) throws {
        let path = try TestFile.truncated(format: format, sampleRate: 16_000, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: rate)
        let (samples, error) = reader.readToEnd()
        let seconds = Double(samples.count / 2) / reader.outputSampleRate
        // 40 % of the bytes of 30 s; FLAC and MP3 do not spend the same number of bytes on each second.
        #expect(abs(seconds - 12) < 1)
        #expect(error?.kind == .truncated)
        let there = "0:\(Int(seconds))"
        #expect(error?.message.hasPrefix("\"\(path)\" is ") == true)
        #expect(
            error?.message.contains("ends after \(there) of 0:30. Get a") == true, "\(error?.message ?? "no error")")
        // The error stays, and the beginning can still be played.
        #expect(throws: AudioFileError.self) { try reader.readFrames(1) }
        try reader.seek(toFrame: 0)
        #expect(try reader.readFrames(1000) == Array(samples.prefix(2000)))
    }

    @Test(arguments: [AudioFileFormat.oggVorbis, .oggOpus])
    func ogg_whileCutOff_playsWhatIsThereAndThenThrows(format: AudioFileFormat) throws {
        let path = try TestFile.truncated(format: format, sampleRate: 16_000, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let (samples, error) = reader.readToEnd()
        // Pages hold up to three seconds at this rate, and the last one is lost.
        #expect(abs(Double(samples.count / 2) / 16_000 - 12) < 3)
        #expect(error?.kind == .truncated)
        #expect(error?.message.contains("is incomplete: it breaks off after ") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: AudioFileFormat.allCases)
    func file_whileWhole_endsWithoutAnError(format: AudioFileFormat) throws {
        for seconds in [0.05, 0.3, 3] {
            let path = try TestFile.write(.quadrature(hertz: 440), seconds: seconds, format: format, in: directory)
            let (samples, error) = try AudioFileReader(path: path, outputSampleRate: nil).readToEnd()
            #expect(samples.count == 2 * Int(seconds * 48_000))
            #expect(error == nil)
        }
    }

    @Test(arguments: [0, 0x7FFF_F000, 0x8000_0000, 0xFFFF_FFFF])
    func wav_whileItsLengthStandsForUnknown_isWhole(length: Int) throws {
        let whole = try TestFile.write(.ramp, seconds: 0.5, in: directory)
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        let data = try #require(bytes.firstRange(of: Array("data".utf8))?.lowerBound)
        bytes.replaceSubrange((data + 4)..<(data + 8), with: littleEndian(length, 4))
        // A recorder that could not come back has left the outer length open, too.
        bytes.replaceSubrange(4..<8, with: littleEndian(length == 0 ? 8 : length, 4))
        let path = try TestFile.write(bytes: bytes, named: "stream.wav", in: directory)
        let (samples, error) = try AudioFileReader(path: path, outputSampleRate: nil).readToEnd()
        #expect(samples.count == 48_000)
        #expect(error == nil)
    }

    @Test func seek_whileTargetIsInTheMissingPart_saysSoAndStays() throws {
        let path = try TestFile.truncated(format: .flac16, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let start = try reader.readFrames(5000)
        #expect(throws: AudioFileError.self) { try reader.seek(toSeconds: 25) }
        #expect(reader.position == 5000)
        let expected = try AudioFileReader(path: path, outputSampleRate: nil).readFrames(10_000)
        #expect(start + (try reader.readFrames(5000)) == expected)
    }

    @Test func seek_whileFileIsKnownToBeShort_clampsToWhatIsThere() throws {
        let path = try TestFile.truncated(format: .wav16, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        try reader.seek(toSeconds: 25)
        #expect(reader.position == reader.info.frameCount)
        #expect(throws: AudioFileError.self) { try reader.readFrames(1) }
    }

    @Test func header_whenLengthIsAnnounced_isFoundBehindLongComments() throws {
        // A comment longer than libsndfile's log, in front of the data.
        let comment = [UInt8](repeating: 0x61, count: 6000)
        let list = Array("INFOICMT".utf8) + littleEndian(comment.count, 4) + comment
        let bytes =
            Array("RIFF".utf8) + littleEndian(36 + 8 + list.count + 4000, 4) + Array("WAVEfmt ".utf8)
            + littleEndian(16, 4) + littleEndian(1, 2) + littleEndian(1, 2) + littleEndian(8000, 4)
            + littleEndian(16_000, 4) + littleEndian(2, 2) + littleEndian(16, 2) + Array("LIST".utf8)
            + littleEndian(list.count, 4) + list + Array("data".utf8) + littleEndian(4000, 4)
            + [UInt8](repeating: 0, count: 1000)
        let path = try TestFile.write(bytes: bytes, named: "comment.wav", in: directory)
        let (samples, error) = try AudioFileReader(path: path, outputSampleRate: nil).readToEnd()
        #expect(samples.count == 500)
        #expect(error?.message.contains("ends after 0.06 s of 0.25 s") == true, "\(error?.message ?? "no error")")
    }
}
