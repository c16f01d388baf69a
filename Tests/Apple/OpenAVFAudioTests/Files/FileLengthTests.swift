import Foundation
import TestAudio
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// Files whose headers do not say how long they are.
@MainActor @Suite struct FileLengthTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// A length is told once, whoever is asked.
    @Test(arguments: ["no total", "no Xing"]) func length_ofAFileThatDoesNotSayIt_isTheSameForAll(kind: String)
        async throws
    {
        let path: String
        if kind == "no total" {
            let whole = try TestFile.write(.ramp, seconds: 2, format: .flac16, in: machine.directory)
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
            bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
            path = try TestFile.write(bytes: bytes, named: "pipe.flac", in: machine.directory)
        } else {
            let mp3 = try EncodedFile.write(
                .sine(hertz: 440), seconds: 2, sampleRate: 48_000, channels: 2, codec: "libmp3lame", ending: "mp3",
                in: machine.directory
            ).path
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: mp3)))
            // Without the frame that counts, and behind a large picture.
            let mark = try #require(bytes.firstRange(of: Array("Info".utf8))?.lowerBound)
            let start = mark - 36
            let next = try #require(
                (start + 4..<bytes.count).first { bytes[$0] == 0xFF && bytes[$0 + 1] == bytes[start + 1] })
            let picture = [UInt8](repeating: 0x41, count: 1_700_000)
            let tag =
                Array("ID3".utf8) + [3, 0, 0] + [21, 14, 7, 0].map { UInt8(picture.count >> $0 & 0x7F) } + picture
            path = try TestFile.write(bytes: tag + bytes[next...], named: "bare.mp3", in: machine.directory)
        }
        let url = URL(fileURLWithPath: path)
        let file = try AVAudioFile(forReading: url)
        let seconds = Double(file.length) / file.processingFormat.sampleRate
        #expect((2...2.1).contains(seconds))
        #expect(try machine.audioPlayer(at: path).duration == seconds)
        #expect(AVURLAsset(url: url).duration.seconds == seconds)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length) + 4096))
        try file.read(into: buffer)
        #expect(AVAudioFramePosition(buffer.frameLength) == file.length)
    }
}
