/// Rows of a plan that go to the app instead of the device.
///
/// With a block of the app's, to that in the cycle, as long as it is fast enough; else to a ring.
///
/// Producer: the render thread. Consumer: the owner's control side, or the render thread of another stream as
/// `SourceOrigin.tap`. Full: the whole cycle is left out; the sample time of
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
    private let call: UnsafeMutablePointer<CycleCall>?

    /// - Parameters:
    ///   - storage: `capacity * channels` samples.
    ///   - capacity: frames; a power of two.
    ///   - blockStorage: `blockCapacity` blocks, one for each cycle in the ring.
    ///   - blockCapacity: a power of two.
    ///   - rows: `channels * maximumFrames` samples.
    ///   - call: of the block; stays its owner's, and must outlive the tap.
    @_noLocks @_noAllocation
    package init(
        storage: UnsafeMutablePointer<Float>, capacity: Int, channels: Int,
        blockStorage: UnsafeMutablePointer<CycleBlock>, blockCapacity: Int, maximumFrames: Int,
        rows: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<TapState>,
        call: UnsafeMutablePointer<CycleCall>? = nil
    ) {
        self.channels = channels
        self.maximumFrames = maximumFrames
        frames = FrameRing(storage: storage, capacity: capacity, channels: channels)
        blocks = SPSCRing(capacity: blockCapacity)
        self.blockStorage = blockStorage
        self.rows = rows
        self.state = state
        self.call = call
    }

    // MARK: Consumer

    /// The oldest block; its frames are the next in `frames`.
    @_noLocks @_noAllocation
    package func nextBlock() -> CycleBlock? { blocks.readableSlots() > 0 ? blockStorage[blocks.readIndex()] : nil }

    /// A later one; nil where there are fewer.
    @_noLocks @_noAllocation
    func block(_ index: Int) -> CycleBlock? {
        guard index >= 0, index < blocks.readableSlots() else { return nil }
        return blockStorage[(blocks.readIndex() &+ index) & (blocks.capacity &- 1)]
    }

    @_noLocks @_noAllocation
    func newestBlock() -> CycleBlock? { block(blocks.readableSlots() &- 1) }

    /// The oldest block and its frames are done with.
    @_noLocks @_noAllocation
    package func passBlock() {
        frames.slots.consume(blockStorage[blocks.readIndex()].frames)
        blocks.consume(1)
    }

    // MARK: Render thread

    /// Hands the cycle's rows over.
    @_noLocks @_noAllocation
    func send(_ moment: CycleMoment) {
        if let call, call.pointee.isInCycle() {
            if moment.frames > 0, call.pointee.begin() { call.pointee.run(moment) }
            return
        }
        guard moment.frames > 0, frames.slots.writableSlots() >= moment.frames, blocks.writableSlots() > 0 else {
            return
        }
        frames.write(rows: rows, stride: maximumFrames, count: moment.frames)
        (blockStorage + blocks.writeIndex()).initialize(
            to: CycleBlock(
                frames: moment.frames, sampleTime: moment.sampleTime, hostTimeNanoseconds: moment.hostTime,
                clock: moment.clock, clockPosition: moment.clockPosition))
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
    /// The clock that drove the cycle, and the first frame on it; 0 where it is not known.
    let clock: UInt64
    let clockPosition: UInt64

    @_noLocks @_noAllocation
    package init(
        frames: Int, sampleTime: Int64, hostTimeNanoseconds: UInt64, clock: UInt64 = 0, clockPosition: UInt64 = 0
    ) {
        self.frames = frames
        self.sampleTime = sampleTime
        self.hostTimeNanoseconds = hostTimeNanoseconds
        self.clock = clock
        self.clockPosition = clockPosition
    }
}
