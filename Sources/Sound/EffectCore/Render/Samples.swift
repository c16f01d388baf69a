/// Loops over samples that the compiler turns into vector instructions.
enum Samples {
    @_noLocks @_noAllocation
    static func copy(_ input: UnsafePointer<Float>, to output: UnsafeMutablePointer<Float>, _ count: Int) {
        for i in 0..<count { output[i] = input[i] }
    }

    @_noLocks @_noAllocation
    static func silence(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        for i in 0..<count { samples[i] = 0 }
    }

    /// Too small to hear becomes 0, before it is too small for a float's full precision, which processors compute slowly.
    ///
    /// Sums round what is 10^-7 of the bias away. Compilers may not shorten them.
    @_noLocks @_noAllocation @inline(__always)
    static func flushed(_ sample: Float) -> Float { (sample + 1e-15) - 1e-15 }
}
