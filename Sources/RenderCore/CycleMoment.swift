internal import CRealtime

/// When and how a cycle takes place, as its sources see it.
struct CycleMoment {
    let frames: Int
    /// Of the first frame: frames of all cycles before.
    let sampleTime: Int64
    /// On the host's clock.
    let hostTime: UInt64
    /// Hertz.
    let sampleRate: Double
    /// Nothing sounds and every position holds.
    let isSilenced: Bool

    @_noLocks @_noAllocation
    init(_ cycle: UnsafePointer<oav_cycle>, sampleTime: Int64, isSilenced: Bool) {
        frames = Int(cycle.pointee.frames)
        self.sampleTime = sampleTime
        hostTime = cycle.pointee.host_time_ns
        sampleRate = cycle.pointee.sample_rate
        self.isSilenced = isSilenced
    }

    /// The sample time of an instant of the host's clock: the cycle's first frame where it is past, and nil where it is
    /// after the cycle.
    @_noLocks @_noAllocation
    func sampleTime(atHostTime instant: UInt64) -> Int64? {
        guard instant > hostTime else { return sampleTime }
        let distance = Double(instant &- hostTime) * sampleRate / 1e9
        guard distance < Double(frames) else { return nil }
        // To the nearest frame; the one after the last is the next cycle's first.
        return sampleTime &+ Int64(distance + 0.5)
    }
}
