extension EffectKind {
    /// The highest frequency of a parameter whose range Apple ends at half the sample rate: half of 48 kHz.
    ///
    /// The table holds for every rate; a processor ends its filters just below half its own rate.
    private static let highestFrequency: Float = 24_000

    /// The most bands of an equalizer: Apple's ids of a band's parameters are 1000 apart.
    package static let mostBands = 1000

    /// Each setting and measurement of the effect; their order is that of the values in `EffectParameters`.
    ///
    /// Source: SDK header AudioUnitParameters.h. Where it names no range or default, both are ours (decision 50).
    ///
    /// - Parameter bands: of an equalizer, 0 to `mostBands`; others have none.
    package func parameters(bands: Int = 0) -> [UnitParameter] {
        switch self {
        case .equalizer: Self.equalizerRows(bands)
        case .delay: Self.delayRows
        case .reverb: Self.reverbRows
        case .distortion: Self.distortionRows
        case .dynamics: Self.dynamicsRows
        case .peakLimiter: Self.peakLimiterRows
        case .lowPass, .highPass: Self.passRows
        case .bandPass: Self.bandPassRows
        case .lowShelf: Self.shelfRows(10...200, 80)
        case .highShelf: Self.shelfRows(10_000...Self.highestFrequency, 10_000)
        case .parametricEqualizer: Self.parametricRows
        }
    }

    private static func row(
        _ address: UInt64, _ identifier: String, _ name: String, _ unit: UnitParameter.Unit,
        _ range: ClosedRange<Float>, _ value: Float
    ) -> UnitParameter {
        UnitParameter(
            address: address, identifier: identifier, name: name, range: range, defaultValue: value, unit: unit)
    }

    private static func equalizerRows(_ bands: Int) -> [UnitParameter] {
        precondition(0...mostBands ~= bands, "An equalizer has 0 to \(mostBands) bands, not \(bands).")
        let ofBands = (0..<bands).flatMap { band in
            let (offset, number) = (UInt64(band), band + 1)
            var type = row(2000 + offset, "filterType\(number)", "Filter Type \(number)", .indexed, 0...10, 0)
            type.valueNames = FilterType.allCases.map(\.name)
            return [
                row(1000 + offset, "bypass\(number)", "Bypass \(number)", .boolean, 0...1, 1),
                type,
                row(
                    3000 + offset, "frequency\(number)", "Frequency \(number)", .hertz, 20...highestFrequency, 1000),
                row(4000 + offset, "gain\(number)", "Gain \(number)", .decibels, -96...24, 0),
                row(5000 + offset, "bandwidth\(number)", "Bandwidth \(number)", .octaves, 0.05...5, 0.5),
            ]
        }
        return [row(0, "globalGain", "Global Gain", .decibels, -96...24, 0)] + ofBands
    }

    private static let delayRows = [
        row(0, "wetDryMix", "Dry/Wet Mix", .equalPowerCrossfade, 0...100, 50),
        row(1, "delayTime", "Delay Time", .seconds, 0...2, 1),
        row(2, "feedback", "Feedback", .percent, -100...100, 50),
        row(3, "lowPassCutoff", "Low Pass Cutoff", .hertz, 10...highestFrequency, 15_000),
    ]

    private static let reverbRows = [
        row(0, "dryWetMix", "Dry/Wet Mix", .equalPowerCrossfade, 0...100, 100),
        row(1, "gain", "Gain", .decibels, -20...20, 0),
        row(2, "minDelayTime", "Minimum Delay Time", .seconds, 0.0001...1, 0.008),
        row(3, "maxDelayTime", "Maximum Delay Time", .seconds, 0.0001...1, 0.05),
        row(4, "decayTimeAt0Hz", "Decay Time at 0 Hz", .seconds, 0.001...20, 1),
        row(5, "decayTimeAtNyquist", "Decay Time at Nyquist", .seconds, 0.001...20, 0.5),
        row(6, "randomizeReflections", "Randomize Reflections", .generic, 1...1000, 1),
    ]

