import CRealtime

/// The render side of an environment's room.
///
/// Render thread. Memory: the owner's.
struct SpaceRoomState {
    private let reverb: UnsafeMutablePointer<EffectState>
    private let filter: UnsafeMutablePointer<EffectState>
    /// What the sources send; `maximumFrames`.
    let sent: UnsafeMutablePointer<Float>
    /// One channel of `sent`, and both of what comes back.
    private let buses: (sent: UnsafePointer<oav_bus>, heard: UnsafePointer<oav_bus>)
    /// Frames after which a tail is over.
    private let tailFrames: Int
    /// Since something was sent; `tailFrames` before the first time.
    private var idleFrames: Int

    @_noLocks @_noAllocation
    init(
        reverb: UnsafeMutablePointer<EffectState>, filter: UnsafeMutablePointer<EffectState>,
        sent: UnsafeMutablePointer<Float>, buses: (sent: UnsafePointer<oav_bus>, heard: UnsafePointer<oav_bus>),
        tailFrames: Int
    ) {
        self.reverb = reverb
        self.filter = filter
        self.sent = sent
        self.buses = buses
        self.tailFrames = tailFrames
        idleFrames = tailFrames
    }

    /// Adds what the room makes of `sent`.
    ///
    /// - Parameter isUsed: something may be sent.
    @_noLocks @_noAllocation
    mutating func add(
        to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>,
        _ process: UnsafePointer<oav_process>, isUsed: Bool
    ) {
        let frames = Int(process.pointee.frames)
        if isUsed {
            idleFrames = 0
        } else {
            guard idleFrames < tailFrames else { return }
            idleFrames &+= frames
        }
        run(reverb, buses.sent, process)
        run(filter, buses.heard, process)
        let (first, second) = (buses.heard.pointee.channels[0], buses.heard.pointee.channels[1])
        for frame in 0..<frames {
            left[frame] += first[frame]
            right[frame] += second[frame]
        }
    }

    @_noLocks @_noAllocation
    private func run(
        _ effect: UnsafeMutablePointer<EffectState>, _ input: UnsafePointer<oav_bus>,
        _ process: UnsafePointer<oav_process>
    ) {
        var process = process.pointee
        process.inputs = input
        process.input_count = 1
        process.output = buses.heard.pointee
        effect.pointee.process(&process)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        reverb.pointee.reset()
        filter.pointee.reset()
        idleFrames = tailFrames
    }
}
