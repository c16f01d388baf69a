import EffectCore
package import RenderCore
import Synchronization

/// What a tap or a sink has heard, for the app to read.
///
/// Any thread but the render thread; a lock keeps readers apart. It lives as long as a plan that the render thread may still
/// look at.
///
/// Sendable by rule: the pointer never changes, and what it points to is shared by the rules that `RenderTap` documents.
package final class TapFeed: @unchecked Sendable {
    package let channels: Int
    let tap: UnsafeMutablePointer<RenderTap>
    /// The block that hears it in the cycle, if there is one.
    package let call: BlockCall?
    private let cycleCall: UnsafeMutablePointer<CycleCall>?
    private let memory = RenderMemory()
    private let reader = Mutex(())

    /// - Parameters:
    ///   - frames: capacity; a power of two.
    ///   - blockCapacity: cycles; a power of two.
    ///   - call: hears it in the cycle, and by `drain` once it was too slow for that.
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

    /// Whether its block is called in the cycle; then there is nothing to drain.
    package var isInCycle: Bool { cycleCall?.pointee.isInCycle() ?? false }

    /// How often its block has taken more than half of its cycle.
    package var slowCalls: Int { cycleCall?.pointee.slowCalls() ?? 0 }

    /// A block that was too slow is called in the cycle again.
    package func forgiveBlock() { cycleCall?.pointee.forgive() }

    /// Calls `body` with each block since the last call, in order; one block for each cycle.
    ///
    /// - Parameter body: the block and its interleaved samples, `frames * channels` of them, valid during the call; in up
    ///   to two pieces where the ring wraps. It must not read this tap.
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
