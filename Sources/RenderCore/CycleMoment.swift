/// When and how a cycle takes place, as its sources see it.
struct CycleMoment {
    let frames: Int
    /// Of the first frame: frames of all cycles before.
    let sampleTime: Int64
    /// On the host's clock.
    let hostTime: UInt64
    /// Nothing sounds and every position holds.
    let isSilenced: Bool

    @_noLocks @_noAllocation
    init(frames: Int, sampleTime: Int64, hostTime: UInt64, isSilenced: Bool) {
        self.frames = frames
        self.sampleTime = sampleTime
        self.hostTime = hostTime
        self.isSilenced = isSilenced
    }
}
