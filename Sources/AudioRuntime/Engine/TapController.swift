package import EngineCore
package import RenderCore
import Synchronization

/// A tap: hears what leaves a node's bus, cuts it into pieces, and hands them to a receiver.
package final class TapController: Sendable {
    /// How long the reader may pause before frames are lost.
    static let capacitySeconds = 2.0

    private let receiver: SampleReceiver
    private let wantedFrames: Int
    private let wantedFormat: StreamFormat?
    private let calls: DeliveryThread
    private let waiting = BlockCalls()
    private let listening = Mutex<Listening?>(nil)
    /// Several threads may drain; blocks stay in order.
    private let work = Mutex(Work())

    private struct Listening {
        var feed: TapFeed
        var renderer: EngineRenderer
        var format: StreamFormat
    }

    private struct Work: ~Copyable {
        var feedID: ObjectIdentifier?
        /// Of the input, for a tap there.
        var inputFormat: StreamFormat?
        var cutter: TapCutter?
    }

    /// - Parameters:
    ///   - wantedFrames: of one piece; brought to 100 to 400 ms.
    ///   - wantedFormat: of the pieces; nil for what the bus has.
    package init(
        wantedFrames: Int, wantedFormat: StreamFormat?, calls: DeliveryThread, receiver: @escaping SampleReceiver
    ) {
        self.wantedFrames = wantedFrames
        self.wantedFormat = wantedFormat
        self.calls = calls
        self.receiver = receiver
    }

    var feed: TapFeed? { listening.withLock { $0?.feed } }

    /// Any thread, with the engine's lock.
    func listen(to renderer: EngineRenderer, _ format: StreamFormat) {
        listening.withLock {
            guard $0?.renderer !== renderer || $0?.format != format else { return }
            $0 = Listening(
                feed: renderer.makeTap(channels: format.channels.count, capacitySeconds: Self.capacitySeconds),
                renderer: renderer, format: format)
        }
    }

    /// The thread that feeds.
    ///
    /// - Parameter mostWaitingSeconds: how much may wait for the block.
    func drain(mostWaitingSeconds: Double) {
        guard let now = listening.withLock({ $0 }) else { return }
        work.withLock { work in
            if work.feedID != ObjectIdentifier(now.feed) {
                work.feedID = ObjectIdentifier(now.feed)
                work.cutter = TapCutter(
                    rendererRate: now.renderer.sampleRate, format: now.format, wantedFormat: wantedFormat,
                    wantedFrames: wantedFrames)
            }
            now.feed.drain { heard, samples in
                work.cutter?.consume(heard, samples) { deliver($0, $1, $2, mostWaitingSeconds) }
            }
        }
    }

    /// Hears what an input captured, which no cycle of a renderer has.
    ///
    /// The thread that feeds.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in the format's channels.
    ///   - busFormat: of the pieces that a tap without a format of its own gets; nil for that of the samples.
    ///   - mostWaitingSeconds: how much may wait for the block.
    package func hear(
        _ heard: CycleBlock, _ samples: [Float], of format: StreamFormat, as busFormat: StreamFormat? = nil,
        mostWaitingSeconds: Double
    ) {
        work.withLock { work in
            if work.inputFormat != format {
                work.inputFormat = format
                work.cutter = TapCutter(
                    rendererRate: format.sampleRate, format: format, wantedFormat: wantedFormat ?? busFormat,
                    wantedFrames: wantedFrames)
            }
            samples.withUnsafeBufferPointer {
                work.cutter?.consume(heard, $0) { deliver($0, $1, $2, mostWaitingSeconds) }
            }
        }
    }

    /// Hears what a mixer makes of an input, in an engine without an output.
    ///
    /// The thread that feeds.
    ///
    /// - Parameter rate: the input's, in hertz; the mixer's own is that of the pieces, unless the tap wants another.
    func hear(_ heard: CycleBlock, _ samples: [Float], at rate: Double, _ plan: SinkPlan, mostWaitingSeconds: Double) {
        let mixed = samples.withUnsafeBufferPointer { plan.mix($0, frames: heard.frames) }
        hear(
            heard, mixed, of: StreamFormat(sampleRate: rate, channels: plan.format.channels), as: plan.format,
            mostWaitingSeconds: mostWaitingSeconds)
    }

    private func deliver(
        _ block: CycleBlock, _ samples: [Float], _ format: StreamFormat, _ mostWaitingSeconds: Double
    ) {
        waiting.enqueue(block.frames, rate: format.sampleRate, mostSeconds: mostWaitingSeconds, on: calls) {
            [receiver] in receiver(block, samples, format)
        }
    }
}
