internal import CRealtime

/// What a source has to play: from the lane to the cycle's rows.
extension RenderSource {
    /// Asks for the memory that the next `render` needs first, while another source is rendered.
    ///
    /// In a short cycle the sources are many small pieces of memory, which a processor does not guess.
    @_noLocks @_noAllocation
    @inline(__always)
    func prefetch() {
        let lane = lanes + state.pointee.lane
        oav_prefetch(UnsafeRawPointer(state) + 64)
        oav_prefetch(UnsafeRawPointer(state) + 128)
        oav_prefetch(UnsafeRawPointer(lane) + 64)
        oav_prefetch(lane.pointee.ring.front())
    }

    /// Frames from the lane, with the gains due, from this level of the fade on.
    @_noLocks @_noAllocation
    func renderFrames(at offset: Int, limit: Int, from level: Int, isPlaying: Bool) -> Int {
        let count = framesOfOneLaw(limit, from: level, isPlaying: isPlaying)
        state.pointee.isSilent = false
        consume(count, at: offset)
        sound(count, at: offset, from: level, isPlaying: isPlaying)
        return count
    }

    /// Gives frames that are in the rows the gains due; all of one law.
    @_noLocks @_noAllocation
    func sound(_ count: Int, at offset: Int, from level: Int, isPlaying: Bool) {
        applyGains(at: offset, count, from: level, isPlaying: isPlaying)
        let reached = isPlaying ? min(rampFrames, level &+ count) : level &- count
        state.pointee.envelope = reached == 0 ? .silent : .sounding(level: reached, lastFrame: offset &+ count &- 1)
    }

    /// Frames from the lane to the rows, as they are.
    @_noLocks @_noAllocation
    @inline(__always)
    func consume(_ count: Int, at offset: Int) {
        let lane = lanes + state.pointee.lane
        takeApart(lane.pointee.ring.front(), at: offset, count)
        lane.pointee.ring.slots.consume(count)
        state.pointee.clock &+= Int64(count)
    }

    /// How many frames there are until a ramp ends.
    @_noLocks @_noAllocation
    func framesOfOneLaw(_ limit: Int, from level: Int, isPlaying: Bool) -> Int {
        let volumeStep = state.pointee.volumeStep
        var count = limit
        if isPlaying, level < rampFrames { count = min(count, rampFrames &- level) }
        if !isPlaying { count = min(count, level) }
        if volumeStep < rampFrames { count = min(count, rampFrames &- volumeStep) }
        return count
    }

    /// Scales frames that are in the rows, and steps the ramp of the volume on.
    @_noLocks @_noAllocation
    private func applyGains(at offset: Int, _ count: Int, from level: Int, isPlaying: Bool) {
        let volumeStep = state.pointee.volumeStep
        let (volumeFrom, volumeTo) = (state.pointee.volumeFrom, state.pointee.volumeTo)
        let isRising = isPlaying && level < rampFrames
        for channel in 0..<channels {
            let row = rows + (channel &* rowStride &+ offset)
            if volumeStep < rampFrames {
                Kernels.scale(row, count, from: volumeFrom, to: volumeTo, step: volumeStep, steps: rampFrames)
            } else if volumeTo != 1 {
                Kernels.scale(row, count, by: volumeTo)
            }
            if isRising {
                Kernels.scale(row, count, from: 0, to: 1, step: level, steps: rampFrames)
            } else if !isPlaying {
                Kernels.scale(row, count, from: 1, to: 0, step: rampFrames &- level, steps: rampFrames)
            }
        }
        if volumeStep < rampFrames { state.pointee.volumeStep = volumeStep &+ count }
    }

    /// Interleaved frames to rows; what is not finite becomes 0.
    @_noLocks @_noAllocation
    @inline(__always)
    func takeApart(_ frames: UnsafePointer<Float>, at offset: Int, _ count: Int) {
        let carry =
            channels == 2
            ? Kernels.split(frames, left: rows + offset, right: rows + (rowStride &+ offset), count)
            : deinterleave(frames, at: offset, count)
        if carry >> 31 != 0 { replaceNonFinite(at: offset, count) }
    }

    @_noLocks @_noAllocation
    @inline(never)
    private func deinterleave(_ frames: UnsafePointer<Float>, at offset: Int, _ count: Int) -> UInt32 {
        var carry: UInt32 = 0
        for channel in 0..<channels {
            let row = rows + (channel &* rowStride &+ offset)
            carry |= Kernels.deinterleave(frames + channel, stride: channels, into: row, count)
        }
        return carry
    }

    @_noLocks @_noAllocation
    @inline(never)
    private func replaceNonFinite(at offset: Int, _ count: Int) {
        for channel in 0..<channels { Kernels.replaceNonFinite(rows + (channel &* rowStride &+ offset), count) }
    }
}
