package import CRealtime

/// An effect at work on sound of one shape: owns its memory.
///
/// Control threads make it, one render thread at a time uses `processor`; the owner keeps this alive meanwhile.
///
/// `@unchecked Sendable` by rule: nothing of it changes but what the render thread alone uses.
package final class EffectProcessor: @unchecked Sendable {
    /// Valid as long as this object lives.
    package let processor: oav_processor
    /// Frames from going in to coming out.
    package let latencyFrames: Int

    /// Frames of four filters for two channels, or of a reverb's lines, that were processed as a vector since the start; 0 for an
    /// effect without either.
    package var vectors: Int {
        switch state.pointee.algorithm {
        case .filters(let equalizer): equalizer.pointee.vectors
        case .reverb(let network): network.pointee.vectors
        case .delay, .distortion, .dynamics, .peakLimiter: 0
        }
    }

    let state: UnsafeMutablePointer<EffectState>
    private let memory: RenderMemory
    private let parameters: EffectParameters

    /// - Parameters:
    ///   - channels: of the output, at least one; the input has as many, or one.
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: the most frames of one block; a longer one is silent.
    package init(_ parameters: EffectParameters, channels: Int, sampleRate: Double, maximumFrames: Int) {
        precondition(channels > 0, "An effect has at least one channel, not \(channels).")
        precondition(sampleRate > 0 && sampleRate.isFinite, "A sample rate is above 0 Hz, not \(sampleRate).")
        precondition(maximumFrames > 0, "A block has at least one frame, not \(maximumFrames).")
        self.parameters = parameters
        let memory = RenderMemory()
        self.memory = memory
        let shape = EffectShape(
            values: parameters.values, channels: channels, sampleRate: sampleRate, maximumFrames: maximumFrames)
        let made = parameters.kind.make(EffectBuilder(parameters: parameters, shape: shape, memory: memory))
        latencyFrames = made.latencyFrames
        let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = memory.room(channels)
        for channel in 0..<channels {
            let frames = made.dryFrames > 0 ? made.dryFrames + maximumFrames : 0
            (rows + channel).initialize(to: memory.silence(frames))
        }
        state = memory.block(
            of: EffectState(
                shape, made.algorithm, isLate: latencyFrames > 0,
                dry: DryDelay(channels: channels, latency: made.dryFrames, rows: rows)))
        processor = oav_processor(
            process: processEffect, reset: resetEffect, context: UnsafeMutableRawPointer(state),
            quiet_frames: made.quietFrames(sampleRate))
    }

    /// What differs from effect to effect.
    struct Parts {
        var algorithm: EffectState.Algorithm
        var latencyFrames = 0
        /// How late it needs the sound as it came, for its mix.
        var dryFrames = 0
        /// Of silent input after which silence is the end of the sound; infinite where it may lie between two echoes.
        var quietSeconds = 0.0

        func quietFrames(_ sampleRate: Double) -> UInt32 {
            guard quietSeconds.isFinite else { return .max }
            return UInt32(latencyFrames) + UInt32(min(quietSeconds * sampleRate, 1e9).rounded(.up))
        }
    }
}
