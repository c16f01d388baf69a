import EffectCore
package import RenderCore
import Synchronization

/// The frames that a tap or a sink has heard, for the app to read.
///
/// Any thread except the render thread; a lock separates readers. It lives as long as a plan that the render thread may
/// still use.
///
/// Sendable by rule: the pointer never changes, and `RenderTap` documents the rules for the memory that it points to.
package final class TapFeed: @unchecked Sendable {
    package let channels: Int
    let tap: UnsafeMutablePointer<RenderTap>
    /// The block that hears it in the cycle, if there is one.
    package let call: BlockCall?
    private let cycleCall: UnsafeMutablePointer<CycleCall>?
    private let memory = RenderMemory()
    private let reader = Mutex(())

    /// - Parameters:
    ///   - frames: the capacity in frames; a power of two.
    ///   - blockCapacity: the capacity in cycles; a power of two.
    ///   - call: the block that hears the frames in the cycle; after it was too slow, `drain` gives it the frames.
    init(channels: Int, maximumFrames: Int, frames: Int, blockCapacity: Int, call: BlockCall? = nil) {
        self.channels = channels
        self.call = call
        let rows = memory.silence(maximumFrames * channels)
        cycleCall = call?.make(in: memory, rows: rows, channels: channels, rowStride: maximumFrames, isSink: true)
        tap = memory.block(
            of: RenderTap(
                storage: memory.room(frames * channels), capacity: frames, channels: channels,
                blockStorage: memory.room(blockCapacity), blockCapacity: blockCapacity, maximumFrames: maximumFrames,
                rows: rows, state: memory.block(of: TapState()), call: cycleCall))
    }

    /// Whether the block is called in the cycle; then there is nothing to drain.
    package var isInCycle: Bool { cycleCall?.pointee.isInCycle() ?? false }

    /// How often the block has taken more than half of its cycle.
    package var slowCalls: Int { cycleCall?.pointee.slowCalls() ?? 0 }

    /// Lets the cycle call the block again after it was too slow.
    package func forgiveBlock() { cycleCall?.pointee.forgive() }

    /// Calls `body` with each block since the last call, in order; one block for each cycle.
    ///
    /// - Parameter body: gets the block and its interleaved samples, `frames * channels` of them, valid during the
    ///   call. A block comes in two pieces if the ring wraps in it. The body must not read this tap.
    package func drain(_ body: (CycleBlock, UnsafeBufferPointer<Float>) -> Void) {
        reader.withLock { _ in
            while let block = tap.pointee.nextBlock() {
                let untilWrap = min(block.frames, tap.pointee.frames.contiguousFrames())
                let pieces = [
                    (0..<untilWrap, tap.pointee.frames.front()), (untilWrap..<block.frames, tap.pointee.frames.start()),
                ]
                for (frames, samples) in pieces where !frames.isEmpty {
                    body(
                        CycleBlock(
                            frames: frames.count, sampleTime: block.sampleTime + Int64(frames.lowerBound),
                            hostTimeNanoseconds: block.hostTimeNanoseconds),
                        UnsafeBufferPointer(start: samples, count: frames.count * channels))
                }
                tap.pointee.passBlock()
            }
        }
    }
}
