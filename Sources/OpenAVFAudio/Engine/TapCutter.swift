import AudioModel
import AudioRuntime
import CAudioTypes
import EngineCore
import RenderCore

/// Cuts what a tap hears into buffers of the app's length and format.
///
/// One thread at a time.
final class TapCutter {
    /// The lengths of buffers that taps have.
    ///
    /// Source: SDK header AVAudioNode.h.
    private static let seconds = 0.1...0.4

    private let rendererRate: Double
    private let channels: Int
    private let output: AVAudioFormat
    private let coding: SampleCoding
    private let routing: [Float]
    private let stage: RateStage?
    private let bufferFrames: Int
    /// Interleaved, in the app's channels and rate.
    private var waiting: [Double] = []
    /// Of the first frame that waits.
    private var first = (sampleTime: Double(0), hostTime: UInt64(0))
    /// The renderer's sample time that comes next.
    private var expected: Int64?

    /// Nil where the app's format is none that samples can be written in: the tap is silent.
    init?(rendererRate: Double, format: StreamFormat, wantedFormat: AVAudioFormat?, wantedFrames: Int) {
        output = wantedFormat ?? AVAudioFormat(format)
        let outputs = output.places
        guard let coding = SampleCoding(output.streamDescription.pointee), output.sampleRate > 0, !outputs.isEmpty
        else { return nil }
        self.coding = coding
        self.rendererRate = rendererRate
        channels = format.channels.count
        routing =
            format.channels == outputs ? [] : MixMatrix.compile(from: format.channels, to: outputs)
        stage = RateStage.ifNeeded(from: rendererRate, to: output.sampleRate, channels: outputs.count)
        guard stage != nil || rendererRate == output.sampleRate else { return nil }
        let least = Int((output.sampleRate * Self.seconds.lowerBound).rounded(.up))
        let most = Int((output.sampleRate * Self.seconds.upperBound).rounded(.down))
        bufferFrames = max(1, min(max(wantedFrames, least), most))
    }

    private var outputChannels: Int { Int(output.channelCount) }

    func take(
        _ heard: TapBlock, _ samples: UnsafeBufferPointer<Float>, _ deliver: (AVAudioPCMBuffer, AVAudioTime) -> Void
    ) {
        // Frames were lost: what is there goes alone, so that every buffer is of one piece.
        if let expected, expected != heard.sampleTime {
            cut(waiting.count / outputChannels, deliver)
            stage?.reset()
        }
        expected = heard.sampleTime + Int64(heard.frames)
        if waiting.isEmpty {
            first = (Double(heard.sampleTime) * output.sampleRate / rendererRate, heard.hostTimeNanoseconds)
        }
        append(routed(samples, heard.frames))
        while waiting.count >= bufferFrames * outputChannels { cut(bufferFrames, deliver) }
    }

    private func routed(_ samples: UnsafeBufferPointer<Float>, _ frames: Int) -> [Float] {
        guard !routing.isEmpty else { return Array(samples) }
        let outputs = outputChannels
        var routed = [Float](repeating: 0, count: frames * outputs)
        for frame in 0..<frames {
            for channel in 0..<outputs {
                var sum: Float = 0
                for input in 0..<channels {
                    sum += routing[channel * channels + input] * samples[frame * channels + input]
                }
                routed[frame * outputs + channel] = sum
            }
        }
        return routed
    }

    private func append(_ samples: [Float]) {
        guard let stage else {
            waiting += samples.lazy.map(Double.init)
            return
        }
        samples.withUnsafeBufferPointer {
            waiting += (stage.convertAll($0, channels: outputChannels) ?? []).lazy.map(Double.init)
        }
    }

    private func cut(_ frames: Int, _ deliver: (AVAudioPCMBuffer, AVAudioTime) -> Void) {
        guard frames > 0, let buffer = AVAudioPCMBuffer(pcmFormat: output, frameCapacity: UInt32(frames)) else {
            return
        }
        let samples = frames * outputChannels
        waiting.withUnsafeBufferPointer {
            buffer.encode(UnsafeBufferPointer(rebasing: $0[..<samples]), at: 0, with: coding)
        }
        buffer.frameLength = UInt32(frames)
        waiting.removeFirst(samples)
        deliver(
            buffer,
            AVAudioTime(
                hostTime: first.hostTime, sampleTime: Int64(first.sampleTime.rounded()), atRate: output.sampleRate))
        first.sampleTime += Double(frames)
        first.hostTime += UInt64(Double(frames) / output.sampleRate * 1e9)
    }
}
