package import CRealtime
import EffectCore
import RenderCore

/// An app's block that the render cycle calls, until it is closed.
///
/// The source or tap that calls it retains it, so the render thread never releases the last reference to the block.
///
/// `@unchecked Sendable`: only the thread that has the turn uses `body`, and it is released when no thread can get the
/// turn.
package final class BlockCall: @unchecked Sendable {
    /// Reads the input, or writes every frame of the output.
    package typealias Body = (UnsafePointer<oav_process>) -> Void

    private let turn: BlockTurn
    private let number: UInt64
    private let isWatched: Bool
    private var body: Body?

    /// Creates a call, which closes earlier calls with the same turn.
    ///
    /// - Parameters:
    ///   - turn: shared by all callers of the same block.
    ///   - isWatched: true if the cycle belongs to a device, which waits for the block.
    package init(turn: BlockTurn, isWatched: Bool, body: @escaping Body) {
        self.turn = turn
        self.isWatched = isWatched
        self.body = body
        number = turn.renew()
    }

    /// Ends the calls of the block; no call begins after this returns.
    ///
    /// It does not wait for a running call.
    ///
    /// Any thread except the render thread and the session thread; also inside of the block.
    package func close() {
        guard turn.close(number) else { return }
        if !turn.isTaken { body = nil }
    }

    /// - Parameter memory: the memory of the source or tap that calls the block.
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

/// Allows one call of an app's block at a time, without a lock during the call.
///
/// A thread that comes while another one is in the block does not wait, and neither does a call from inside of the
/// block: the next pump or the next cycle calls the block.
///
/// Sendable by rule: the pointer never changes, and it points to an atomic.
package final class BlockTurn: @unchecked Sendable {
    let turn: UnsafeMutablePointer<CallTurn>

    package init() {
        turn = .allocate(capacity: 1)
        turn.initialize(to: CallTurn())
    }

    deinit { turn.deallocate() }

    /// Takes the turn; returns false while the block runs.
    func take() -> Bool { turn.pointee.take() }

    func giveBack() { turn.pointee.giveBack() }

    var isTaken: Bool { turn.pointee.isTaken() }

    /// Invalidates earlier calls, and returns the number of the new ones.
    func renew() -> UInt64 { turn.pointee.renew() }

    /// Invalidates the calls of this number; returns false if they are already invalid.
    func close(_ number: UInt64) -> Bool { turn.pointee.close(number) }
}
