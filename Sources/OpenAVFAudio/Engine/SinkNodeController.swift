import AudioRuntime
import CAudioTypes
import EngineCore
import RenderCore
import Synchronization

/// A sink node below its Apple face: hands what it hears to an app's block.
final class SinkNodeController: Sendable {
    /// `@unchecked Sendable`: called on one thread only, the engine's for taps.
    private struct Receiver: @unchecked Sendable {
        let block: AVAudioSinkNodeReceiverBlock
    }

    /// `@unchecked Sendable`: nobody else uses the buffer once it is here.
    private struct Delivery: @unchecked Sendable {
        let buffer: AVAudioPCMBuffer
        let stamp: AudioTimeStamp
    }

    private let receiver: Receiver
    private let waiting = BlockCalls()

    /// Frames lost because the block took too long.
    var droppedFrames: Int { waiting.droppedFrames }

    init(_ block: @escaping AVAudioSinkNodeReceiverBlock) { receiver = Receiver(block: block) }

    /// The thread that feeds.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in the input's channels.
    ///   - rate: the input's, in hertz.
    ///   - mostWaitingSeconds: how much may wait for the block.
    func receive(
        _ heard: TapBlock, _ samples: UnsafeBufferPointer<Float>, inputs: Int, rate: Double, _ plan: SinkPlan,
        mostWaitingSeconds: Double, on calls: DeliveryThread
    ) {
        guard
            let buffer = AVAudioPCMBuffer(
                pcmFormat: AVAudioFormat(plan.format), frameCapacity: AVAudioFrameCount(heard.frames)),
            let planes = buffer.floatChannelData
        else { return }
        buffer.frameLength = AVAudioFrameCount(heard.frames)
        for (channel, gain) in plan.matrix.enumerated() where gain != 0 {
            let (plane, input) = (planes[channel / inputs], channel % inputs)
            for frame in 0..<heard.frames { plane[frame] += gain * samples[frame * inputs + input] }
        }
        let time = AVAudioTime(hostTime: heard.hostTimeNanoseconds, sampleTime: heard.sampleTime, atRate: rate)
        let delivery = Delivery(buffer: buffer, stamp: time.audioTimeStamp)
        waiting.enqueue(heard.frames, rate: rate, mostSeconds: mostWaitingSeconds, on: calls) { [receiver] in
            var stamp = delivery.stamp
            _ = receiver.block(&stamp, delivery.buffer.frameLength, delivery.buffer.audioBufferList)
        }
    }
}
