import RenderCore

/// Owns a tap and all memory that it points to.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `RenderTap` documents, and
/// the memory goes when neither a plan nor a reader knows it any more.
final class TapMemory: @unchecked Sendable {
    let tap: UnsafeMutablePointer<RenderTap>
    private let memory = RenderMemory()

    /// - Parameters:
    ///   - frames: capacity; a power of two.
    ///   - blockCapacity: cycles; a power of two.
    init(channels: Int, maximumFrames: Int, frames: Int, blockCapacity: Int) {
        tap = memory.block(
            of: RenderTap(
                storage: memory.room(frames * channels), capacity: frames, channels: channels,
                blockStorage: memory.room(blockCapacity), blockCapacity: blockCapacity, maximumFrames: maximumFrames,
                rows: memory.silence(maximumFrames * channels), state: memory.block(of: TapState())))
    }
}