    private static let distortionRows = [
        row(0, "delay", "Delay", .milliseconds, 0.1...500, 0.1),
        row(1, "decay", "Decay", .rate, 0.1...50, 1),
        row(2, "delayMix", "Delay Mix", .percent, 0...100, 50),
        row(3, "decimation", "Decimation", .percent, 0...100, 50),
        row(4, "rounding", "Rounding", .percent, 0...100, 0),
        row(5, "decimationMix", "Decimation Mix", .percent, 0...100, 50),
        row(6, "linearTerm", "Linear Term", .linearGain, 0...1, 1),
        row(7, "squaredTerm", "Squared Term", .linearGain, 0...20, 0),
        row(8, "cubicTerm", "Cubic Term", .linearGain, 0...20, 0),
        row(9, "polynomialMix", "Polynomial Mix", .percent, 0...100, 50),
        row(10, "ringModFreq1", "Ring Mod Frequency 1", .hertz, 0.5...8000, 100),
        row(11, "ringModFreq2", "Ring Mod Frequency 2", .hertz, 0.5...8000, 100),
        row(12, "ringModBalance", "Ring Mod Balance", .percent, 0...100, 50),
        row(13, "ringModMix", "Ring Mod Mix", .percent, 0...100, 0),
        row(14, "softClipGain", "Soft Clip Gain", .decibels, -80...20, -6),
        row(15, "finalMix", "Final Mix", .percent, 0...100, 50),
    ]

    private static let dynamicsRows =
        [
            row(0, "threshold", "Threshold", .decibels, -40...20, -20),
            row(1, "headRoom", "Head Room", .decibels, 0.1...40, 5),
            row(2, "expansionRatio", "Expansion Ratio", .rate, 1...50, 2),
            row(3, "expansionThreshold", "Expansion Threshold", .decibels, -100...0, -100),
            row(4, "attackTime", "Attack Time", .seconds, 0.0001...0.2, 0.001),
            row(5, "releaseTime", "Release Time", .seconds, 0.01...3, 0.05),
            row(6, "overallGain", "Overall Gain", .decibels, -40...40, 0),
        ]
        + [
            measurement(1000, "compressionAmount", "Compression Amount", -100...100),
            measurement(2000, "inputAmplitude", "Input Amplitude", -120...40),
            measurement(3000, "outputAmplitude", "Output Amplitude", -120...40),
        ]

    private static func measurement(
        _ address: UInt64, _ identifier: String, _ name: String, _ range: ClosedRange<Float>
    ) -> UnitParameter {
        var row = row(address, identifier, name, .decibels, range, max(range.lowerBound, -120))
        row.isWritable = false
        return row
    }

    private static let peakLimiterRows = [
        row(0, "attackTime", "Attack Time", .seconds, 0.001...0.03, 0.012),
        row(1, "decayTime", "Decay Time", .seconds, 0.001...0.06, 0.024),
        row(2, "preGain", "Pre-Gain", .decibels, -40...40, 0),
    ]

    private static let passRows = [
        row(0, "cutoffFrequency", "Cutoff Frequency", .hertz, 10...highestFrequency, 6900),
        row(1, "resonance", "Resonance", .decibels, -20...40, 0),
    ]

    private static let bandPassRows = [
        row(0, "centerFrequency", "Center Frequency", .hertz, 20...highestFrequency, 5000),
        row(1, "bandwidth", "Bandwidth", .cents, 100...12_000, 600),
    ]

    private static func shelfRows(_ frequencies: ClosedRange<Float>, _ value: Float) -> [UnitParameter] {
        [
            row(0, "cutoffFrequency", "Cutoff Frequency", .hertz, frequencies, value),
            row(1, "gain", "Gain", .decibels, -40...40, 0),
        ]
    }

    private static let parametricRows = [
        row(0, "centerFrequency", "Center Frequency", .hertz, 20...highestFrequency, 2000),
        row(1, "q", "Q", .hertz, 0.1...20, 1),
        row(2, "gain", "Gain", .decibels, -20...20, 0),
    ]
}
