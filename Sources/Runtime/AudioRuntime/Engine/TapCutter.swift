import EngineCore
import RenderCore

/// Cuts what a tap hears into pieces of the wanted length and format.
///
/// One thread at a time.
final class TapCutter {
    /// The lengths of pieces that taps have.
    ///
    /// Source: SDK header AVAudioNode.h.
    private static let seconds = 0.1...0.4
    /// Of a piece where the app has asked for shorter ones.
    static let fewestFrames = 16

    private let rendererRate: Double
    private let output: StreamFormat
    private let routing: [Float]
    private let stage: RateStage?
    /// At least one.
    var pieceFrames: Int
    /// Interleaved, in the wanted channels and rate.
    private var waiting: FrameQueue
    /// Of the first frame that waits.
    private var first = (sampleTime: Double(0), hostTime: UInt64(0))
    /// The renderer's sample time that comes next.
    private var expected: Int64?

    /// Nil for a format without a rate or channels, and for rates that are not converted: the tap is silent.
    init?(rendererRate: Double, format: StreamFormat, wantedFormat: StreamFormat?, wantedFrames: Int) {
        output = wantedFormat ?? format
        let outputs = output.channels
        guard output.sampleRate > 0, !outputs.isEmpty else { return nil }
        self.rendererRate = rendererRate
        waiting = FrameQueue(channels: outputs.count)
        routing =
            format.channels == outputs ? [] : MixMatrix.compile(from: format.channels, to: outputs)
        stage = RateStage.ifNeeded(from: rendererRate, to: output.sampleRate, channels: outputs.count)
        guard stage != nil || rendererRate == output.sampleRate else { return nil }
        let least = Int((output.sampleRate * Self.seconds.lowerBound).rounded(.up))
        let most = Int((output.sampleRate * Self.seconds.upperBound).rounded(.down))
        pieceFrames = max(1, min(max(wantedFrames, least), most))
    }

    func consume(
        _ heard: CycleBlock, _ samples: UnsafeBufferPointer<Float>,
        _ deliver: (CycleBlock, [Float], StreamFormat) -> Void
    ) {
        // Frames were lost: the waiting ones are delivered alone, so that no piece has a gap.
        if let expected, expected != heard.sampleTime {
            cut(waiting.frames, deliver)
            stage?.reset()
        }
        expected = heard.sampleTime + Int64(heard.frames)
        if waiting.frames == 0 {
            first = (Double(heard.sampleTime) * output.sampleRate / rendererRate, heard.hostTimeNanoseconds)
        }
        if routing.isEmpty {
            append(samples)
        } else {
            samples.mixed(by: routing, outputs: output.channels.count).withUnsafeBufferPointer(append)
        }
        while waiting.frames >= pieceFrames { cut(pieceFrames, deliver) }
    }

    private func append(_ samples: UnsafeBufferPointer<Float>) {
        guard let stage else { return waiting.append(samples) }
        // A converter that fails gives nothing from now on.
        _ = stage.convertAll(samples, channels: output.channels.count, into: &waiting)
    }

    private func cut(_ frames: Int, _ deliver: (CycleBlock, [Float], StreamFormat) -> Void) {
        guard frames > 0 else { return }
        let samples = waiting.take(frames)
        let block = CycleBlock(
            frames: frames, sampleTime: Int64(first.sampleTime.rounded()), hostTimeNanoseconds: first.hostTime)
        deliver(block, samples, output)
        first.sampleTime += Double(frames)
        first.hostTime += UInt64(Double(frames) / output.sampleRate * 1e9)
    }
}

extension Collection<Float> where Index == Int {
    /// Mixes interleaved frames.
    ///
    /// - Parameter matrix: linear gains, row-major [output][input]; not empty.
    package func mixed(by matrix: [Float], outputs: Int) -> [Float] {
        let inputs = matrix.count / outputs
        var mixed = [Float](repeating: 0, count: count / inputs * outputs)
        for frame in 0..<(count / inputs) {
            for output in 0..<outputs {
                var sum: Float = 0
                for input in 0..<inputs {
                    sum += matrix[output * inputs + input] * self[startIndex + frame * inputs + input]
                }
                mixed[frame * outputs + output] = sum
            }
        }
        return mixed
    }
}
