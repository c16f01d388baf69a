import AudioModel
import AudioRuntime
import CAudioTypes
import EngineCore
import Foundation
import RenderCore
import Synchronization

/// A tap: hears what leaves a node's bus, cuts it into buffers, and hands them to the app's block.
final class TapController: Sendable {
    /// How long nobody may read before frames are lost.
    private static let capacitySeconds = 2.0

    /// What the app's block is called with; a buffer is used by nobody else once it is here.
    struct Delivery: @unchecked Sendable {
        let block: AVAudioNodeTapBlock
        let buffer: AVAudioPCMBuffer
        let time: AVAudioTime
    }

    /// The app's block; called on one thread only.
    private struct Block: @unchecked Sendable {
        let block: AVAudioNodeTapBlock
    }

    private let block: Block
    private let wantedFrames: Int
    private let wantedFormat: AVAudioFormat?
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
    ///   - wantedFrames: of one buffer; brought to 100 to 400 ms.
    ///   - wantedFormat: what the app gets; nil for what the bus has.
    init(
        wantedFrames: Int, wantedFormat: AVAudioFormat?, calls: DeliveryThread, block: @escaping AVAudioNodeTapBlock
    ) {
        self.wantedFrames = wantedFrames
        self.wantedFormat = wantedFormat
        self.calls = calls
        self.block = Block(block: block)
    }

    /// Frames lost because the block took too long, at the rate of its buffers.
    var droppedFrames: Int { waiting.droppedFrames }

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
                work.cutter?.take(heard, samples) { deliver($0, $1, mostWaitingSeconds) }
            }
        }
    }

    /// What an input captured, which no cycle of a renderer has.
    ///
    /// The thread that feeds.
    ///
    /// - Parameters:
    ///   - samples: interleaved, in the format's channels.
    ///   - mostWaitingSeconds: how much may wait for the block.
    func hear(_ heard: TapBlock, _ samples: [Float], of format: StreamFormat, mostWaitingSeconds: Double) {
        work.withLock { work in
            if work.inputFormat != format {
                work.inputFormat = format
                work.cutter = TapCutter(
                    rendererRate: format.sampleRate, format: format, wantedFormat: wantedFormat,
                    wantedFrames: wantedFrames)
            }
            samples.withUnsafeBufferPointer {
                work.cutter?.take(heard, $0) { deliver($0, $1, mostWaitingSeconds) }
            }
        }
    }

    private func deliver(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime, _ mostWaitingSeconds: Double) {
        let delivery = Delivery(block: block.block, buffer: buffer, time: time)
        waiting.enqueue(
            Int(buffer.frameLength), rate: buffer.format.sampleRate, mostSeconds: mostWaitingSeconds, on: calls
        ) { delivery.block(delivery.buffer, delivery.time) }
    }
}
