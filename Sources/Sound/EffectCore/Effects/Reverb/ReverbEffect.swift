extension EffectKind {
    /// A room.
    package static let reverb = EffectKind(
        "rvb2", name: "reverb", componentName: "AUReverb2",
        rows: { _ in
            [
                .row(0, "dryWetMix", "Dry/Wet Mix", .equalPowerCrossfade, 0...100, 100),
                .row(1, "gain", "Gain", .decibels, -20...20, 0),
                .row(2, "minDelayTime", "Minimum Delay Time", .seconds, 0.0001...1, 0.008),
                .row(3, "maxDelayTime", "Maximum Delay Time", .seconds, 0.0001...1, 0.05),
                .row(4, "decayTimeAt0Hz", "Decay Time at 0 Hz", .seconds, 0.001...20, 1),
                .row(5, "decayTimeAtNyquist", "Decay Time at Nyquist", .seconds, 0.001...20, 0.5),
                .row(6, "randomizeReflections", "Randomize Reflections", .generic, 1...1000, 1),
            ]
        },
        tailSeconds: { values in
            values.number(0) == 0 ? 0 : max(values.number(4), values.number(5)) + values.number(3)
        },
        make: { makeReverb($0) })

    private static func makeReverb(_ builder: EffectBuilder) -> EffectProcessor.Parts {
        let (memory, shape) = (builder.memory, builder.shape)
        // The longest line of the table. 144 more, so that the lines do not all fall on the same part of a cache.
        let capacity = Int(1.001 * shape.sampleRate) + 2 * ReverbNetwork.lineCount + 144
        let count = ReverbNetwork.diffusersOfASide
        let diffusers: UnsafeMutablePointer<Diffuser> = memory.room(2 * count)
        // Frames at 29 761 Hz, and gains, of Dattorro's four input diffusers; the right side's are 3 % longer.
        let lengths: [(frames: Double, gain: Float)] = [(142, 0.75), (107, 0.75), (379, 0.625), (277, 0.625)]
        for side in 0..<2 {
            for (number, length) in lengths.enumerated() {
                let frames = Int(length.frames / 29_761 * shape.sampleRate * (side == 0 ? 1 : 1.03)) | 1
                (diffusers + side * count + number).initialize(
                    to: Diffuser(line: memory.silence(frames), length: frames, gain: length.gain))
            }
        }
        let frames = shape.maximumFrames
        let state = ReverbNetwork(
            shape, lines: memory.room(ReverbNetwork.lineCount * capacity), capacity: capacity, diffusers: diffusers,
            lengths: memory.room(ReverbNetwork.lineCount), positions: memory.room(ReverbNetwork.lineCount),
            sides: (memory.silence(frames), memory.silence(frames)),
            wet: (memory.silence(frames), memory.silence(frames)))
        // Quiet after the longest line, through which sound comes back.
        return EffectProcessor.Parts(algorithm: .reverb(memory.block(of: state)), quietSeconds: 1.1)
    }
}
