extension EffectKind {
    /// A compressor and an expander.
    package static let dynamics = EffectKind(
        "dcmp", name: "dynamics processor", componentName: "AUDynamicsProcessor",
        rows: { _ in
            [
                .row(0, "threshold", "Threshold", .decibels, -40...20, -20),
                .row(1, "headRoom", "Head Room", .decibels, 0.1...40, 5),
                .row(2, "expansionRatio", "Expansion Ratio", .rate, 1...50, 2),
                .row(3, "expansionThreshold", "Expansion Threshold", .decibels, -100...0, -100),
                .row(4, "attackTime", "Attack Time", .seconds, 0.0001...0.2, 0.001),
                .row(5, "releaseTime", "Release Time", .seconds, 0.01...3, 0.05),
                .row(6, "overallGain", "Overall Gain", .decibels, -40...40, 0),
                measurement(1000, "compressionAmount", "Compression Amount", -100...100),
                measurement(2000, "inputAmplitude", "Input Amplitude", -120...40),
                measurement(3000, "outputAmplitude", "Output Amplitude", -120...40),
            ]
        },
        tailSeconds: { _ in 0 },
        make: { builder in
            EffectProcessor.Parts(algorithm: .dynamics(builder.memory.block(of: Dynamics(builder.shape))))
        })

    private static func measurement(
        _ address: UInt64, _ identifier: String, _ name: String, _ range: ClosedRange<Float>
    ) -> UnitParameter {
        var row = UnitParameter.row(address, identifier, name, .decibels, range, max(range.lowerBound, -120))
        row.isWritable = false
        return row
    }
}
