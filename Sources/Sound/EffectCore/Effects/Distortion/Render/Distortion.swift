import CRealtime

/// A chain that damages sound: a gain, an echo, two ring modulators, fewer samples and bits, a polynomial, a soft clip.
///
/// With x the sound before each, and each but the gain and the clip mixed with it by its share:
///
/// - echo: line[n] = x[n] + e^(-decay) line[n - delay], the line's end is heard;
/// - ring modulation: x · ((1 - balance) sin(2π f1 t) + balance sin(2π f2 t));
/// - decimation: one sample in 1 to 50 is held, and rounded to 16 down to 2 bits;
/// - polynomial: linear x + squared x² + cubic x³;
/// - soft clip: x (27 + x²) / (27 + 9 x²) within ±3, an approximation of the hyperbolic tangent.
///
/// Polynomial and clip work at twice the rate, so that most of the frequencies that they make do not fold back; a high pass
/// takes off the mean that squares leave. The dry sound of the mix is as late as the wet.
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: U. Zölzer (ed.), "DAFX", 2nd edition, 2011, chapters 3 and 4; the order and the ranges are ours (decision 50).
struct Distortion {
    let shape: EffectShape
    /// One a channel.
    let states: UnsafeMutablePointer<DistortionChannel>
    /// One a channel.
    let lines: UnsafePointer<UnsafeMutablePointer<Float>>
    let halfBand: UnsafePointer<Float>
    /// As long as the longest block.
    let ring: UnsafeMutablePointer<Float>

    private var tap: EchoTap
    /// Of both ring modulators, in turns.
    private var phase: (Float, Float) = (0, 0)
    private var sliding: Sliding

    /// What slides for 20 ms.
    private struct Sliding {
        var gain = Ramp(0)
        var feedback = Ramp(0)
        var delayMix = Ramp(0)
        var ringMix = Ramp(0)
        var decimationMix = Ramp(0)
        var linear = Ramp(0)
        var squared = Ramp(0)
        var cubic = Ramp(0)
        var polynomialMix = Ramp(0)
        var finalMix = Ramp(0)

        @_noLocks @_noAllocation
        init(_ values: ParameterValues) { slide(values, frames: 0) }

        @_noLocks @_noAllocation
        mutating func slide(_ values: ParameterValues, frames: Int) {
            gain.slide(to: decibels(values.value(14)), frames: frames)
            feedback.slide(to: oav_expf(-values.value(1)), frames: frames)
            delayMix.slide(to: values.value(2) / 100, frames: frames)
            ringMix.slide(to: values.value(13) / 100, frames: frames)
            decimationMix.slide(to: values.value(5) / 100, frames: frames)
            linear.slide(to: values.value(6), frames: frames)
            squared.slide(to: values.value(7), frames: frames)
            cubic.slide(to: values.value(8), frames: frames)
            polynomialMix.slide(to: values.value(9) / 100, frames: frames)
            finalMix.slide(to: values.value(15) / 100, frames: frames)
        }

        @_noLocks @_noAllocation
        mutating func skip(_ count: Int) {
            gain.skip(count)
            feedback.skip(count)
            delayMix.skip(count)
            ringMix.skip(count)
            decimationMix.skip(count)
            linear.skip(count)
            squared.skip(count)
            cubic.skip(count)
            polynomialMix.skip(count)
            finalMix.skip(count)
        }
    }

    /// - Parameters:
    ///   - states: one a channel, silent.
    ///   - lines: not written to yet; each with `mask` + 1 frames, more than the longest delay and block have.
    ///   - mask: a power of two, less one.
    ///   - halfBand: `HalfBand.taps` coefficients.
    ///   - ring: as long as the longest block.
    @_noLocks @_noAllocation
    init(
        _ shape: EffectShape, states: UnsafeMutablePointer<DistortionChannel>,
        lines: UnsafePointer<UnsafeMutablePointer<Float>>, mask: Int, halfBand: UnsafePointer<Float>,
        ring: UnsafeMutablePointer<Float>
    ) {
        self.shape = shape
        self.states = states
        self.lines = lines
        self.halfBand = halfBand
        self.ring = ring
        sliding = Sliding(shape.values)
        tap = EchoTap(delay: Self.frames(shape), mask: mask, rampFrames: shape.slideFrames())
    }

