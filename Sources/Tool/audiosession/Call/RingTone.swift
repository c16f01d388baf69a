import AudioRuntime
import Foundation
import Glibc
import OpenAVFAudio
import ProgramRuntime

/// A telephone's ring tone as a file without a name: the kernel frees it with its descriptor.
final class RingTone {
    /// Allowed lengths in seconds.
    static let lengths = 0.1...600.0

    private static let sampleRate = 16_000
    /// Two tones, as in the United Kingdom: two rings of 0.4 s, then a pause, every 3 s.
    private static let hertz = [400.0, 450.0]
    private static let rings = [0.0..<0.4, 0.6..<1.0]
    private static let periodSeconds = 3.0
    /// -9 dBFS at the peak of both tones together.
    private static let peak = 0.355
    /// Long enough to avoid clicks at the edges of a ring.
    private static let edgeSeconds = 0.005

    private let descriptor: Int32

    var item: PlayPlan.Item {
        .init(source: .file(FilePath(path)), name: "ring tone", title: "Ring tone")
    }

    /// The path to open it; readable while this object exists.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// - Throws: `BackendError` if the file cannot be written.
    init(seconds: Double) throws(BackendError) {
        do {
            descriptor = try TemporaryFile.make(for: "the ring tone")
            try Self.write(Self.samples(seconds: seconds), to: path)
        } catch {
            let message = (error as? FilePlayer.FileError)?.message ?? error.localizedDescription
            throw BackendError(.notWritable, message)
        }
    }

    deinit { close(descriptor) }

    private static func write(_ samples: [Float], to path: String) throws {
        let file = try AVAudioFile(
            forWriting: URL(fileURLWithPath: path),
            settings: [
                AVAudioFileTypeKey: kAudioFileWAVEType, AVFormatIDKey: kAudioFormatLinearPCM,
                AVLinearPCMBitDepthKey: 16, AVSampleRateKey: Double(sampleRate), AVNumberOfChannelsKey: 1,
            ])
        let count = AVAudioFrameCount(samples.count)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: count),
            let channel = buffer.floatChannelData?[0]
        else { throw CocoaError(.featureUnsupported) }
        channel.update(from: samples, count: samples.count)
        buffer.frameLength = count
        try file.write(from: buffer)
        file.close()
    }

    /// Mono, nominal ±1.
    static func samples(seconds: Double) -> [Float] {
        (0..<Int((seconds * Double(sampleRate)).rounded())).map { frame in
            let time = Double(frame) / Double(sampleRate)
            let level = envelope(at: time.truncatingRemainder(dividingBy: periodSeconds))
            guard level > 0 else { return 0 }
            let tones = hertz.reduce(0) { $0 + sin(2 * .pi * $1 * time) } / Double(hertz.count)
            return Float(peak * level * tones)
        }
    }

    /// 0...1, at this time within a period.
    private static func envelope(at time: Double) -> Double {
        guard let ring = rings.first(where: { $0.contains(time) }) else { return 0 }
        return min(1, min(time - ring.lowerBound, ring.upperBound - time) / edgeSeconds)
    }
}
