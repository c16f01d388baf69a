/// A compiled mix: which sources sound, and how loud each of their channels is on each output and each tap.
///
/// Immutable once published.
///
/// The owner allocates it with everything it points to, and frees it after it came back through `PlanExchange`.
package struct RenderPlan {
    /// The first rows of the matrix; those of each tap follow in turn.
    package let outputChannels: Int
    /// Columns of the matrix: the sources' channels, one source after the other.
    package let sourceChannels: Int
    package let sourceCount: Int
    /// `sourceCount` sources, each once; they outlive the plan.
    package let sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>
    package let tapCount: Int
    /// `tapCount` taps, each once; they outlive the plan.
    package let taps: UnsafePointer<UnsafeMutablePointer<RenderTap>>
    /// Row-major, [row][source channel], linear gain.
    package let matrix: UnsafePointer<Float>
    /// The same without zeros: the terms of row i are those from `termStarts[i]` to before `termStarts[i + 1]`.
    package let terms: UnsafePointer<MixTerm>
    package let termStarts: UnsafePointer<Int>

    @_noLocks @_noAllocation
    package init(
        outputChannels: Int, sourceChannels: Int, sourceCount: Int,
        sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>, tapCount: Int,
        taps: UnsafePointer<UnsafeMutablePointer<RenderTap>>, matrix: UnsafePointer<Float>,
        terms: UnsafePointer<MixTerm>, termStarts: UnsafePointer<Int>
    ) {
        self.outputChannels = outputChannels
        self.sourceChannels = sourceChannels
        self.sourceCount = sourceCount
        self.sources = sources
        self.tapCount = tapCount
        self.taps = taps
        self.matrix = matrix
        self.terms = terms
        self.termStarts = termStarts
    }

    /// The row of one of the host's outputs; -1 for one that the plan does not know.
    @_noLocks @_noAllocation
    func row(ofOutput output: Int) -> Int { output < outputChannels ? output : -1 }

    /// 0 for a row and for a column of -1.
    @_noLocks @_noAllocation
    func gain(row: Int, firstColumn: Int, channel: Int) -> Float {
        guard row >= 0, firstColumn >= 0 else { return 0 }
        return matrix[row &* sourceChannels &+ firstColumn &+ channel]
    }
}

/// One summand of a row: a source's channel and its gain, which is not 0.
package struct MixTerm {
    /// The source's row; see `RenderSource.rows`.
    let samples: UnsafePointer<Float>
    let gain: Float

    /// - Parameter channel: of the source.
    @_noLocks @_noAllocation
    package init(source: UnsafeMutablePointer<RenderSource>, channel: Int, gain: Float) {
        samples = UnsafePointer(source.pointee.rows + channel &* source.pointee.rowStride)
        self.gain = gain
    }
}