    @_noLocks @_noAllocation
    private static func frames(_ shape: EffectShape) -> Int {
        max(1, Int(Double(shape.values.value(0)) * 0.001 * shape.sampleRate + 0.5))
    }

    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) {
        sliding.slide(shape.values, frames: shape.slideFrames(atOnce: atOnce))
    }

    /// In place; at most as many frames as `ring` has.
    ///
    /// - Parameter dry: the sound as it came, as late as the wet.
    @_noLocks @_noAllocation
    mutating func process(
        _ sound: UnsafePointer<UnsafeMutablePointer<Float>>, dry: UnsafePointer<UnsafeMutablePointer<Float>>,
        _ frames: Int
    ) {
        var done = 0
        while done < frames {
            let count = tap.begin(wanted: Self.frames(shape), count: frames &- done)
            modulate(count)
            for channel in 0..<shape.channels {
                let (samples, late) = (sound[channel] + done, dry[channel] + done)
                echoAndRing(samples, channel, count)
                decimate(samples, channel, count)
                states[channel].shape(
                    samples, count, halfBand, sliding.linear, sliding.squared, sliding.cubic, sliding.polynomialMix)
                var mix = sliding.finalMix
                for i in 0..<count { samples[i] = late[i] + (samples[i] - late[i]) * mix.next() }
            }
            sliding.skip(count)
            tap.end(count)
            done &+= count
        }
    }

    /// The ring modulators' sound.
    @_noLocks @_noAllocation
    private mutating func modulate(_ frames: Int) {
        guard sliding.ringMix.value > 0 || sliding.ringMix.frames > 0 else { return }
        let steps = (
            shape.values.value(10) / Float(shape.sampleRate), shape.values.value(11) / Float(shape.sampleRate)
        )
        let balance = shape.values.value(12) / 100
        for i in 0..<frames {
            ring[i] = (1 - balance) * oav_sinf(phase.0 * 6.2831853) + balance * oav_sinf(phase.1 * 6.2831853)
            phase.0 += steps.0
            phase.1 += steps.1
            if phase.0 >= 1 { phase.0 -= 1 }
            if phase.1 >= 1 { phase.1 -= 1 }
        }
    }

    @_noLocks @_noAllocation
    private func echoAndRing(_ samples: UnsafeMutablePointer<Float>, _ channel: Int, _ frames: Int) {
        var (gain, feedback, mix, ringMix) = (sliding.gain, sliding.feedback, sliding.delayMix, sliding.ringMix)
        let line = lines[channel]
        let isRinging = ringMix.value > 0 || ringMix.frames > 0
        for i in 0..<frames {
            let late = tap.late(line, i)
            let input = samples[i] * gain.next()
            tap.write(Samples.flushed(input + feedback.next() * late), line, i)
            samples[i] = input + (late - input) * mix.next()
        }
        guard isRinging else { return }
        for i in 0..<frames { samples[i] += samples[i] * (ring[i] - 1) * ringMix.next() }
    }

    @_noLocks @_noAllocation
    private func decimate(_ samples: UnsafeMutablePointer<Float>, _ channel: Int, _ frames: Int) {
        var mix = sliding.decimationMix
        guard mix.value > 0 || mix.frames > 0 else { return }
        let share = shape.values.value(3) / 100
        let step = 1 / (1 + 49 * share * share)
        // 16 bits and less: the steps of a sample of ±1.
        let levels = oav_exp2f(15 - 14 * shape.values.value(4) / 100)
        var (held, turn) = (states[channel].held, states[channel].turn)
        for i in 0..<frames {
            turn += step
            if turn >= 1 {
                turn -= 1
                // To the nearest whole number: a float of this size has none between.
                held = ((samples[i] * levels + 12_582_912) - 12_582_912) / levels
            }
            samples[i] += (held - samples[i]) * mix.next()
        }
        states[channel].held = held
        states[channel].turn = turn
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        tap.reset()
        phase = (0, 0)
        for channel in 0..<shape.channels { states[channel].reset() }
    }
}

