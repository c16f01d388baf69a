/// Something that is fed ahead of the render thread.
///
/// The thread that feeds; in virtual time and manual rendering, the one that asks for a cycle.
package protocol FrameProducer: AnyObject, Sendable {
    /// Feeds as far as the read-ahead goes, and `minimumFrames` at the least if they can be had.
    ///
    /// - Returns: whether it wants to be called again soon; false: only once something has changed.
    func pump(minimumFrames: Int) -> Bool
}
