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
