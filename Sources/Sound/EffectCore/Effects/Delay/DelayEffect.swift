extension EffectKind {
    /// An echo that goes round.
    package static let delay = EffectKind(
        "dely", name: "delay", componentName: "AUDelay",
        rows: { _ in
            [
                .row(0, "wetDryMix", "Dry/Wet Mix", .equalPowerCrossfade, 0...100, 50),
                .row(1, "delayTime", "Delay Time", .seconds, 0...longestSeconds, 1),
                .row(2, "feedback", "Feedback", .percent, -100...100, 50),
                .row(
                    3, "lowPassCutoff", "Low Pass Cutoff", .hertz, 10...UnitParameter.highestFrequency, 15_000),
            ]
        },
        tailSeconds: { values in
            values.number(0) == 0 ? 0 : values.number(1) * echoes(kept: abs(values.number(2)) / 100)
        },
        make: { builder in
            let frames = builder.powerOfTwo(above: Double(longestSeconds) * builder.shape.sampleRate)
            let state = FeedbackDelay(
                builder.shape, lines: builder.rows(frames), mask: frames - 1,
                lows: builder.memory.silence(builder.shape.channels))
            return EffectProcessor.Parts(
                algorithm: .delay(builder.memory.block(of: state)), quietSeconds: .infinity)
        })

    private static let longestSeconds: Float = 2

    /// Until they are 60 dB lower; at most a thousand, as some never end.
    private static func echoes(kept: Double) -> Double {
        var (echoes, level) = (1.0, kept)
        while level > 0.001, echoes < 1000 {
            echoes += 1
            level *= kept
        }
        return echoes
    }
}
