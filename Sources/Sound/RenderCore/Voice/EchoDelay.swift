/// Measures how long what is played takes to be captured, in blocks of 10 ms.
///
/// Of each block, one bit a band says whether the band is louder than it usually is. The bits of what is captured are compared
/// with those of what was played up to 630 ms before. Where they keep differing least, the echo is. Loudness, noise and the room's
/// colour do not matter. A delay counts once it has been the best one, by a clear margin, for a quarter of a second of sound.
///
/// Source: ours (decision 52); comparing binary spectra of blocks is the textbook way.
///
/// One thread: the input's data thread.
struct EchoDelay {
    /// Each 100 Hz wide, from 200 Hz on: where speech is.
    @_noLocks @_noAllocation
    static func bands() -> Int { 32 }

    @_noLocks @_noAllocation
    static func firstBand() -> Int { 2 }

    /// Frames of a block at the low rate of 8000 Hz.
    @_noLocks @_noAllocation
    static func lowFrames() -> Int { 80 }

    /// A power of two.
    @_noLocks @_noAllocation
    static func lags() -> Int { 64 }

    @_noLocks @_noAllocation
    private static func neededBlocks() -> Int { 25 }

    /// [band][frame], cosine and sine in turn; [lags] differences; [bands] usual powers of each side; [lags] bits.
    private let waves: UnsafePointer<Float>
    private let differences: UnsafeMutablePointer<Float>
    private let capturedPowers: UnsafeMutablePointer<Float>
    private let playedPowers: UnsafeMutablePointer<Float>
    private let history: UnsafeMutablePointer<UInt32>
    private var newest = 0
    private var candidate = -1
    private var candidateBlocks = 0

    /// - Parameters:
    ///   - waves: `bands() * lowFrames() * 2` floats; see `EchoDelay.waves`.
    ///   - room: `lags() + 2 * bands()` floats.
    ///   - history: `lags` bits.
    @_noLocks @_noAllocation
    init(waves: UnsafePointer<Float>, room: UnsafeMutablePointer<Float>, history: UnsafeMutablePointer<UInt32>) {
        self.waves = waves
        differences = room
        capturedPowers = room + Self.lags()
        playedPowers = capturedPowers + Self.bands()
        self.history = history
        reset()
    }

    /// The way from the loudspeaker to the microphone may be another.
    @_noLocks @_noAllocation
    mutating func reset() {
        for lag in 0..<Self.lags() {
            differences[lag] = Float(Self.bands()) / 2
            history[lag] = 0
        }
        (candidate, candidateBlocks) = (-1, 0)
    }

    /// Takes a block of each at 8000 Hz, of `lowFrames` frames.
    ///
    /// - Returns: the delay in blocks, whenever it is certain.
    @_noLocks @_noAllocation
    mutating func add(captured: UnsafePointer<Float>, played: UnsafePointer<Float>) -> Int? {
        newest = (newest &+ 1) & (Self.lags() &- 1)
        history[newest] = bits(of: played, usual: playedPowers)
        let heard = bits(of: captured, usual: capturedPowers)
        var power: Float = 0
        for frame in 0..<Self.lowFrames() { power += played[frame] * played[frame] }
        // Below -60 dBFS nothing is played; a silent microphone says nothing.
        guard power > 1e-6 * Float(Self.lowFrames()), heard != 0 else { return nil }
        var (best, sum) = (0, Float(0))
        for lag in 0..<Self.lags() {
            let bits = history[(newest &- lag) & (Self.lags() &- 1)] ^ heard
            differences[lag] += (Float(bits.nonzeroBitCount) - differences[lag]) / 32
            sum += differences[lag]
            if differences[lag] < differences[best] { best = lag }
        }
        // 3 of the 32 bits.
        guard differences[best] + 3 < sum / Float(Self.lags()) else {
            candidateBlocks = 0
            return nil
        }
        // Between two lags, either may be the better one.
        if (best &- candidate).magnitude > 1 { (candidate, candidateBlocks) = (best, 0) }
        candidateBlocks = min(candidateBlocks &+ 1, Self.neededBlocks())
        return candidateBlocks == Self.neededBlocks() ? candidate : nil
    }

    @_noLocks @_noAllocation
    private func bits(of block: UnsafePointer<Float>, usual: UnsafeMutablePointer<Float>) -> UInt32 {
        var bits: UInt32 = 0
        for band in 0..<Self.bands() {
            let wave = waves + band &* Self.lowFrames() &* 2
            var (real, imaginary) = (Float(0), Float(0))
            for frame in 0..<Self.lowFrames() {
                real += block[frame] * wave[2 &* frame]
                imaginary += block[frame] * wave[2 &* frame &+ 1]
            }
            let power = real * real + imaginary * imaginary
            if power > usual[band] { bits |= 1 &<< UInt32(truncatingIfNeeded: band) }
            usual[band] += (power - usual[band]) / 32
        }
        return bits
    }
}
