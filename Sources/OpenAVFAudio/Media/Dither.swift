/// Noise of the size of a step, which turns the error of rounding into noise that does not follow the signal.
///
/// Triangular, between −1 and 1 step.
struct Dither {
    // xorshift64: a fixed start makes conversions repeatable, and no more is asked of this noise.
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds noise for integers of so many bits to samples of nominal ±1.
    mutating func add(to samples: UnsafeMutableBufferPointer<Double>, bits: Int) {
        let step = 1 / Double(UInt64(1) << UInt64(bits - 1))
        for index in samples.indices { samples[index] += (next() - next()) * step }
    }

    /// Evenly from 0 up to 1.
    private mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) * 0x1p-53
    }
}
