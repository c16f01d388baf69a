import CRealtime

/// Keeps every sample within full scale: a gain that has fallen before the peak comes.
///
/// The sound is late by the attack time at which the processor was made, so that the gain knows what comes. The gain that a
/// piece of 8 frames needs, 1 over its peak, is the least of all pieces that the sound is late by; then it rises by one pole
/// with the decay time; then it is averaged over the attack time, which makes of each fall a straight line that ends in time.
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: the least and the average of a window, as in D. Giannoulis et al., "Digital Dynamic Range Compressor Design",
/// JAES 60, 2012, section 3, and U. Zölzer (ed.), "DAFX", 2nd edition, 2011, section 4.2.
struct PeakLimiter {
    let shape: EffectShape
    /// Pieces of the longest window.
    let windowPieces: Int
    /// The gains that the latest pieces need, of one more than the window, and those that rise slowly.
    let needed: UnsafeMutablePointer<Float>
    let risen: UnsafeMutablePointer<Float>
    /// [channel]: as many frames as the sound is late, in turn.
    let lines: UnsafePointer<UnsafeMutablePointer<Float>>
    /// The newest of `needed` and of `risen`.
    private var newest = 0
    private var piece = 0
    private var position = 0
    private var frames = 0
    private var peak: Float = 0
    private var release: Float = 1
    private var gain = Ramp(1)
    private var preGain: Ramp

    static var pieceFrames: Int { @_noLocks @_noAllocation get { 8 } }

    /// Of the window of the attack time, in pieces.
    @_noLocks @_noAllocation
    static func pieces(_ shape: EffectShape) -> Int {
        max(1, Int(Double(shape.values.value(0)) * shape.sampleRate / Double(pieceFrames) + 0.999))
    }

    /// One piece more than the window: the gain of a piece begins when it is whole, and slides for one more.
    @_noLocks @_noAllocation
    static func latency(pieces: Int) -> Int { (pieces &+ 1) &* pieceFrames }

    /// - Parameters:
    ///   - needed: room for one more than `windowPieces`.
    ///   - risen: room for `windowPieces`.
    ///   - lines: each with `latency(pieces: windowPieces)` frames, silent.
    @_noLocks @_noAllocation
    init(
        _ shape: EffectShape, windowPieces: Int, needed: UnsafeMutablePointer<Float>,
        risen: UnsafeMutablePointer<Float>, lines: UnsafePointer<UnsafeMutablePointer<Float>>
    ) {
        self.shape = shape
        self.windowPieces = windowPieces
        self.needed = needed
        self.risen = risen
        self.lines = lines
        preGain = Ramp(decibels(shape.values.value(2)))
        reset()
    }

    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) {
        preGain.slide(to: decibels(shape.values.value(2)), frames: shape.slideFrames(atOnce: atOnce))
    }

    /// In place.
    @_noLocks @_noAllocation
    mutating func process(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) {
        let latency = Self.latency(pieces: windowPieces)
        var done = 0
        while done < count {
            let length = min(count &- done, Self.pieceFrames &- frames)
            for channel in 0..<shape.channels {
                let (samples, line) = (sound[channel] + done, lines[channel])
                var (preGain, gain, place) = (self.preGain, self.gain, position)
                for i in 0..<length {
                    let input = samples[i] * preGain.next()
                    peak = max(peak, abs(input))
                    samples[i] = line[place] * gain.next()
                    line[place] = input
                    place = place &+ 1 == latency ? 0 : place &+ 1
                }
            }
            preGain.skip(length)
            gain.skip(length)
            position = (position &+ length) % latency
            frames &+= length
            if frames == Self.pieceFrames {
                takePiece()
                (frames, peak) = (0, 0)
            }
            done &+= length
        }
    }

    @_noLocks @_noAllocation
    private mutating func takePiece() {
        let window = min(Self.pieces(shape), windowPieces)
        piece = piece &+ 1 == windowPieces ? 0 : piece &+ 1
        newest = newest == windowPieces ? 0 : newest &+ 1
        needed[newest] = 1 / max(peak, 1)
        var least: Float = 1
        for i in 0...windowPieces { least = min(least, needed[i]) }
        let kept = oav_expf(-Float(Self.pieceFrames) / (max(shape.values.value(1), 1e-4) * Float(shape.sampleRate)))
        release = least < release ? least : least + kept * (release - least)
        risen[piece] = release
        var (sum, index): (Float, Int) = (0, piece)
        for _ in 0..<window {
            sum += risen[index]
            index = index == 0 ? windowPieces &- 1 : index &- 1
        }
        gain.slide(to: sum / Float(window), frames: Self.pieceFrames)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        for i in 0...windowPieces { needed[i] = 1 }
        for i in 0..<windowPieces { risen[i] = 1 }
        for channel in 0..<shape.channels { Samples.silence(lines[channel], Self.latency(pieces: windowPieces)) }
        (newest, piece, position, frames) = (0, 0, 0, 0)
        (peak, release, gain) = (0, 1, Ramp(1))
    }
}
