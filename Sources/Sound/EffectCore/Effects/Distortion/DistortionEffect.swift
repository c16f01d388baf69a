extension EffectKind {
    /// Echoes, ring modulation, fewer samples and bits, a bent curve, a soft clip.
    package static let distortion = EffectKind(
        "dist", name: "distortion", componentName: "AUDistortion",
        rows: { _ in
            [
                .row(0, "delay", "Delay", .milliseconds, 0.1...longestMilliseconds, 0.1),
                .row(1, "decay", "Decay", .rate, 0.1...50, 1),
                .row(2, "delayMix", "Delay Mix", .percent, 0...100, 50),
                .row(3, "decimation", "Decimation", .percent, 0...100, 50),
                .row(4, "rounding", "Rounding", .percent, 0...100, 0),
                .row(5, "decimationMix", "Decimation Mix", .percent, 0...100, 50),
                .row(6, "linearTerm", "Linear Term", .linearGain, 0...1, 1),
                .row(7, "squaredTerm", "Squared Term", .linearGain, 0...20, 0),
                .row(8, "cubicTerm", "Cubic Term", .linearGain, 0...20, 0),
                .row(9, "polynomialMix", "Polynomial Mix", .percent, 0...100, 50),
                .row(10, "ringModFreq1", "Ring Mod Frequency 1", .hertz, 0.5...8000, 100),
                .row(11, "ringModFreq2", "Ring Mod Frequency 2", .hertz, 0.5...8000, 100),
                .row(12, "ringModBalance", "Ring Mod Balance", .percent, 0...100, 50),
                .row(13, "ringModMix", "Ring Mod Mix", .percent, 0...100, 0),
                .row(14, "softClipGain", "Soft Clip Gain", .decibels, -80...20, -6),
                .row(15, "finalMix", "Final Mix", .percent, 0...100, 50),
            ]
        },
        // Each echo is e^-decay times the one before.
        tailSeconds: { values in
            values.number(2) == 0 ? 0 : 0.001 * values.number(0) * (1 + 6.9 / values.number(1))
        },
        make: { makeDistortion($0) })

    private static let longestMilliseconds: Float = 500

    private static func makeDistortion(_ builder: EffectBuilder) -> EffectProcessor.Parts {
        let (memory, shape) = (builder.memory, builder.shape)
        let states: UnsafeMutablePointer<DistortionChannel> = memory.room(shape.channels)
        let frames = HalfBand.taps + shape.maximumFrames
        for channel in 0..<shape.channels {
            (states + channel).initialize(
                to: DistortionChannel(
                    rows: (memory.silence(frames), memory.silence(frames), memory.silence(frames)),
                    sampleRate: shape.sampleRate))
        }
        let halfBand = memory.silence(HalfBand.taps)
        HalfBand.design(halfBand)
        let lineFrames = builder.powerOfTwo(above: 0.001 * Double(longestMilliseconds) * shape.sampleRate)
        let state = Distortion(
            shape, states: states, lines: builder.rows(lineFrames), mask: lineFrames - 1, halfBand: halfBand,
            ring: memory.silence(shape.maximumFrames))
        return EffectProcessor.Parts(
            algorithm: .distortion(memory.block(of: state)), latencyFrames: HalfBand.latencyFrames,
            dryFrames: HalfBand.latencyFrames, quietSeconds: .infinity)
    }
}
