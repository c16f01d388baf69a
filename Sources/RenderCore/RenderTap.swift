import Synchronization

/// Rows of a plan that go to the app instead of the device.
///
/// Producer: the render thread. Consumer: the owner's control side. Full: the whole cycle is left out; the sample time of
/// the next block shows the gap.
package struct RenderTap: ~Copyable {
    package let channels: Int
    package let frames: FrameRing
    private let blocks: SPSCRing
    private let blockStorage: UnsafeMutablePointer<CycleBlock>
    let maximumFrames: Int
    /// [channel][maximumFrames]: the current cycle's frames.
    let rows: UnsafeMutablePointer<Float>
    let state: UnsafeMutablePointer<TapState>

    /// - Parameters:
    ///   - storage: `capacity * channels` samples.
    ///   - capacity: frames; a power of two.
    ///   - blockStorage: `blockCapacity` blocks, one for each cycle in the ring.
    ///   - blockCapacity: a power of two.
    ///   - rows: `channels * maximumFrames` samples.
    @_noLocks @_noAllocation
    package init(
        storage: UnsafeMutablePointer<Float>, capacity: Int, channels: Int,
        blockStorage: UnsafeMutablePointer<CycleBlock>, blockCapacity: Int, maximumFrames: Int,
        rows: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<TapState>
    ) {
        self.channels = channels
        self.maximumFrames = maximumFrames
        frames = FrameRing(storage: storage, capacity: capacity, channels: channels)
        blocks = SPSCRing(capacity: blockCapacity)
        self.blockStorage = blockStorage
        self.rows = rows
        self.state = state
    }

    // MARK: Consumer

    /// The oldest block; its frames are the next in `frames`.
    @_noLocks @_noAllocation
    package func nextBlock() -> CycleBlock? { blocks.readableSlots() > 0 ? blockStorage[blocks.readIndex()] : nil }

    /// The oldest block and its frames are done with.
    @_noLocks @_noAllocation
    package func passBlock() {
        frames.slots.consume(blockStorage[blocks.readIndex()].frames)
        blocks.consume(1)
    }

    // MARK: Render thread

    /// Puts the cycle's rows into the ring.
    @_noLocks @_noAllocation
    func send(_ moment: CycleMoment) {
        guard moment.frames > 0, frames.slots.writableSlots() >= moment.frames, blocks.writableSlots() > 0 else {
            return
        }
        frames.write(rows: rows, stride: maximumFrames, count: moment.frames)
        (blockStorage + blocks.writeIndex()).initialize(
            to: CycleBlock(
                frames: moment.frames, sampleTime: moment.sampleTime, hostTimeNanoseconds: moment.hostTime))
        blocks.publish(1)
    }
}

/// Where the render thread finds a tap's rows; no other thread looks at it.
package struct TapState {
    /// Its first row of the current plan, and of the one before; -1: it has none there.
    var row = -1
    var rowBefore = -1

    @_noLocks @_noAllocation
    package init() {}
}

/// Frames of one cycle, or of a part of it.
package struct CycleBlock: BitwiseCopyable, Hashable, Sendable {
    package let frames: Int
    /// The renderer's sample time of the first.
    package let sampleTime: Int64
    /// When the cycle began, on the host's clock.
    package let hostTimeNanoseconds: UInt64

    @_noLocks @_noAllocation
    package init(frames: Int, sampleTime: Int64, hostTimeNanoseconds: UInt64) {
        self.frames = frames
        self.sampleTime = sampleTime
        self.hostTimeNanoseconds = hostTimeNanoseconds
    }
}
