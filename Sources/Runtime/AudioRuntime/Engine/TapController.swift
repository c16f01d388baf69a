package import EngineCore
package import RenderCore
package import SessionRuntime
import Synchronization

/// As `SampleReceiver`, of a tap; returns how many frames the app leaves in its buffer.
package typealias TapReceiver = @Sendable (CycleBlock, [Float], StreamFormat) -> Int

/// A tap: hears what leaves a node's bus, cuts it into pieces, and hands them to a receiver.
package final class TapController: Sendable {
    /// How long the reader may pause before frames are lost.
    static let capacitySeconds = 2.0

    private let receiver: TapReceiver
    private let wantedFrames: Int
    /// Of the pieces, since the receiver has shortened one; 0 before.
    private let shortenedFrames = Atomic<Int>(0)
    let wantedFormat: StreamFormat?
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
        wantedFrames: Int, wantedFormat: StreamFormat?, calls: DeliveryThread, receiver: @escaping TapReceiver
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
            now.feed.drain { consume($0, $1, &work, mostWaitingSeconds) }
        }
    }

    /// Hears what an input captured, which no cycle of a renderer has.
    ///
    /// The thread that feeds.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in the format's channels.
    ///   - mostWaitingSeconds: how much may wait for the block.
    package func hear(
        _ heard: CycleBlock, _ samples: [Float], of format: StreamFormat, mostWaitingSeconds: Double
    ) {
        work.withLock { work in
            if work.inputFormat != format {
                work.inputFormat = format
                work.cutter = TapCutter(
                    rendererRate: format.sampleRate, format: format, wantedFormat: wantedFormat,
                    wantedFrames: wantedFrames)
            }
            samples.withUnsafeBufferPointer { consume(heard, $0, &work, mostWaitingSeconds) }
        }
    }

    private func consume(
        _ heard: CycleBlock, _ samples: UnsafeBufferPointer<Float>, _ work: inout Work, _ mostWaitingSeconds: Double
    ) {
        if case let frames = shortenedFrames.load(ordering: .relaxed), frames > 0 { work.cutter?.pieceFrames = frames }
        work.cutter?.consume(heard, samples) { block, samples, format in
            waiting.enqueue(block.frames, rate: format.sampleRate, mostSeconds: mostWaitingSeconds, on: calls) {
                let left = self.receiver(block, samples, format)
                guard left > 0, left < block.frames else { return }
                self.shortenedFrames.store(max(left, TapCutter.fewestFrames), ordering: .relaxed)
            }
        }
    }
}
