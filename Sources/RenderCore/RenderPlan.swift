/// A compiled mix: which sources sound, and how loud each of their channels is on each output.
///
/// Immutable once published.
///
/// The owner allocates it with everything it points to, and frees it after it came back through `PlanExchange`.
package struct RenderPlan {
    /// Rows of the matrix.
    package let outputChannels: Int
    /// Columns of the matrix: the sources' channels, one source after the other.
    package let sourceChannels: Int
    package let sourceCount: Int
    /// `sourceCount` sources; they outlive the plan.
    package let sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>
    /// Row-major, [output][source channel], linear gain.
    package let matrix: UnsafePointer<Float>

    @_noLocks @_noAllocation
    package init(
        outputChannels: Int, sourceChannels: Int, sourceCount: Int,
        sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>, matrix: UnsafePointer<Float>
    ) {
        self.outputChannels = outputChannels
        self.sourceChannels = sourceChannels
        self.sourceCount = sourceCount
        self.sources = sources
        self.matrix = matrix
    }

    /// The column at which a source's channels begin, or -1 when the plan does not play it.
    @_noLocks @_noAllocation
    func firstColumn(of source: UnsafeMutablePointer<RenderSource>) -> Int {
        var column = 0
        for index in 0..<sourceCount {
            if sources[index] == source { return column }
            column &+= sources[index].pointee.channels
        }
        return -1
    }

    /// 0 for an output that the plan does not know, and for a column of -1.
    @_noLocks @_noAllocation
    func gain(output: Int, firstColumn: Int, channel: Int) -> Float {
        guard output < outputChannels, firstColumn >= 0 else { return 0 }
        return matrix[output &* sourceChannels &+ firstColumn &+ channel]
    }
}
