import RenderCore

/// Owns a render source and all memory that it points to.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `RenderSource` documents,
/// and the memory goes when neither a cycle nor a producer can come any more.
final class SourceMemory: @unchecked Sendable {
    let source: UnsafeMutablePointer<RenderSource>
    let lanes: UnsafeMutablePointer<SeekBuffer>
    private let memory = RenderMemory()

    /// - Parameter laneFrames: capacity of each of the two lanes; a power of two.
    init(identifier: UInt32, channels: Int, maximumFrames: Int, rampFrames: Int, laneFrames: Int) {
        lanes = memory.room(2)
        for lane in 0..<2 {
            (lanes + lane).initialize(
                to: SeekBuffer(
                    storage: memory.room(laneFrames * channels), capacity: laneFrames, channels: channels,
                    holdStorage: memory.room(SeekBuffer.holdCapacity)))
        }
        // A cache line more than a power of two: rows that far apart would all compete for the same lines of the cache.
        let rowStride = maximumFrames + 16
        source = memory.block(
            of: RenderSource(
                identifier: identifier, channels: channels, rowStride: rowStride, rampFrames: rampFrames,
                parameters: LatestParameters(slots: memory.room(3)), lanes: lanes,
                rows: memory.silence(channels * rowStride), last: memory.silence(channels),
                state: memory.block(of: SourceState(rampFrames: rampFrames))))
    }
}
