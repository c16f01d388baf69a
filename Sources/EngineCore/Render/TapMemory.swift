import RenderCore

/// Owns a tap and all memory that it points to.
///
/// Sendable by rule: the pointers never change, what they point to is shared by the rules that `RenderTap` documents, and
/// `deinit` runs when neither a plan nor a reader knows it any more.
final class TapMemory: @unchecked Sendable {
    let tap: UnsafeMutablePointer<RenderTap>
    private let storage: UnsafeMutablePointer<Float>
    private let blocks: UnsafeMutablePointer<TapBlock>
    private let rows: UnsafeMutablePointer<Float>
    private let state: UnsafeMutablePointer<TapState>

    /// - Parameters:
    ///   - frames: capacity; a power of two.
    ///   - blockCapacity: cycles; a power of two.
    init(channels: Int, maximumFrames: Int, frames: Int, blockCapacity: Int) {
        // Not written to here: pages come into being as they are used.
        storage = .allocate(capacity: frames * channels)
        blocks = .allocate(capacity: blockCapacity)
        rows = .allocate(capacity: maximumFrames * channels)
        rows.initialize(repeating: 0, count: maximumFrames * channels)
        state = .allocate(capacity: 1)
        state.initialize(to: TapState())
        tap = .allocate(capacity: 1)
        tap.initialize(
            to: RenderTap(
                storage: storage, capacity: frames, channels: channels, blockStorage: blocks,
                blockCapacity: blockCapacity, maximumFrames: maximumFrames, rows: rows, state: state))
    }

    deinit {
        tap.deinitialize(count: 1)
        tap.deallocate()
        storage.deallocate()
        blocks.deallocate()
        rows.deallocate()
        state.deallocate()
    }
}
