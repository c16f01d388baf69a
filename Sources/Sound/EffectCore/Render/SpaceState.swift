import CRealtime

/// The render side of an environment: input busses into a left and a right channel.
///
/// Memory: the owner's. Thread: the render thread, but for the targets of the busses.
struct SpaceState {
    let buses: UnsafeMutablePointer<SpaceBus>
    let busCount: Int
    let room: UnsafeMutablePointer<SpaceRoomState>
    let maximumFrames: Int
    /// `maximumFrames` each.
    let left: UnsafeMutablePointer<Float>
    let right: UnsafeMutablePointer<Float>
    /// Frames after which two thirds of the way to a new gain are done.
    let glideFrames: Float

    @_noLocks @_noAllocation
    func run(_ process: UnsafePointer<oav_process>) {
        let frames = Int(process.pointee.frames)
        let output = process.pointee.output
        let channels = Int(output.channel_count)
        guard frames > 0, frames <= maximumFrames, channels > 0 else {
            for channel in 0..<channels { Samples.silence(output.channels[channel], frames) }
            return
        }
        Samples.silence(left, frames)
        Samples.silence(right, frames)
        Samples.silence(room.pointee.sent, frames)
        var isRoomUsed = false
        let glide = oav_expf(-Float(Int32(truncatingIfNeeded: frames)) / glideFrames)
        for bus in 0..<min(busCount, Int(process.pointee.input_count)) {
            let isSent = buses[bus].add(
                process.pointee.inputs[bus], to: left, right, room: room.pointee.sent, frames: frames, glide: glide)
            isRoomUsed = isRoomUsed || isSent
        }
        room.pointee.add(to: left, right, process, isUsed: isRoomUsed)
        if channels == 1 {
            // Both loudspeakers' power in one.
            let mono = output.channels[0]
            for frame in 0..<frames { mono[frame] = (left[frame] + right[frame]) * 0.70710677 }
            return
        }
        Samples.copy(left, to: output.channels[0], frames)
        Samples.copy(right, to: output.channels[1], frames)
        for channel in 2..<max(channels, 2) { Samples.silence(output.channels[channel], frames) }
    }

    @_noLocks @_noAllocation
    func reset() {
        for bus in 0..<busCount { buses[bus].reset() }
        room.pointee.reset()
    }
}

/// What the renderer calls.
@_noLocks @_noAllocation
func processSpace(_ context: UnsafeMutableRawPointer?, _ process: UnsafePointer<oav_process>) {
    context?.assumingMemoryBound(to: SpaceState.self).pointee.run(process)
}

/// What the renderer calls.
@_noLocks @_noAllocation
func resetSpace(_ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: SpaceState.self).pointee.reset()
}
