import CRealtime

/// A compressor above a threshold and an expander below another.
///
/// The level is the peak of all channels in pieces of 8 frames, in dB. Above the threshold T the output approaches T +
/// head room H, which it never passes, without a corner:
///
///     output = T + H (1 - e^(-(input - T) / H))
///
/// Below the expansion threshold E the output is E + ratio (input - E). The difference is smoothed by one pole with the
/// attack time where the gain falls, and with the release time where it rises, and slides from piece to piece.
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design", JAES 60, 2012; the curve
/// is ours (decision 50).
struct Dynamics {
    let shape: EffectShape
    /// Linear.
    private var gain = Ramp(1)
    /// Decibels, smoothed.
    private var change: Float = 0
    /// Of the piece that is not whole yet, and its frames.
    private var peak: Float = 0
    private var frames = 0
    private var overall: Ramp

    static var pieceFrames: Int { @_noLocks @_noAllocation get { 8 } }
    /// Decibels: below it there is silence.
    private static var floor: Float { @_noLocks @_noAllocation get { -120 } }

    @_noLocks @_noAllocation
    init(_ shape: EffectShape) {
        self.shape = shape
        overall = Ramp(decibels(shape.values.value(6)))
    }

    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) {
        overall.slide(to: decibels(shape.values.value(6)), frames: shape.slideFrames(atOnce: atOnce))
    }

    /// In place.
    @_noLocks @_noAllocation
    mutating func process(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) {
        var (loudest, loudestOut): (Float, Float) = (0, 0)
        var done = 0
        while done < count {
            let length = min(count &- done, Self.pieceFrames &- frames)
            for channel in 0..<shape.channels {
                let samples = sound[channel] + done
                for i in 0..<length { peak = max(peak, abs(samples[i])) }
            }
            loudest = max(loudest, peak)
            for channel in 0..<shape.channels {
                var (gain, overall) = (self.gain, self.overall)
                let samples = sound[channel] + done
                for i in 0..<length {
                    samples[i] *= gain.next() * overall.next()
                    loudestOut = max(loudestOut, abs(samples[i]))
                }
            }
            gain.skip(length)
            overall.skip(length)
            frames &+= length
            if frames == Self.pieceFrames {
                takePiece()
                (frames, peak) = (0, 0)
            }
            done &+= length
        }
        shape.values.store(change, at: 7)
        shape.values.store(level(of: loudest), at: 8)
        shape.values.store(level(of: loudestOut), at: 9)
    }

    @_noLocks @_noAllocation
    private mutating func takePiece() {
        let wanted = curve(level(of: peak))
        let seconds = wanted < change ? shape.values.value(4) : shape.values.value(5)
        let kept = oav_expf(-Float(Self.pieceFrames) / (max(seconds, 1e-4) * Float(shape.sampleRate)))
        change = Samples.flushed(wanted + kept * (change - wanted))
        gain.slide(to: decibels(change), frames: Self.pieceFrames)
    }

    /// Decibels to add to a level.
    @_noLocks @_noAllocation
    private func curve(_ level: Float) -> Float {
        let (threshold, headRoom) = (shape.values.value(0), shape.values.value(1))
        let (ratio, expansion) = (shape.values.value(2), min(shape.values.value(3), threshold))
        if level > threshold {
            let above = level - threshold
            return headRoom * (1 - oav_expf(-above / headRoom)) - above
        }
        return level < expansion ? max((ratio - 1) * (level - expansion), Self.floor) : 0
    }

    @_noLocks @_noAllocation
    private func level(of amplitude: Float) -> Float {
        max(Self.floor, oav_log2f(max(amplitude, 1e-9)) * 6.020599913279624)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        gain = Ramp(1)
        (change, peak, frames) = (0, 0, 0)
    }
}