/// What a distortion remembers of a channel, and its wave shaping.
struct DistortionChannel {
    /// The latest frames, then a block: of the sound, and of the two phases at twice the rate.
    let rows: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)
    /// The sample that decimation holds, and the share of the next one that has passed.
    var held: Float = 0
    var turn: Float = 1
    private var highPass: (input: Float, output: Float) = (0, 0)
    private let highPassPole: Float

    /// - Parameter rows: each with room for `HalfBand.taps` frames and the longest block; silent.
    @_noLocks @_noAllocation
    init(
        rows: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>),
        sampleRate: Double
    ) {
        self.rows = rows
        highPassPole = oav_expf(-6.2831853 * 10 / Float(sampleRate))
    }

    /// In place: up to twice the rate, the shape, and down again.
    @_noLocks @_noAllocation
    mutating func shape(
        _ samples: UnsafeMutablePointer<Float>, _ frames: Int, _ halfBand: UnsafePointer<Float>, _ linear: Ramp,
        _ squared: Ramp, _ cubic: Ramp, _ mix: Ramp
    ) {
        let past = HalfBand.taps
        Samples.copy(samples, to: rows.0 + past, frames)
        // Frame n of the odd phase lies half a frame before frame n of the even one, which is 7 frames late.
        HalfBand.filter(rows.0 + past, to: rows.1 + past, frames, halfBand)
        Samples.copy(rows.0 + (past &- 7), to: rows.2 + past, frames)
        Self.bend(rows.1 + past, frames, linear, squared, cubic, mix)
        Self.bend(rows.2 + past, frames, linear, squared, cubic, mix)
        HalfBand.filter(rows.1 + past, to: samples, frames, halfBand)
        let even = rows.2 + (past &- 8)
        for i in 0..<frames {
            let sum = 0.5 * (samples[i] + even[i])
            let passed = Samples.flushed(highPassPole * (highPass.output + sum - highPass.input))
            highPass = (sum, passed)
            samples[i] = passed
        }
        Samples.copy(rows.0 + frames, to: rows.0, past)
        Samples.copy(rows.1 + frames, to: rows.1, past)
        Samples.copy(rows.2 + frames, to: rows.2, past)
    }

    @_noLocks @_noAllocation
    private static func bend(
        _ samples: UnsafeMutablePointer<Float>, _ frames: Int, _ linear: Ramp, _ squared: Ramp, _ cubic: Ramp,
        _ mix: Ramp
    ) {
        var (linear, squared, cubic, mix) = (linear, squared, cubic, mix)
        for i in 0..<frames {
            let x = samples[i]
            let bent = x * (linear.next() + x * (squared.next() + x * cubic.next()))
            let mixed = min(max(x + (bent - x) * mix.next(), -3), 3)
            samples[i] = mixed * (27 + mixed * mixed) / (27 + 9 * mixed * mixed)
        }
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        Samples.silence(rows.0, HalfBand.taps)
        Samples.silence(rows.1, HalfBand.taps)
        Samples.silence(rows.2, HalfBand.taps)
        (held, turn) = (0, 1)
        highPass = (0, 0)
    }
}

/// A filter for twice the rate: of its coefficients every second one is 0 but that in the middle, and these are the others.
///
/// Source: R. E. Crochiere and L. R. Rabiner, "Multirate Digital Signal Processing", 1983, section 4.4; the window of J. F.
/// Kaiser with beta 7 lets what lies 0.07 of the rate beyond the middle be 70 dB lower.
enum HalfBand {
    static var taps: Int { @_noLocks @_noAllocation get { 16 } }
    /// Of going up and down again.
    static var latencyFrames: Int { @_noLocks @_noAllocation get { 15 } }

    /// - Parameters:
    ///   - input: with `taps` frames before it.
    @_noLocks @_noAllocation
    static func filter(
        _ input: UnsafePointer<Float>, to output: UnsafeMutablePointer<Float>, _ frames: Int,
        _ coefficients: UnsafePointer<Float>
    ) {
        Samples.silence(output, frames)
        for tap in 0..<taps {
            let (coefficient, late) = (coefficients[tap], input - tap)
            for i in 0..<frames { output[i] += coefficient * late[i] }
        }
    }

    /// The window's sinc, with a sum of 1.
    @_noLocks @_noAllocation
    static func design(_ coefficients: UnsafeMutablePointer<Float>) {
        var sum = 0.0
        for tap in 0..<taps {
            let t = Double(tap) - 7.5
            let angle = Double.pi * t
            let place = t / 8
            let window = bessel(7 * oav_pow(max(1 - place * place, 0), 0.5)) / bessel(7)
            coefficients[tap] = Float(oav_sin(angle) / angle * window)
            sum += Double(coefficients[tap])
        }
        for tap in 0..<taps { coefficients[tap] /= Float(sum) }
    }

    /// The modified Bessel function of order 0, by its series.
    @_noLocks @_noAllocation
    private static func bessel(_ x: Double) -> Double {
        var (term, sum, k) = (1.0, 1.0, 1.0)
        while term > 1e-12 * sum {
            term *= (x / 2 / k) * (x / 2 / k)
            sum += term
            k += 1
        }
        return sum
    }
}
