import AudioFiles
import ProgramRuntime
import TestAudio
import Testing

@Suite struct AudioFileTypePathTests {
    @Test(arguments: [
        ("a.wav", AudioFileFormat.wav16), ("A.FLAC", .flac16), ("/b.c/a.ogg", .oggVorbis), ("x.mp3", .mp3),
    ])
    func type_whileExtensionIsKnown_followsIt(path: String, format: AudioFileFormat) throws {
        #expect(try AudioFileType(path: path, sampleRate: 48_000, channelCount: 2) == format.type)
    }

    @Test(arguments: ["a", "a.txt", ".wav", "/a.wav/b", "", "a."])
    func type_whileExtensionIsUnknown_isRefused(path: String) {
        #expect(throws: AudioFileWriteError.self) {
            try AudioFileType(path: path, sampleRate: 48_000, channelCount: 2)
        }
    }
}
