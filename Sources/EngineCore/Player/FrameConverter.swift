/// Converts a stream of interleaved frames to another rate.
///
/// One thread at a time.
package protocol FrameConverter: AnyObject, Sendable {
    /// Frames out for each frame in.
    var ratio: Double { get }

    /// Converts as much as there is room for.
    ///
    /// - Parameters:
    ///   - input: [frame][channel].
    ///   - isEnd: nothing follows: what the converter still holds comes out too, over as many calls as it takes.
    ///   - output: room, [frame][channel].
    /// - Returns: the frames taken and written. Nothing written at the end: everything is out, and the next input begins
    ///   a new stream.
    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int)

    /// Forgets what it holds.
    func reset()
}
