import CRealtime

/// An effect at work on sound of one shape.
///
/// Render thread. The memory belongs to the owner of the processor.
struct EffectState {
    let shape: EffectShape
    let algorithm: Algorithm
    /// Frames of the crossfade to and from a bypass.
    let fadeFrames: Int
    /// It gives the sound late, and works on while it is bypassed: its sound would have a gap as long when it comes back.
    let isLate: Bool
    /// [channel]: the sound as it came, as late as the algorithm gives it.
    let dry: DryDelay
    /// The count of changes that was taken last.
    private var changes: UInt32
    /// 1 while the effect works, 0 while it is bypassed.
    private var presence: Ramp
    /// Nothing has sounded that a change could make click.
    private var isFresh = true

    /// The parts that differ from effect to effect.
    enum Algorithm {
        case filters(UnsafeMutablePointer<Equalizer>)
        case delay(UnsafeMutablePointer<FeedbackDelay>)
        case reverb(UnsafeMutablePointer<ReverbNetwork>)
        case distortion(UnsafeMutablePointer<Distortion>)
        case dynamics(UnsafeMutablePointer<Dynamics>)
        case peakLimiter(UnsafeMutablePointer<PeakLimiter>)
    }

    @_noLocks @_noAllocation
    init(_ shape: EffectShape, _ algorithm: Algorithm, isLate: Bool, dry: DryDelay) {
        self.shape = shape
        self.algorithm = algorithm
        fadeFrames = max(1, Int(0.005 * shape.sampleRate))
        self.isLate = isLate
        self.dry = dry
        changes = shape.values.changes()
        presence = Ramp(shape.values.isBypassed() ? 0 : 1)
    }

    @_noLocks @_noAllocation
    mutating func process(_ process: UnsafePointer<oav_process>) {
        let frames = Int(process.pointee.frames)
        let output = process.pointee.output.channels
        let inputChannels = process.pointee.input_count > 0 ? Int(process.pointee.inputs[0].channel_count) : 0
        guard inputChannels == 1 || inputChannels == shape.channels,
            process.pointee.output.channel_count == shape.channels,
            frames <= shape.maximumFrames
        else {
            for channel in 0..<Int(process.pointee.output.channel_count) {
                Samples.silence(output[channel], frames)
            }
            return
        }
        let input = process.pointee.inputs[0].channels
        // A single channel goes to all.
        let step = inputChannels == 1 ? 0 : 1
        for channel in 0..<shape.channels { Samples.copy(input[channel &* step], to: output[channel], frames) }
        let newest = shape.values.changes()
        if newest != changes || isFresh {
            changes = newest
            takeSettings(atOnce: isFresh)
        }
        dry.take(output, frames)
        let wanted: Float = shape.values.isBypassed() ? 0 : 1
        if isFresh {
            presence = Ramp(wanted)
            isFresh = false
        } else if presence.target != wanted {
            if presence.value == 0, !isLate { resetAlgorithm() }
            presence.slide(to: wanted, frames: fadeFrames)
        }
        let isHeard = presence.frames > 0 || presence.value > 0
        if isHeard || isLate { run(output, frames) }
        if presence.frames > 0 || !isHeard {
            for channel in 0..<shape.channels { mix(output[channel], input[channel &* step], frames) }
            presence.skip(frames)
        }
        dry.advance(frames)
    }

    /// Fades between the effect's sound and what came in, by bits where only one of them is there.
    @_noLocks @_noAllocation
    private func mix(_ wet: UnsafeMutablePointer<Float>, _ dry: UnsafePointer<Float>, _ frames: Int) {
        guard presence.frames > 0 else {
            Samples.copy(dry, to: wet, frames)
            return
        }
        var ramp = presence
        for i in 0..<frames {
            let share = ramp.next()
            wet[i] = dry[i] * (1 - share) + wet[i] * share
        }
    }

    @_noLocks @_noAllocation
    private func takeSettings(atOnce: Bool) {
        switch algorithm {
        case .filters(let state): state.pointee.takeSettings(atOnce: atOnce)
        case .delay(let state): state.pointee.takeSettings(atOnce: atOnce)
        case .reverb(let state): state.pointee.takeSettings(atOnce: atOnce)
        case .distortion(let state): state.pointee.takeSettings(atOnce: atOnce)
        case .dynamics(let state): state.pointee.takeSettings(atOnce: atOnce)
        case .peakLimiter(let state): state.pointee.takeSettings(atOnce: atOnce)
        }
    }

    /// In place.
    @_noLocks @_noAllocation
    private func run(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Int) {
        switch algorithm {
        case .filters(let state): state.pointee.process(sound, frames)
        case .delay(let state): state.pointee.process(sound, frames)
        case .reverb(let state): state.pointee.process(sound, frames)
        case .distortion(let state): state.pointee.process(sound, dry: dry.rows, frames)
        case .dynamics(let state): state.pointee.process(sound, frames)
        case .peakLimiter(let state): state.pointee.process(sound, frames)
        }
    }

    /// Forgets all sound.
    @_noLocks @_noAllocation
    mutating func reset() {
        isFresh = true
        dry.reset()
        resetAlgorithm()
    }

    @_noLocks @_noAllocation
    private func resetAlgorithm() {
        switch algorithm {
        case .filters(let state): state.pointee.reset()
        case .delay(let state): state.pointee.reset()
        case .reverb(let state): state.pointee.reset()
        case .distortion(let state): state.pointee.reset()
        case .dynamics(let state): state.pointee.reset()
        case .peakLimiter(let state): state.pointee.reset()
        }
    }
}

/// What the host calls.
@_noLocks @_noAllocation
func processEffect(_ context: UnsafeMutableRawPointer?, _ process: UnsafePointer<oav_process>) {
    context?.assumingMemoryBound(to: EffectState.self).pointee.process(process)
}

/// What the host calls.
@_noLocks @_noAllocation
func resetEffect(_ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: EffectState.self).pointee.reset()
}
