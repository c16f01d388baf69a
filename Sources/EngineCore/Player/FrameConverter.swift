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

extension FrameConverter {
    /// What comes of these frames, interleaved, to the last one that is ready: what is set next is for what follows.
    ///
    /// - Returns: nil where it does not take them all, as one does that fails.
    package func convertAll(_ input: UnsafeBufferPointer<Float>, channels: Int) -> [Float]? {
        var converted: [Float] = []
        var ratio = takeRatio()
        let frames = input.count / channels
        var done = 0
        var idleRuns = 0
        while idleRuns == 0 || (idleRuns == 1 && done < frames) {
            let room = (Int(Double(frames - done) * ratio) + 64) * channels
            var progress = (consumed: 0, produced: 0)
            converted += [Float](unsafeUninitializedCapacity: room) { output, count in
                progress = convert(
                    UnsafeBufferPointer(rebasing: input[(done * channels)...]), isEnd: false,
                    into: UnsafeMutableBufferPointer(rebasing: output[..<room]))
                count = progress.produced * channels
            }
            done += progress.consumed
            idleRuns = progress == (0, 0) ? idleRuns + 1 : 0
            if idleRuns > 0 { ratio = takeRatio() }
        }
        return done == frames ? converted : nil
    }
}
