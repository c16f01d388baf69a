import CRealtime

/// An echo that goes round through a low pass.
///
///     wet[n] = low pass of line[n - delay]
///     line[n] = input[n] + feedback · wet[n]
///
/// The low pass has one pole, y += (1 - e^(-2π cutoff / rate)) (x - y). A new delay fades in for 20 ms beside the one
/// before; while it does, a newer one waits.
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: U. Zölzer (ed.), "DAFX", 2nd edition, 2011, section 2.6; J. O. Smith, "Introduction to Digital Filters", 2007,
/// the one-pole filter.
struct FeedbackDelay {
    let shape: EffectShape
    /// One a channel.
    let lines: UnsafePointer<UnsafeMutablePointer<Float>>
    /// [channel]: what the low passes remember.
    let lows: UnsafeMutablePointer<Float>

    private var tap: EchoTap
    private var feedback: Ramp
    private var pole: Ramp
    private var mix: WetDryMix

    /// What goes round is at most this, whatever comes in: +18 dBFS.
    private static var ceiling: Float { @_noLocks @_noAllocation get { 8 } }

    /// - Parameters:
    ///   - lines: not written to yet; each with `mask` + 1 frames, more than the longest delay and block have.
    ///   - mask: a power of two, less one.
    ///   - lows: one a channel, silent.
    @_noLocks @_noAllocation
    init(
        _ shape: EffectShape, lines: UnsafePointer<UnsafeMutablePointer<Float>>, mask: Int,
        lows: UnsafeMutablePointer<Float>
    ) {
        self.shape = shape
        self.lines = lines
        self.lows = lows
        tap = EchoTap(delay: Self.frames(shape), mask: mask, rampFrames: shape.slideFrames())
        feedback = Ramp(shape.values.value(2) / 100)
        pole = Ramp(Self.pole(shape))
        mix = WetDryMix(percent: shape.values.value(0))
    }

    @_noLocks @_noAllocation
    private static func frames(_ shape: EffectShape) -> Int {
        max(1, Int(Double(shape.values.value(1)) * shape.sampleRate + 0.5))
    }

    @_noLocks @_noAllocation
    private static func pole(_ shape: EffectShape) -> Float {
        1 - oav_expf(-6.2831853 * shape.values.value(3) / Float(shape.sampleRate))
    }

    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) {
        let frames = shape.slideFrames(atOnce: atOnce)
        feedback.slide(to: shape.values.value(2) / 100, frames: frames)
        pole.slide(to: Self.pole(shape), frames: frames)
        mix.slide(to: shape.values.value(0), frames: frames)
    }

    /// In place.
    @_noLocks @_noAllocation
    mutating func process(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        var done = 0
        while done < frames {
            let count = tap.begin(wanted: Self.frames(shape), count: frames &- done)
            for channel in 0..<shape.channels { echo(sound[channel] + done, channel, count) }
            feedback.skip(count)
            pole.skip(count)
            mix.skip(count)
            tap.end(count)
            done &+= count
        }
    }

    @_noLocks @_noAllocation
    private func echo(_ samples: UnsafeMutablePointer<Float>, _ channel: Int, _ count: Int) {
        var (feedback, pole, mix) = (self.feedback, self.pole, self.mix)
        let line = lines[channel]
        var low = lows[channel]
        for i in 0..<count {
            low = Samples.flushed(low + pole.next() * (tap.late(line, i) - low))
            let sample = samples[i]
            let sum = sample + feedback.next() * low
            tap.write(min(max(sum, -Self.ceiling), Self.ceiling), line, i)
            samples[i] = mix.next(sample, low)
        }
        lows[channel] = low
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        tap.reset()
        for channel in 0..<shape.channels { lows[channel] = 0 }
    }
}
