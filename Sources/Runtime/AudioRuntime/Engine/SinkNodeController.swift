package import EngineCore
import RenderCore
internal import SessionRuntime
import Synchronization

/// A sink node below the public API: an app's block that hears the input.
///
/// The block is called in the input's cycle, and on the engine's thread for taps once it was too slow for that.
package final class SinkNodeController: Sendable {
    private let block: SinkBlock
    private let waiting = BlockCalls()
    private let turn = BlockTurn()
    private let newest = Mutex(Newest())

    /// What hears the input now; the engine has it as long as its input is open.
    private struct Newest {
        weak var tap: TapFeed?
        /// The app has been told that the block was too slow.
        var isToldSlow = false
    }

    package init(_ block: SinkBlock) { self.block = block }

    // MARK: In the cycle

    /// What hears the input in the cycle; earlier ones hear it no more.
    ///
    /// Any thread, with the engine's lock.
    ///
    /// - Parameter isWatched: a device waits for the cycle.
    func makeTap(of feed: CaptureFeed, _ format: StreamFormat, isWatched: Bool) -> TapFeed {
        let body = block.makeBody(format)
        let tap = feed.makeTap(
            channels: format.channels.count, seconds: TapController.capacitySeconds,
            call: BlockCall(turn: turn, isWatched: isWatched, body: body))
        newest.withLock { $0.tap = tap }
        return tap
    }

    /// Whether the block is called in the cycle; false also while nothing feeds it.
    package var isInCycle: Bool { newest.withLock { $0.tap?.isInCycle ?? false } }

    /// How often the block has taken more than half of its cycle, since the engine has opened the input.
    package var slowCalls: Int { newest.withLock { $0.tap?.slowCalls ?? 0 } }

    /// A block that was too slow is called in the cycle again; what was heard before is dropped.
    func willStart() {
        newest.withLock { newest in
            newest.isToldSlow = false
            guard let tap = newest.tap, !tap.isInCycle else { return }
            tap.drain { _, _ in }
            tap.forgiveBlock()
        }
    }

    /// The block is not called any more once this returns, unless `makeTap` follows.
    ///
    /// App threads.
    func close() {
        let tap = newest.withLock { $0.tap }
        tap?.call?.close()
    }

    // MARK: The thread that feeds

    /// - Parameters:
    ///   - samples: interleaved, in the format's channels.
    ///   - mostWaitingSeconds: how much may wait for the block.
    func receive(
        _ heard: CycleBlock, _ samples: [Float], _ format: StreamFormat, mostWaitingSeconds: Double,
        on calls: DeliveryThread
    ) {
        tellOnce()
        waiting.enqueue(heard.frames, rate: format.sampleRate, mostSeconds: mostWaitingSeconds, on: calls) {
            [receiver = block.receiver] in receiver(heard, samples, format)
        }
    }

    private func tellOnce() {
        let isTold = newest.withLock { newest in
            defer { newest.isToldSlow = true }
            return newest.isToldSlow
        }
        if !isTold { tellSlowBlock(of: "sink", called: "after", "what it hears is up to 0.1 s old") }
    }
}

/// An app's block that hears the input, as the runtime calls it.
package struct SinkBlock: Sendable {
    package var receiver: SampleReceiver
    /// The same for the cycle.
    package var makeBody: @Sendable (StreamFormat) -> BlockCall.Body

    package init(
        receiver: @escaping SampleReceiver, makeBody: @escaping @Sendable (StreamFormat) -> BlockCall.Body
    ) {
        self.receiver = receiver
        self.makeBody = makeBody
    }
}
