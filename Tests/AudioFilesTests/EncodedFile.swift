import Foundation
import TestAudio

/// Files that another program encodes.
enum EncodedFile {
    static let encoder = "/usr/bin/ffmpeg"

    struct Failure: Error { var status: Int32 }

    /// - Returns: the encoded file, and the WAV file that it was made from.
    static func write(
        _ signal: TestSignal, seconds: Double, sampleRate: Int, channels: Int, codec: String, ending: String,
        in directory: TemporaryDirectory
    ) throws -> (path: String, wav: String) {
        let wav = try TestFile.write(
            signal, seconds: seconds, sampleRate: sampleRate, channels: channels, in: directory)
        let path = directory.path("\(UUID().uuidString).\(ending)")
        let process = Process()
        process.executableURL = URL(filePath: encoder)
        process.arguments = [
            "-v", "error", "-nostdin", "-i", wav, "-c:a", codec, "-sample_fmt", sampleFormat(of: codec), "-b:a", "192k",
            "-metadata", "title=Tone", "-metadata", "artist=Nobody", path,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return (path, wav)
    }

    /// Of lossless codecs one of 16 bits, as the WAV file is.
    private static func sampleFormat(of codec: String) -> String {
        switch codec {
        case "alac", "wavpack": "s16p"
        case "flac", "libopus": "s16"
        default: "fltp"
        }
    }
}
