package import EngineCore
package import RenderCore

/// A sink node below the public API: hands what it hears to a receiver.
package final class SinkNodeController: Sendable {
    private let receiver: SampleReceiver
    private let waiting = BlockCalls()

    package init(_ receiver: @escaping SampleReceiver) { self.receiver = receiver }

    /// The thread that feeds.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in the input's channels.
    ///   - rate: the input's, in hertz.
    ///   - mostWaitingSeconds: how much may wait for the receiver.
    package func receive(
        _ heard: CycleBlock, _ samples: UnsafeBufferPointer<Float>, rate: Double, _ plan: SinkPlan,
        mostWaitingSeconds: Double, on calls: DeliveryThread
    ) {
        let format = StreamFormat(sampleRate: rate, channels: plan.format.channels)
        let mixed = plan.mix(samples, frames: heard.frames)
        waiting.enqueue(heard.frames, rate: rate, mostSeconds: mostWaitingSeconds, on: calls) { [receiver] in
            receiver(heard, mixed, format)
        }
    }
}
