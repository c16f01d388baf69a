/// The sound as it came, as late as an effect gives it, for an effect that mixes the two.
struct DryDelay {
    let channels: Int
    let latency: Int
    /// [channel]: the latest `latency` frames, then a block, with room for the longest; silent at first, and unused without
    /// latency.
    let rows: UnsafePointer<UnsafeMutablePointer<Float>>

    /// The block that the next calls are about.
    @_noLocks @_noAllocation
    func take(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        guard latency > 0 else { return }
        for channel in 0..<channels { Samples.copy(sound[channel], to: rows[channel] + latency, frames) }
    }

    /// After the block was used; keeps its end for the next one.
    @_noLocks @_noAllocation
    func advance(_ frames: Int) {
        guard latency > 0 else { return }
        for channel in 0..<channels { Samples.copy(rows[channel] + frames, to: rows[channel], latency) }
    }

    @_noLocks @_noAllocation
    func reset() {
        guard latency > 0 else { return }
        for channel in 0..<channels { Samples.silence(rows[channel], latency) }
    }
}
