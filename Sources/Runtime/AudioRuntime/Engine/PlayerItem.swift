package import EngineCore
package import SessionRuntime

/// The samples of an item in the queue of a player node: a buffer, or a part of a file.
package protocol ItemContent: Sendable {
    /// The length at a player's rate, in hertz.
    func frames(at rate: Double) -> Int64

    /// Fills interleaved frames in the player's format, from a frame of the item at the player's rate.
    ///
    /// The thread that feeds.
    ///
    /// - Returns: the frames filled; fewer only where the item ends or cannot be read.
    func read(
        from frame: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, as format: StreamFormat
    ) -> Int
}

/// An item in the queue of a player node.
package struct PlayerItem: Sendable {
    let content: any ItemContent
    package var time: NodeTime?
    package var loops = false
    package var interruption = ScheduleInterruption.none
    package var callback = ScheduledItem.Callback.dataConsumed
    /// Called on the engine's thread for completion handlers.
    package var completion: DeliveryThread.Work?

    package init(_ content: any ItemContent) { self.content = content }
}

/// When an item or a player is to begin.
package enum NodeTime: Hashable, Sendable {
    /// In frames; a rate of 0 stands for the rate that applies where the time is used.
    case sample(Int64, rate: Double)
    /// Nanoseconds on the host's clock.
    case host(UInt64)

    /// Frames at a rate.
    ///
    /// - Parameter sampleTime: what a host time is in the same count; nil where that is not known.
    func frames(at rate: Double, _ sampleTime: (_ hostTime: UInt64) -> Int64?) -> Int64? {
        switch self {
        case .sample(let frames, let own): own > 0 ? Int64(nearest: Double(frames) * rate / own) : frames
        case .host(let hostTime): sampleTime(hostTime)
        }
    }
}
