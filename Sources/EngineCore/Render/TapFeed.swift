package import RenderCore
import Synchronization

/// What a tap or a sink has heard, for the app to read.
///
/// Any thread but the render thread; a lock keeps readers apart.
package final class TapFeed: Sendable {
    package let channels: Int
    let memory: TapMemory
    /// Goes when the last of the memory has gone.
    package var life: AnyObject { memory }
    private let reader = Mutex(())

    init(channels: Int, memory: TapMemory) {
        self.channels = channels
        self.memory = memory
    }

    /// Frames lost because they were not read in time.
    package var droppedFrames: Int { memory.tap.pointee.droppedFrames() }

    /// Calls `body` with each block since the last call, in order; one block for each cycle.
    ///
    /// - Parameter body: the block and its interleaved samples, `frames * channels` of them, valid during the call; in up
    ///   to two pieces where the ring wraps. It must not read this tap.
    package func drain(_ body: (CycleBlock, UnsafeBufferPointer<Float>) -> Void) {
        reader.withLock { _ in
            while let block = memory.tap.pointee.nextBlock() {
                let ring = memory.tap
                let untilWrap = min(block.frames, ring.pointee.frames.contiguousFrames())
                body(
                    CycleBlock(
                        frames: untilWrap, sampleTime: block.sampleTime,
                        hostTimeNanoseconds: block.hostTimeNanoseconds),
                    UnsafeBufferPointer(start: ring.pointee.frames.front(), count: untilWrap * channels))
                if untilWrap < block.frames {
                    body(
                        CycleBlock(
                            frames: block.frames - untilWrap, sampleTime: block.sampleTime + Int64(untilWrap),
                            hostTimeNanoseconds: block.hostTimeNanoseconds),
                        UnsafeBufferPointer(
                            start: ring.pointee.frames.start(), count: (block.frames - untilWrap) * channels))
                }
                ring.pointee.passBlock()
            }
        }
    }
}
