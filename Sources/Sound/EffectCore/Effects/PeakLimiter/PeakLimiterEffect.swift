extension EffectKind {
    /// Keeps every sample within full scale.
    package static let peakLimiter = EffectKind(
        "lmtr", name: "peak limiter", componentName: "AUPeakLimiter",
        rows: { _ in
            [
                .row(0, "attackTime", "Attack Time", .seconds, 0.001...0.03, 0.012),
                .row(1, "decayTime", "Decay Time", .seconds, 0.001...0.06, 0.024),
                .row(2, "preGain", "Pre-Gain", .decibels, -40...40, 0),
            ]
        },
        tailSeconds: { _ in 0 },
        make: { builder in
            let pieces = PeakLimiter.pieces(builder.shape)
            let latency = PeakLimiter.latency(pieces: pieces)
            let state = PeakLimiter(
                builder.shape, windowPieces: pieces, needed: builder.memory.room(pieces + 1),
                risen: builder.memory.room(pieces), lines: builder.rows(latency))
            return EffectProcessor.Parts(
                algorithm: .peakLimiter(builder.memory.block(of: state)), latencyFrames: latency)
        })
}
