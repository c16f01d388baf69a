extension EffectKind {
    /// The most bands of an equalizer: Apple's ids of a band's parameters are 1000 apart.
    package static let mostBands = 1000

    /// Filters in a row.
    package static let equalizer = EffectKind(
        "nbeq", name: "equalizer", componentName: "AUNBandEQ", rows: { equalizerRows($0) }, tailSeconds: { _ in 0.1 },
        make: { $0.filters(.bands, bands: $0.parameters.bands) })

    private static func equalizerRows(_ bands: Int) -> [UnitParameter] {
        precondition(0...mostBands ~= bands, "An equalizer has 0 to \(mostBands) bands, not \(bands).")
        let ofBands = (0..<bands).flatMap { band in
            let (offset, number) = (UInt64(band), band + 1)
            var type = UnitParameter.row(
                2000 + offset, "filterType\(number)", "Filter Type \(number)", .indexed, 0...10, 0)
            type.valueNames = FilterType.allCases.map(\.name)
            return [
                .row(1000 + offset, "bypass\(number)", "Bypass \(number)", .boolean, 0...1, 1),
                type,
                .row(
                    3000 + offset, "frequency\(number)", "Frequency \(number)", .hertz,
                    20...UnitParameter.highestFrequency, 1000),
                .row(4000 + offset, "gain\(number)", "Gain \(number)", .decibels, -96...24, 0),
                .row(5000 + offset, "bandwidth\(number)", "Bandwidth \(number)", .octaves, 0.05...5, 0.5),
            ]
        }
        return [.row(0, "globalGain", "Global Gain", .decibels, -96...24, 0)] + ofBands
    }
}

extension EffectBuilder {
    func filters(_ layout: FilterLayout, bands: Int) -> EffectProcessor.Parts {
        let banks = Equalizer.banks(of: bands)
        let state = Equalizer(
            layout, shape, bands: bands, banks: memory.room(banks),
            memories: memory.room(banks * Equalizer.pairs(of: shape.channels)), settings: memory.room(bands),
            spare: memory.silence(shape.maximumFrames))
        // Quiet for so long that no zero of a low tone is taken for its end.
        return EffectProcessor.Parts(algorithm: .filters(memory.block(of: state)), quietSeconds: 0.1)
    }
}
