/// A library that changes sound as an effect's settings say.
///
/// One thread at a time: the one that feeds.
protocol EffectTool: AnyObject {
    /// From the next frames on.
    func apply(_ settings: EffectSettings)

    /// Takes interleaved frames, [frame][channel], and gives what is ready; at the end nothing but silence is taken.
    func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int)

    /// Forgets the sound so far.
    func clear()
}
