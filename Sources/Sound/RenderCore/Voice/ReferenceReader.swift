/// Reads a reference at the pace of another clock, a given time behind it.
///
/// Where the two clocks are one, the position moves by whole frames. Else it follows, within a second, so that the distance
/// between what is captured and what is read stays. It jumps where that is off by more than a cycle may be.
///
/// One thread: the input's data thread.
struct ReferenceReader {
    /// The index of the next frame to read; nil before the first.
    private var position: Double?
    /// Frames of the reference for each frame that is read.
    private var step = 1.0

    @_noLocks @_noAllocation
    init() {}

    /// A cycle begins whose first frame is to be read at `wanted`.
    ///
    /// - Parameter nominal: frames of the reference for each that is read, if both clocks were right.
    /// - Returns: whether the reader jumped.
    @_noLocks @_noAllocation
    mutating func begin(at wanted: Double, nominal: Double, referenceRate: Double) -> Bool {
        // An error above 5 ms is no drift: a device that began, stopped or changed.
        guard let position, (wanted - position).magnitude <= 0.005 * referenceRate else {
            position = Double(Int64(wanted))
            step = nominal
            return true
        }
        let error = wanted - position
        // Less than a frame is what rounding makes of it.
        guard error.magnitude > 1 else {
            step = nominal
            return false
        }
        // In a second, but no faster than crystals differ: they are within 200 ppm of each other.
        step = nominal * (1 + min(max(error / referenceRate, -0.0005), 0.0005))
        return false
    }

    /// The next frame.
    @_noLocks @_noAllocation
    mutating func next(_ reference: borrowing EchoReference, end: Int64) -> Float {
        guard let current = position else { return 0 }
        position = current + step
        return reference.sample(at: current, end: end)
    }
}
