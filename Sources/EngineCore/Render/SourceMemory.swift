import RenderCore

/// Owns a render source and all memory that it points to.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `RenderSource` documents,
/// and `deinit` runs when neither a cycle nor a producer can come any more.
final class SourceMemory: @unchecked Sendable {
    let source: UnsafeMutablePointer<RenderSource>
    let lanes: UnsafeMutablePointer<SeekBuffer>
    private let holds: UnsafeMutablePointer<LaneHold>
    private let laneStorage: UnsafeMutablePointer<Float>
    private let rows: UnsafeMutablePointer<Float>
    private let last: UnsafeMutablePointer<Float>
    private let state: UnsafeMutablePointer<SourceState>
    private let parameterSlots: UnsafeMutablePointer<SourceParameters>
    private let parameterIndices: UnsafeMutablePointer<UInt32>

    /// - Parameter laneFrames: capacity of each of the two lanes; a power of two.
    init(identifier: UInt32, channels: Int, maximumFrames: Int, rampFrames: Int, laneFrames: Int) {
        let laneSamples = laneFrames * channels
        // Not written to here: pages of a long read-ahead come into being as they are used.
        laneStorage = .allocate(capacity: 2 * laneSamples)
        holds = .allocate(capacity: 2 * SeekBuffer.holdCapacity)
        lanes = .allocate(capacity: 2)
        for lane in 0..<2 {
            (lanes + lane).initialize(
                to: SeekBuffer(
                    storage: laneStorage + lane * laneSamples, capacity: laneFrames, channels: channels,
                    holdStorage: holds + lane * SeekBuffer.holdCapacity))
        }
        // A cache line more than a power of two: rows that far apart would all compete for the same lines of the cache.
        let rowStride = maximumFrames + 16
        rows = .allocate(capacity: channels * rowStride)
        rows.initialize(repeating: 0, count: channels * rowStride)
        last = .allocate(capacity: channels)
        last.initialize(repeating: 0, count: channels)
        state = .allocate(capacity: 1)
        state.initialize(to: SourceState(rampFrames: rampFrames))
        parameterSlots = .allocate(capacity: 3)
        parameterIndices = .allocate(capacity: 2)
        source = .allocate(capacity: 1)
        source.initialize(
            to: RenderSource(
                identifier: identifier, channels: channels, rowStride: rowStride, rampFrames: rampFrames,
                parameters: LatestParameters(slots: parameterSlots, indices: parameterIndices), lanes: lanes,
                rows: rows, last: last, state: state))
    }

    deinit {
        source.deinitialize(count: 1)
        source.deallocate()
        lanes.deinitialize(count: 2)
        lanes.deallocate()
        holds.deallocate()
        laneStorage.deallocate()
        rows.deallocate()
        last.deallocate()
        state.deallocate()
        parameterSlots.deallocate()
        parameterIndices.deallocate()
    }
}
