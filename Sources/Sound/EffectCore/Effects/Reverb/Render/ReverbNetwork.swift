import CRealtime

/// A room: sixteen delay lines that feed each other, behind allpass filters that thicken what comes in.
///
/// What comes out of line i, m frames long, is filtered by b / (1 - a/z), which has the gains g0 at 0 Hz and g1 at half
/// the rate that let sound decay by 60 dB in the wanted times, g = 10^(-3 m / (rate · time)):
///
///     a = (g0 - g1) / (g0 + g1), b = 2 g0 g1 / (g0 + g1)
///
/// Then a Hadamard matrix, which keeps the energy, spreads it on all lines. The first eight lines belong to the left side,
/// the others to the right. With more channels, those with even numbers share the left side. The lengths lie between the least and
/// the greatest delay, evenly in octaves and moved a little by a number that `randomizeReflections` begins.
///
/// Other lengths cannot slide: the reverb fades out for 10 ms, starts again empty and fades in.
///
/// Render thread. The memory belongs to the owner of the processor.
///
/// Source: J.-M. Jot and A. Chaigne, "Digital delay networks for designing artificial reverberators", AES 90, 1991;
/// J. O. Smith, "Physical Audio Signal Processing", 2010, "FDN Reverberation"; the allpass lengths of J. Dattorro, "Effect
/// Design, Part 1", JAES 45, 1997.
struct ReverbNetwork {
    let shape: EffectShape
    /// [line], each with `capacity` frames.
    let lines: UnsafeMutablePointer<Float>
    let capacity: Int
    /// Four of the left side, then four of the right.
    let diffusers: UnsafeMutablePointer<Diffuser>
    /// [line]: frames of each, the place of the next frame, and both of the line of the frame in turn.
    let lengths: UnsafeMutablePointer<Int>
    let positions: UnsafeMutablePointer<Int>
    /// [side]: as long as the longest block.
    let sides: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)
    let wet: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)

    private var memory = SIMD16<Float>(repeating: 0)
    private var pole = SIMD16<Float>(repeating: 0)
    private var gain = SIMD16<Float>(repeating: 0)
    private var poleStep = SIMD16<Float>(repeating: 0)
    private var gainStep = SIMD16<Float>(repeating: 0)
    private var poleTarget = SIMD16<Float>(repeating: 0)
    private var gainTarget = SIMD16<Float>(repeating: 0)
    private var slideFrames = 0
    private var level = Ramp(0)
    private var mix: WetDryMix
    /// Shares of what goes in and of what comes out; before the lengths change nothing comes out, afterwards nothing goes in.
    private var inlet = Ramp(1)
    private var outlet = Ramp(1)
    private var geometry: Geometry
    /// That the lines took, in all.
    private(set) var vectors = 0

    static var lineCount: Int { @_noLocks @_noAllocation get { 16 } }
    static var diffusersOfASide: Int { @_noLocks @_noAllocation get { 4 } }
    /// So that a piece without the end of a line is some frames long.
    static var leastFrames: Int { @_noLocks @_noAllocation get { 32 } }

    /// What the lengths follow from.
    private struct Geometry {
        var least: Float
        var greatest: Float
        var number: Float

        @_noLocks @_noAllocation
        init(_ values: ParameterValues) {
            (least, greatest) = (values.value(2), values.value(3))
            number = values.value(6)
        }

        @_noLocks @_noAllocation
        func differs(from other: Geometry) -> Bool {
            least != other.least || greatest != other.greatest || number != other.number
        }
    }

    /// - Parameters:
    ///   - lines: not written to yet.
    ///   - diffusers: of both sides, in turn; silent.
    @_noLocks @_noAllocation
    init(
        _ shape: EffectShape, lines: UnsafeMutablePointer<Float>, capacity: Int,
        diffusers: UnsafeMutablePointer<Diffuser>, lengths: UnsafeMutablePointer<Int>,
        positions: UnsafeMutablePointer<Int>,
        sides: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>),
        wet: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)
    ) {
        self.shape = shape
        self.lines = lines
        self.capacity = capacity
        self.diffusers = diffusers
        self.lengths = lengths
        self.positions = positions
        self.sides = sides
        self.wet = wet
        mix = WetDryMix(percent: shape.values.value(0))
        geometry = Geometry(shape.values)
        takeLengths()
        takeDecay(frames: 0)
    }

    // MARK: Settings

    @_noLocks @_noAllocation
    mutating func takeSettings(atOnce: Bool) {
        mix.slide(to: shape.values.value(0), frames: shape.slideFrames(atOnce: atOnce))
        let isOther = Geometry(shape.values).differs(from: geometry)
        if atOnce {
            if isOther { takeLengths() }
            takeDecay(frames: 0)
            (inlet, outlet) = (Ramp(1), Ramp(1))
        } else if isOther {
            outlet.slide(to: 0, frames: shape.slideFrames() / 2)
        } else {
            takeDecay(frames: shape.slideFrames())
        }
    }

    /// Empties the lines, and gives them the wanted lengths.
    @_noLocks @_noAllocation
    private mutating func takeLengths() {
        geometry = Geometry(shape.values)
        let least = max(Double(min(geometry.least, geometry.greatest)) * shape.sampleRate, Double(Self.leastFrames))
        let greatest = max(Double(max(geometry.least, geometry.greatest)) * shape.sampleRate, 1.5 * least)
        var state = UInt64(geometry.number) &* 0x9E37_79B9_7F4A_7C15
        var before = 0
        for line in 0..<Self.lineCount {
            // SplitMix64, as in Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            let random = Double((bits ^ (bits >> 31)) >> 11) / 9_007_199_254_740_992
            // Within a third of the distance to the next length; the sides take turns.
            let place = (Double(line) + 0.66 * (random - 0.5)) / 15
            // Odd, so that the lengths of two lines are seldom multiples of each other.
            let frames = Int(least * oav_pow(greatest / least, min(max(place, 0), 1))) | 1
            before = frames > before ? frames : before &+ 2
            lengths[line / 2 &+ 8 &* (line & 1)] = min(before, capacity)
        }
        empty()
    }

    @_noLocks @_noAllocation
    private mutating func empty() {
        for line in 0..<Self.lineCount {
            Samples.silence(lines + line &* capacity, lengths[line])
            positions[line] = 0
        }
        for diffuser in 0..<(2 &* Self.diffusersOfASide) { diffusers[diffuser].reset() }
        memory = SIMD16(repeating: 0)
    }

    @_noLocks @_noAllocation
    private mutating func takeDecay(frames: Int) {
        let (low, high) = (Double(shape.values.value(4)), Double(shape.values.value(5)))
        var kept = 0.0
        for line in 0..<Self.lineCount {
            let decades = -3 * Double(lengths[line]) / shape.sampleRate
            let (g0, g1) = (oav_pow(10, decades / low), oav_pow(10, decades / high))
            let sum = max(g0 + g1, 1e-30)
            poleTarget[line] = Float((g0 - g1) / sum)
            gainTarget[line] = Float(0.5 * g0 * g1 / sum)
            kept += g0 * g0 / 16
        }
        // Noise is as loud wet as dry, however long it decays: a side's 8 lines take it in, and give out half of what goes
        // round. The quarter in the gains is made up for.
        let power = oav_pow(max(1 - kept, 1e-6) * 4, 0.5)
        level.slide(to: Float(power) * decibels(shape.values.value(1)), frames: frames)
        slideFrames = frames
        guard frames > 0 else {
            (pole, gain) = (poleTarget, gainTarget)
            return
        }
        poleStep = (poleTarget - pole) * (1 / Float(frames))
        gainStep = (gainTarget - gain) * (1 / Float(frames))
    }

    // MARK: Sound

    /// In place; at most as many frames as `sides` have.
    @_noLocks @_noAllocation
    mutating func process(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        var done = 0
        while done < frames {
            if outlet.target == 0, outlet.frames == 0 {
                takeLengths()
                takeDecay(frames: 0)
                (inlet, outlet) = (Ramp(0), Ramp(1))
                inlet.slide(to: 1, frames: shape.slideFrames() / 2)
            }
            let count = outlet.frames > 0 ? min(frames &- done, outlet.frames) : frames &- done
            fold(sound, done, count)
            run(count)
            for channel in 0..<shape.channels {
                add(channel & 1 == 0 ? wet.0 : wet.1, to: sound[channel] + done, count)
            }
            level.skip(count)
            inlet.skip(count)
            outlet.skip(count)
            mix.skip(count)
            done &+= count
        }
    }

    /// Mixes the room and the sound as it came.
    @_noLocks @_noAllocation
    private func add(_ room: UnsafePointer<Float>, to samples: UnsafeMutablePointer<Float>, _ count: Int) {
        var (level, outlet, mix) = (self.level, self.outlet, self.mix)
        guard level.frames > 0 || outlet.frames > 0 || mix.dry.frames > 0 || mix.wet.frames > 0 else {
            let (dry, wet) = (mix.dry.value, mix.wet.value * level.value)
            for i in 0..<count { samples[i] = samples[i] * dry + room[i] * wet }
            return
        }
        for i in 0..<count { samples[i] = mix.next(samples[i], room[i] * level.next() * outlet.next()) }
    }

    /// The channels to two sides.
    @_noLocks @_noAllocation
    private func fold(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ start: Int, _ count: Int) {
        Samples.copy(sound[0] + start, to: sides.0, count)
        Samples.copy(sound[shape.channels > 1 ? 1 : 0] + start, to: sides.1, count)
        for channel in 2..<max(2, shape.channels) {
            let (samples, side) = (sound[channel] + start, channel & 1 == 0 ? sides.0 : sides.1)
            for i in 0..<count { side[i] += samples[i] }
        }
        guard inlet.frames > 0 else { return }
        var inlet = inlet
        for i in 0..<count {
            let share = inlet.next()
            sides.0[i] *= share
            sides.1[i] *= share
        }
    }

    /// From the sides to the wet sound.
    @_noLocks @_noAllocation
    private mutating func run(_ frames: Int) {
        for diffuser in 0..<Self.diffusersOfASide {
            diffusers[diffuser].process(sides.0, frames)
            diffusers[Self.diffusersOfASide &+ diffuser].process(sides.1, frames)
        }
        var done = 0
        while done < frames {
            // A piece in which no line comes to its end, and which slides throughout or not at all.
            var count = slideFrames > 0 ? min(frames &- done, slideFrames) : frames &- done
            for line in 0..<Self.lineCount { count = min(count, lengths[line] &- positions[line]) }
            if slideFrames > 0 {
                circulate(done, count, isSliding: true)
                slideFrames &-= count
                if slideFrames == 0 { (pole, gain) = (poleTarget, gainTarget) }
            } else {
                circulate(done, count, isSliding: false)
            }
            for line in 0..<Self.lineCount {
                let place = positions[line] &+ count
                positions[line] = place == lengths[line] ? 0 : place
            }
            done &+= count
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    private mutating func circulate(_ start: Int, _ count: Int, isSliding: Bool) {
        var (memory, pole, gain) = (Quarters(self.memory), Quarters(self.pole), Quarters(self.gain))
        let (poleStep, gainStep) = (Quarters(self.poleStep), Quarters(self.gainStep))
        let (left, right) = (sides.0 + start, sides.1 + start)
        let (wetLeft, wetRight) = (wet.0 + start, wet.1 + start)
        let l0 = lines + positions[0], l1 = lines + (capacity &+ positions[1])
        let l2 = lines + (2 &* capacity &+ positions[2]), l3 = lines + (3 &* capacity &+ positions[3])
        let l4 = lines + (4 &* capacity &+ positions[4]), l5 = lines + (5 &* capacity &+ positions[5])
        let l6 = lines + (6 &* capacity &+ positions[6]), l7 = lines + (7 &* capacity &+ positions[7])
        let l8 = lines + (8 &* capacity &+ positions[8]), l9 = lines + (9 &* capacity &+ positions[9])
        let l10 = lines + (10 &* capacity &+ positions[10]), l11 = lines + (11 &* capacity &+ positions[11])
        let l12 = lines + (12 &* capacity &+ positions[12]), l13 = lines + (13 &* capacity &+ positions[13])
        let l14 = lines + (14 &* capacity &+ positions[14]), l15 = lines + (15 &* capacity &+ positions[15])
        for i in 0..<count {
            let out = Quarters(
                SIMD4(l0[i], l1[i], l2[i], l3[i]), SIMD4(l4[i], l5[i], l6[i], l7[i]),
                SIMD4(l8[i], l9[i], l10[i], l11[i]), SIMD4(l12[i], l13[i], l14[i], l15[i]))
            memory.filter(out, gain, pole)
            if isSliding {
                pole.add(poleStep)
                gain.add(gainStep)
            }
            wetLeft[i] = Quarters.alternatingSum(memory.a, memory.b)
            wetRight[i] = Quarters.alternatingSum(memory.c, memory.d)
            var spread = memory
            spread.spread()
            spread.inject(left[i], right[i])
            (l0[i], l1[i], l2[i], l3[i]) = (spread.a[0], spread.a[1], spread.a[2], spread.a[3])
            (l4[i], l5[i], l6[i], l7[i]) = (spread.b[0], spread.b[1], spread.b[2], spread.b[3])
            (l8[i], l9[i], l10[i], l11[i]) = (spread.c[0], spread.c[1], spread.c[2], spread.c[3])
            (l12[i], l13[i], l14[i], l15[i]) = (spread.d[0], spread.d[1], spread.d[2], spread.d[3])
        }
        self.memory = memory.whole()
        (self.pole, self.gain) = (pole.whole(), gain.whole())
        vectors &+= count
    }

    @_noLocks @_noAllocation
    mutating func reset() { empty() }
}

/// Sixteen numbers as a processor holds them: the first eight lines are the left side's.
private struct Quarters: BitwiseCopyable {
    var a: SIMD4<Float>
    var b: SIMD4<Float>
    var c: SIMD4<Float>
    var d: SIMD4<Float>

    @_noLocks @_noAllocation @inline(__always)
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    @_noLocks @_noAllocation @inline(__always)
    init(_ whole: SIMD16<Float>) {
        self.init(
            whole.lowHalf.lowHalf, whole.lowHalf.highHalf, whole.highHalf.lowHalf, whole.highHalf.highHalf)
    }

    @_noLocks @_noAllocation @inline(__always)
    func whole() -> SIMD16<Float> {
        SIMD16(lowHalf: SIMD8(lowHalf: a, highHalf: b), highHalf: SIMD8(lowHalf: c, highHalf: d))
    }

    @_noLocks @_noAllocation @inline(__always)
    mutating func add(_ other: Quarters) {
        a += other.a
        b += other.b
        c += other.c
        d += other.d
    }

    /// The absorbing filters; what is too small to hear becomes 0 (`Samples.flushed`).
    @_noLocks @_noAllocation @inline(__always)
    mutating func filter(_ input: Quarters, _ gain: Quarters, _ pole: Quarters) {
        a = (gain.a * input.a + pole.a * a + 1e-15) - 1e-15
        b = (gain.b * input.b + pole.b * b + 1e-15) - 1e-15
        c = (gain.c * input.c + pole.c * c + 1e-15) - 1e-15
        d = (gain.d * input.d + pole.d * d + 1e-15) - 1e-15
    }

    /// A Hadamard matrix, four times too great: the gains of the filters have a quarter of it.
    @_noLocks @_noAllocation @inline(__always)
    mutating func spread() {
        let (e, f, g, h) = (a + c, b + d, a - c, b - d)
        a = Self.spread(e + f)
        b = Self.spread(e - f)
        c = Self.spread(g + h)
        d = Self.spread(g - h)
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func spread(_ x: SIMD4<Float>) -> SIMD4<Float> {
        let y = SIMD4(x[2], x[3], x[0], x[1]) + x * SIMD4(1, 1, -1, -1)
        return SIMD4(y[1], y[0], y[3], y[2]) + y * SIMD4(1, -1, 1, -1)
    }

    /// What comes in, with signs so that it does not meet itself on all lines alike.
    @_noLocks @_noAllocation @inline(__always)
    mutating func inject(_ left: Float, _ right: Float) {
        let (l, r) = (SIMD4(repeating: left) * SIMD4(1, -1, 1, -1), SIMD4(repeating: right) * SIMD4(1, -1, 1, -1))
        a += l
        b += l
        c += r
        d += r
    }

    @_noLocks @_noAllocation @inline(__always)
    static func alternatingSum(_ x: SIMD4<Float>, _ y: SIMD4<Float>) -> Float {
        let sum = x - y
        return (sum[0] + sum[1]) - (sum[2] + sum[3])
    }
}
