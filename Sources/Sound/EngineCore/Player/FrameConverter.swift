/// Changes a stream of interleaved frames: converts it to another rate, stretches it.
///
/// One thread at a time.
package protocol FrameConverter: AnyObject, Sendable {
    /// Frames out for each frame in, until it is asked for again: what was set meanwhile holds from then on.
    ///
    /// To be asked when `convert` has nothing more to give: what it still holds comes out at the new ratio.
    func takeRatio() -> Double

    /// Converts as much as there is room for.
    ///
    /// When it takes and writes nothing, with input and room, it is to change over: `takeRatio` and call once more.
    ///
    /// - Parameters:
    ///   - input: [frame][channel].
    ///   - isEnd: nothing follows: what the converter still holds comes out too, over as many calls as it takes. No input
    ///     before a call has written nothing, or `reset`.
    ///   - output: room for a frame at least, [frame][channel].
    /// - Returns: the frames taken and written. Nothing written at the end: everything is out, and the next input begins
    ///   a new stream.
    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int)

    /// Whether it was asked from elsewhere to forget what it holds, and has; true once for each time.
    ///
    /// What came out of it and was not written yet is to go too.
    func takeReset() -> Bool

    /// Forgets what it holds.
    func reset()
}

extension FrameConverter {
    /// For one that nothing else resets.
    package func takeReset() -> Bool { false }

    /// Converts frames to the last one that is ready: what is set next is for what follows.
    ///
    /// - Parameters:
    ///   - input: interleaved.
    ///   - output: what comes of them is appended.
    ///   - noteRatio: called with the ratio of what is appended next, and how many frames wait before that.
    /// - Returns: false where it does not take them all, as one does that fails.
    package func convertAll(
        _ input: UnsafeBufferPointer<Float>, channels: Int, into output: inout FrameQueue,
        noteRatio: (_ ratio: Double, _ waitingFrames: Int) -> Void = { _, _ in }
    ) -> Bool {
        var ratio = takeRatio()
        noteRatio(ratio, output.frames)
        let frames = input.count / channels
        var done = 0
        var idleRuns = 0
        while idleRuns == 0 || (idleRuns == 1 && done < frames) {
            var progress = (consumed: 0, produced: 0)
            output.append(room: Int((Double(frames - done) * ratio).rounded(.up)) + 64) { room in
                progress = convert(UnsafeBufferPointer(rebasing: input[(done * channels)...]), isEnd: false, into: room)
                return progress.produced
            }
            done += progress.consumed
            idleRuns = progress == (0, 0) ? idleRuns + 1 : 0
            guard idleRuns > 0 else { continue }
            ratio = takeRatio()
            noteRatio(ratio, output.frames)
        }
        return done == frames
    }
}
