package import CRealtime
import EffectCore
import RenderCore
import Synchronization

/// An app's block as the render cycle calls it, until it is closed.
///
/// What calls it keeps it, so that the render thread is never the last to let go of the block.
///
/// `@unchecked Sendable`: `body` is used by the thread that has the turn, and dropped once no thread can get it any more.
package final class BlockCall: @unchecked Sendable {
    /// Reads the input, or writes every frame of the output.
    package typealias Body = (UnsafePointer<oav_process>) -> Void

    private let turn: BlockTurn
    private let number: UInt64
    private let isWatched: Bool
    private var body: Body?

    /// Earlier calls of the same turn are closed by this one.
    ///
    /// - Parameters:
    ///   - turn: shared with all that call the same block.
    ///   - isWatched: the cycle is a device's, which waits for the block.
    package init(turn: BlockTurn, isWatched: Bool, body: @escaping Body) {
        self.turn = turn
        self.isWatched = isWatched
        self.body = body
        number = turn.renew()
    }

    /// The block is not called any more once this returns; a call that is under way is not waited for.
    ///
    /// Any thread but the render thread and the session's, the block's own too.
    package func close() {
        guard turn.close(number) else { return }
        if !turn.isTaken { body = nil }
    }

    /// - Parameter memory: of what calls it.
    func make(
        in memory: RenderMemory, rows: UnsafeMutablePointer<Float>, channels: Int, rowStride: Int, isSink: Bool
    ) -> UnsafeMutablePointer<CycleCall> {
        let pointers = memory.copy((0..<channels).map { rows + $0 * rowStride })
        let bus = memory.block(of: oav_bus(channels: pointers, channel_count: UInt32(channels), flags: 0))
        let processor = oav_processor(
            process: { context, process in
                guard let context else { return }
                Unmanaged<BlockCall>.fromOpaque(context).takeUnretainedValue().body?(process)
            }, reset: nil, context: Unmanaged.passUnretained(self).toOpaque(), quiet_frames: 0)
        return memory.block(
            of: CycleCall(
                processor, turn: turn.turn, number: number, isWatched: isWatched, bus: bus, isSink: isSink))
    }
}

/// Keeps an app's block to one call at a time, without a lock that would be held while it runs.
///
/// A thread that comes while another is in the block, or that the block itself sent, does not wait: the block is asked by
/// the next pump, or in the next cycle.
///
/// Sendable by rule: the pointer never changes, and what it points to is an atomic.
package final class BlockTurn: @unchecked Sendable {
    let turn: UnsafeMutablePointer<CallTurn>

    package init() {
        turn = .allocate(capacity: 1)
        turn.initialize(to: CallTurn())
    }

    deinit { turn.deallocate() }

    /// False where the block is running.
    func take() -> Bool { turn.pointee.take() }

    func giveBack() { turn.pointee.giveBack() }

    var isTaken: Bool { turn.pointee.isTaken() }

    /// Makes earlier calls void.
    func renew() -> UInt64 { turn.pointee.renew() }

    /// False where calls of this number are void already.
    func close(_ number: UInt64) -> Bool { turn.pointee.close(number) }
}
