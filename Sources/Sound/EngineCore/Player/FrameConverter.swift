/// Converts a stream of interleaved frames to another rate, or stretches it.
///
/// One thread at a time.
package protocol FrameConverter: AnyObject, Sendable {
    /// The number of output frames for each input frame, valid until the next call. The call applies new settings.
    ///
    /// Call it when `convert` has no more output: the frames that the converter still holds come out at the new ratio.
    func takeRatio() -> Double

    /// Converts as many frames as fit into the output.
    ///
    /// If it consumes and produces nothing although there is input and room, call `takeRatio` and then this function
    /// again.
    ///
    /// - Parameters:
    ///   - input: [frame][channel].
    ///   - isEnd: true if no input follows. The frames that the converter still holds come out over several calls. Give
    ///     no input until a call has produced nothing, or until `reset`.
    ///   - output: room for at least one frame, [frame][channel].
    /// - Returns: the consumed and the produced frames. If a call at the end produces nothing, everything is out, and
    ///   the next input begins a new stream.
    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int)

    /// Returns true once after each reset that another thread has requested and that the converter has carried out.
    ///
    /// The caller also drops the converted frames that are not written yet.
    func takeReset() -> Bool

    /// Discards the frames that the converter holds.
    func reset()
}

extension FrameConverter {
    /// The default for a converter that nothing else resets.
    package func takeReset() -> Bool { false }

    /// Converts frames until no more output is ready; later settings apply only to frames that follow.
    ///
    /// - Parameters:
    ///   - input: interleaved frames.
    ///   - output: the queue to which the converted frames are appended.
    ///   - noteRatio: called with the ratio of the frames that are appended next, and the number of frames that wait
    ///     before them.
    /// - Returns: false if the converter does not take all frames, because it has failed.
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
