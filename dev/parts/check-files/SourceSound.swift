import AudioFiles
import Foundation

/// The sound that is encoded: a tone that rises, with no two places alike, and a file of it.
struct SourceSound {
    let path: String
    /// Of the left channel.
    let samples: [Float]

    static let channels = 2

    init(in directory: String, sampleRate: Int, seconds: Double) throws(AudioFileWriteError) {
        path = "\(directory)/source-\(sampleRate).wav"
        // No multiple of any codec's packet.
        let frames = Int(seconds * Double(sampleRate)) + 37
        samples = (0..<frames).map { frame in
            let place = Double(frame) / Double(frames)
            // From 200 to 3 200 Hz; the phase is the integral of the frequency.
            let phase = 2 * Double.pi * 200 * seconds / log(16) * (pow(16, place) - 1)
            return Float((0.5 * sin(phase) * 32_768).rounded() / 32_768)
        }
        let writer = try AudioFileWriter(
            path: path, type: AudioFileType(container: .wav, coding: .integer(bits: 16)), sampleRate: sampleRate,
            channels: [.left, .right])
        try writer.write(samples.flatMap { [$0, -$0] })
        try writer.close()
    }
}

extension Encoder {
    struct Failed: Error, CustomStringConvertible {
        var description: String
    }

    /// - Returns: the path of the encoded file.
    func encode(_ source: SourceSound, number: Int, in directory: String) throws -> String {
        let path = "\(directory)/\(number).\(ending)"
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments.map { $0 == "IN" ? source.path : $0 == "OUT" ? path : $0 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(description: "\(program) cannot write \(name): status \(process.terminationStatus)")
        }
        return path
    }

    /// Encodes a sound by every program.
    static func encodeAll(in directory: String, seconds: Double) throws -> [(Encoder, SourceSound, path: String)] {
        var sources: [Int: SourceSound] = [:]
        return try all.enumerated().map { number, encoder in
            let source =
                try sources[encoder.sampleRate]
                ?? SourceSound(in: directory, sampleRate: encoder.sampleRate, seconds: seconds)
            sources[encoder.sampleRate] = source
            return (encoder, source, try encoder.encode(source, number: number, in: directory))
        }
    }
}
