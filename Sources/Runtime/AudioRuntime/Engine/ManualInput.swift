import AudioModel
package import EngineCore
package import RenderCore
import Synchronization

/// The input of an engine in manual rendering: asks the app for frames.
///
/// `@unchecked Sendable`: every `var` is used by one thread at a time, the one that renders.
package final class ManualInput: @unchecked Sendable {
    /// Returns at most so many frames, interleaved in the format; nil for none.
    ///
    /// Called on the thread that renders.
    package typealias Block = (_ frames: Int) -> [Float]?

    let format: StreamFormat
    private let block: Block
    /// Interleaved in the node's channels, at the renderer's rate; given and not rendered yet.
    private var waiting = FrameQueue(channels: 1)
    /// Of what waits, and its rate.
    private var channels = 0
    private var rate = 0.0
    /// To that rate; nil where it is the format's.
    private var stage: RateStage?
    private var sampleTime: Int64 = 0
    private let mustForget = Atomic<Bool>(false)

    package init(format: StreamFormat, block: @escaping Block) {
        self.format = format
        self.block = block
    }

    /// Forgets what was given and not rendered, before the next cycle.
    ///
    /// Any thread.
    func reset() { mustForget.store(true, ordering: .releasing) }

    /// Gets what the next cycle needs.
    ///
    /// - Parameters:
    ///   - channels: of the node.
    ///   - deliver: gets what the block gave, interleaved in the format's channels, and answers with it in the node's.
    /// - Returns: the frames, which are now gone from here; nil where the block has too few, which stay, and where what it
    ///   gave cannot be converted.
    package func consume(
        _ frames: Int, rate: Double, channels: Int,
        _ deliver: (CycleBlock, UnsafeBufferPointer<Float>) -> [Float]
    ) -> [Float]? {
        guard prepare(rate: rate, channels: channels) else { return nil }
        while waiting.frames < frames {
            let missing = frames - waiting.frames
            let wanted = max(1, Int((Double(missing) * format.sampleRate / rate).rounded(.up)))
            guard let given = block(wanted) else { return nil }
            let count = given.count / format.channels.count
            let block = CycleBlock(
                frames: count, sampleTime: sampleTime,
                hostTimeNanoseconds: HostTime.zero.advanced(bySeconds: Double(sampleTime) / format.sampleRate)
                    .nanoseconds)
            sampleTime += Int64(count)
            let delivered = given.withUnsafeBufferPointer { deliver(block, $0) }
            // What leads to nothing would be asked for without end.
            guard delivered.count == count * channels, append(delivered) else { return nil }
        }
        return waiting.take(frames)
    }

    /// False for rates that are not converted.
    private func prepare(rate: Double, channels: Int) -> Bool {
        if mustForget.exchange(false, ordering: .acquiring) {
            waiting.removeAll()
            sampleTime = 0
            stage?.reset()
        }
        if (rate, channels) != (self.rate, self.channels) {
            (self.rate, self.channels, waiting) = (rate, channels, FrameQueue(channels: channels))
            stage = RateStage.ifNeeded(from: format.sampleRate, to: rate, channels: channels)
        }
        return stage != nil || rate == format.sampleRate
    }

    /// False for what cannot be converted.
    private func append(_ samples: [Float]) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            if let stage { return stage.convertAll(samples, channels: channels, into: &waiting) }
            waiting.append(samples)
            return true
        }
    }
}
