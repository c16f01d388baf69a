import Foundation
import TestAudio
import Testing

@testable import AudioFiles

struct WriterTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func samples_whileBeyondFullScale_areClippedNotWrapped() throws {
        let path = directory.path("loud.wav")
        let writer = try AudioFileWriter(path: path, format: .wav16, sampleRate: 48_000, channelCount: 1)
        try writer.write([0.5, 1.5, -1.5, 100, -1])
        try writer.close()
        try writer.close()
        let highest = Float(32_767) / 32_768
        #expect(try AudioFileReader(path: path, outputSampleRate: nil).readFrames() == [0.5, highest, -1, highest, -1])
    }

    @Test func file_whenItExists_isReplaced() throws {
        let path = try TestFile.write(.ramp, seconds: 2, named: "again.flac", in: directory)
        try TestFile.write(.ramp, seconds: 0.5, format: .flac16, named: "again.flac", in: directory)
        #expect(try AudioFileReader(path: path, outputSampleRate: nil).info.duration == 0.5)
    }

    @Test func create_whilePathIsNoPlaceForAFile_saysWhy() throws {
        #expect(
            message(directory.path("missing/x.wav"))?.contains("cannot be created (No such file or directory)") == true)
        #expect(message(directory.path)?.contains("is not a regular file and is left alone") == true)
        #expect(message("/dev/null")?.contains("is not a regular file and is left alone") == true)
        #expect(message("")?.contains("cannot name a file") == true)
    }

    @Test func create_whileFormatDoesNotTakeTheChannels_saysWhatItTakes() throws {
        let path = directory.path("x.flac")
        let error = #expect(throws: AudioFileWriteError.self) {
            try AudioFileWriter(path: path, format: .flac16, sampleRate: 48_000, channelCount: 9)
        }
        #expect(error?.message.contains("FLAC, 16 bit does not take 9 channels at 48000 Hz. Use") == true)
        #expect(!FileManager.default.fileExists(atPath: path), "nothing is left behind")
    }

    private func message(_ path: String) -> String? {
        do throws(AudioFileWriteError) {
            _ = try AudioFileWriter(path: path, format: .wav16, sampleRate: 48_000, channelCount: 1)
            return nil
        } catch {
            return error.message
        }
    }
}
