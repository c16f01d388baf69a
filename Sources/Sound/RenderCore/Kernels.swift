/// The loops over samples.
///
/// Each is simple enough for the compiler to turn into vector instructions: no early exit, no trapping arithmetic,
/// reductions on integers (a float reduction may not be reordered). Those of a source and a mix are written in vectors of four:
/// before a plain loop the compiler compares all pointers with each other, which takes as long as half of a cycle of 64 frames.
///
/// `ramp` arguments: frame i gets the step `step + i + 1` of `steps`, so that a ramp's last frame has its final gain.
enum Kernels {
    /// Takes one channel out of interleaved frames; `split` is for two.
    ///
    /// Returns whether a sample may not be finite, in the top bit: an exponent of all ones carries into it. Looking for
    /// one costs less than replacing, and there hardly ever is one.
    @_noLocks @_noAllocation
    static func deinterleave(
        _ input: UnsafePointer<Float>, stride: Int, into output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> UInt32 {
        guard stride == 1 else {
            for i in 0..<count { output[i] = input[stride &* i] }
            // By itself, as the loop above is not one of vectors.
            return carryOfNonFinite(output, count)
        }
        var carry: UInt32 = 0
        for i in 0..<count {
            output[i] = input[i]
            carry |= (input[i].bitPattern & 0x7F80_0000) &+ 0x0080_0000
        }
        return carry
    }

    /// Takes both channels out of interleaved stereo, in one pass; returns the same.
    @_noLocks @_noAllocation
    static func split(
        _ input: UnsafePointer<Float>, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>,
        _ count: Int
    ) -> UInt32 {
        // Not finite where a summand is not. A sum that is too large costs a second look, no more.
        var (sumA, sumB, sumC, sumD) = (Four(), Four(), Four(), Four())
        var i = 0
        while i &+ 8 <= count {
            let (a, b) = (four(input, 2 &* i), four(input, 2 &* i &+ 4))
            let (c, d) = (four(input, 2 &* i &+ 8), four(input, 2 &* i &+ 12))
            put(Eight(lowHalf: a, highHalf: b).evenHalf, left, i)
            put(Eight(lowHalf: a, highHalf: b).oddHalf, right, i)
            put(Eight(lowHalf: c, highHalf: d).evenHalf, left, i &+ 4)
            put(Eight(lowHalf: c, highHalf: d).oddHalf, right, i &+ 4)
            sumA += a
            sumB += b
            sumC += c
            sumD += d
            i &+= 8
        }
        let sum = (sumA + sumB) + (sumC + sumD)
        var carry = (((sum[0] + sum[1]) + (sum[2] + sum[3])).bitPattern & 0x7F80_0000) &+ 0x0080_0000
        while i < count {
            let (a, b) = (input[2 &* i], input[2 &* i &+ 1])
            left[i] = a
            right[i] = b
            carry |= ((a + b).bitPattern & 0x7F80_0000) &+ 0x0080_0000
            i &+= 1
        }
        return carry
    }

    /// Puts one channel into interleaved frames.
    @_noLocks @_noAllocation
    static func interleave(
        _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, stride: Int, _ count: Int
    ) {
        for i in 0..<count { output[stride &* i] = input[i] }
    }

    /// Whether a sample is not finite, in the top bit.
    @_noLocks @_noAllocation
    static func carryOfNonFinite(_ samples: UnsafePointer<Float>, _ count: Int) -> UInt32 {
        var carry: UInt32 = 0
        for i in 0..<count { carry |= (samples[i].bitPattern & 0x7F80_0000) &+ 0x0080_0000 }
        return carry
    }

    /// Replaces infinities and NaN by 0.
    @_noLocks @_noAllocation
    static func replaceNonFinite(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        for i in 0..<count {
            let bits = samples[i].bitPattern
            // An exponent of all ones carries into the top bit. As a condition, the compiler makes it a branch a sample.
            let isBad = ((bits & 0x7F80_0000) &+ 0x0080_0000) >> 31
            samples[i] = Float(bitPattern: bits & (isBad &- 1))
        }
    }

    @_noLocks @_noAllocation
    static func scale(_ samples: UnsafeMutablePointer<Float>, _ count: Int, by gain: Float) {
        for i in 0..<count { samples[i] *= gain }
    }

    /// Scales by `from` to `to`.
    @_noLocks @_noAllocation
    static func scale(
        _ samples: UnsafeMutablePointer<Float>, _ count: Int, from: Float, to: Float, step: Int, steps: Int
    ) {
        let first = Int32(truncatingIfNeeded: step &+ 1)
        let length = Float(Int32(truncatingIfNeeded: steps))
        for i in 0..<count {
            // Divided, not multiplied by a reciprocal: the last step is then exactly `to`.
            let share = Float(first &+ Int32(truncatingIfNeeded: i)) / length
            samples[i] *= from * (1 - share) + to * share
        }
    }

    /// Fills with a value that moves from `from` to `to`.
    @_noLocks @_noAllocation
    static func fill(
        _ samples: UnsafeMutablePointer<Float>, _ count: Int, from: Float, to: Float, step: Int, steps: Int
    ) {
        for i in 0..<count { samples[i] = 1 }
        scale(samples, count, from: from, to: to, step: step, steps: steps)
    }

    @_noLocks @_noAllocation
    static func silence(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        for i in 0..<count { samples[i] = 0 }
    }

    @_noLocks @_noAllocation
    static func copy(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ count: Int) {
        for i in 0..<count { output[i] = input[i] }
    }

    @_noLocks @_noAllocation
    static func add(
        _ input: UnsafePointer<Float>, gain: Float, to output: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        var i = 0
        while i &+ 4 <= count {
            put(four(output, i) + four(input, i) * gain, output, i)
            i &+= 4
        }
        while i < count {
            output[i] += input[i] * gain
            i &+= 1
        }
    }

    /// Writes the input, scaled; by 1 every bit stays.
    @_noLocks @_noAllocation
    static func set(
        _ input: UnsafePointer<Float>, gain: Float, to output: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        for i in 0..<count { output[i] = input[i] * gain }
    }

    /// Adds inputs one after the other, as the same number of calls with one would, with less traffic.
    ///
    /// Returns how many: the most of 8, 4, 2 and 1 that there are.
    @_noLocks @_noAllocation
    static func add(
        _ terms: UnsafePointer<MixTerm>, of available: Int, to output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Int {
        let (a, gainA) = (terms[0].samples, terms[0].gain)
        guard available >= 2 else {
            add(a, gain: gainA, to: output, count)
            return 1
        }
        let (b, gainB) = (terms[1].samples, terms[1].gain)
        var i = 0
        guard available >= 4 else {
            while i &+ 4 <= count {
                put(four(output, i) + four(a, i) * gainA + four(b, i) * gainB, output, i)
                i &+= 4
            }
            while i < count {
                output[i] = output[i] + a[i] * gainA + b[i] * gainB
                i &+= 1
            }
            return 2
        }
        let (c, d, gainC, gainD) = (terms[2].samples, terms[3].samples, terms[2].gain, terms[3].gain)
        guard available >= 8 else {
            while i &+ 4 <= count {
                let first = four(output, i) + four(a, i) * gainA + four(b, i) * gainB
                put(first + four(c, i) * gainC + four(d, i) * gainD, output, i)
                i &+= 4
            }
            while i < count {
                output[i] = output[i] + a[i] * gainA + b[i] * gainB + c[i] * gainC + d[i] * gainD
                i &+= 1
            }
            return 4
        }
        let (e, f, gainE, gainF) = (terms[4].samples, terms[5].samples, terms[4].gain, terms[5].gain)
        let (g, h, gainG, gainH) = (terms[6].samples, terms[7].samples, terms[6].gain, terms[7].gain)
        while i &+ 4 <= count {
            let first = four(output, i) + four(a, i) * gainA + four(b, i) * gainB
            let second = first + four(c, i) * gainC + four(d, i) * gainD
            let third = second + four(e, i) * gainE + four(f, i) * gainF
            put(third + four(g, i) * gainG + four(h, i) * gainH, output, i)
            i &+= 4
        }
        while i < count {
            let first = output[i] + a[i] * gainA + b[i] * gainB + c[i] * gainC + d[i] * gainD
            output[i] = first + e[i] * gainE + f[i] * gainF + g[i] * gainG + h[i] * gainH
            i &+= 1
        }
        return 8
    }

    /// Adds the input, scaled by `from` to `to`.
    @_noLocks @_noAllocation
    static func add(
        _ input: UnsafePointer<Float>, from: Float, to: Float, step: Int, steps: Int,
        to output: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        let first = Int32(truncatingIfNeeded: step &+ 1)
        let length = Float(Int32(truncatingIfNeeded: steps))
        for i in 0..<count {
            let share = Float(first &+ Int32(truncatingIfNeeded: i)) / length
            output[i] += input[i] * (from * (1 - share) + to * share)
        }
    }

    /// Adds a value, scaled by `from` to `to`.
    @_noLocks @_noAllocation
    static func add(
        value: Float, from: Float, to: Float, step: Int, steps: Int, to output: UnsafeMutablePointer<Float>,
        _ count: Int
    ) {
        let first = Int32(truncatingIfNeeded: step &+ 1)
        let length = Float(Int32(truncatingIfNeeded: steps))
        for i in 0..<count {
            let share = Float(first &+ Int32(truncatingIfNeeded: i)) / length
            output[i] += value * (from * (1 - share) + to * share)
        }
    }

    /// The bits of the greatest magnitude; for finite floats without a sign the order of the bits is that of the values.
    @_noLocks @_noAllocation
    static func peakBits(_ samples: UnsafePointer<Float>, _ count: Int) -> UInt32 {
        var peak: UInt32 = 0
        for i in 0..<count {
            let magnitude = samples[i].bitPattern & 0x7FFF_FFFF
            peak = magnitude > peak ? magnitude : peak
        }
        return peak
    }

    // MARK: Vectors

    private typealias Four = SIMD4<Float>
    private typealias Eight = SIMD8<Float>

    @_noLocks @_noAllocation
    @inline(__always)
    private static func four(_ samples: UnsafePointer<Float>, _ index: Int) -> Four {
        UnsafeRawPointer(samples + index).loadUnaligned(as: Four.self)
    }

    @_noLocks @_noAllocation
    @inline(__always)
    private static func put(_ value: Four, _ samples: UnsafeMutablePointer<Float>, _ index: Int) {
        UnsafeMutableRawPointer(samples + index).storeBytes(of: value, as: Four.self)
    }
}
