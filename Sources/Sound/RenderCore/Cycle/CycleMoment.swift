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
    /// The app waits for the cycle, and no device does.
    let isByHand: Bool
    /// Sound begins and ends at the frame, without a ramp.
    let cuts: Bool
    /// The clock that drives it; 0 where it is not known.
    let clock: UInt64
    /// Of the first frame, on that clock.
    let clockPosition: UInt64
    /// What was captured: [inputChannels] rows of the cycle's frames; a missing one is silence.
    let inputs: UnsafePointer<UnsafePointer<Float>?>?
    let inputChannels: Int

    @_noLocks @_noAllocation
    init(_ cycle: UnsafePointer<oav_cycle>, sampleTime: Int64, isSilenced: Bool) {
        frames = Int(cycle.pointee.frames)
        self.sampleTime = sampleTime
        hostTime = cycle.pointee.host_time_ns
        sampleRate = cycle.pointee.sample_rate
        self.isSilenced = isSilenced
        isByHand = cycle.pointee.flags & UInt32(OAV_CYCLE_BY_HAND) != 0
        cuts = cycle.pointee.flags & UInt32(OAV_CYCLE_CUTS) != 0
        clock = cycle.pointee.clock
        clockPosition = cycle.pointee.clock_position
        inputs = cycle.pointee.inputs
        inputChannels = inputs == nil ? 0 : Int(cycle.pointee.input_channels)
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
