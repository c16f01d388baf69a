/// The effects of one filter each: an equalizer's, with settings of their own.
extension EffectKind {
    package static let lowPass = filter("lpas", "low pass", "AULowpass", .lowPass, passRows)
    package static let highPass = filter("hpas", "high pass", "AUHipass", .highPass, passRows)

    package static let bandPass = filter(
        "bpas", "band pass", "AUBandpass", .bandPass,
        [
            .row(0, "centerFrequency", "Center Frequency", .hertz, 20...UnitParameter.highestFrequency, 5000),
            .row(1, "bandwidth", "Bandwidth", .cents, 100...12_000, 600),
        ])

    package static let lowShelf = filter(
        "lshf", "low shelf", "AULowShelfFilter", .lowShelf, shelfRows(10...200, 80))

    package static let highShelf = filter(
        "hshf", "high shelf", "AUHighShelfFilter", .highShelf,
        shelfRows(10_000...UnitParameter.highestFrequency, 10_000))

    package static let parametricEqualizer = filter(
        "pmeq", "parametric equalizer", "AUParametricEQ", .parametric,
        [
            .row(0, "centerFrequency", "Center Frequency", .hertz, 20...UnitParameter.highestFrequency, 2000),
            .row(1, "q", "Q", .hertz, 0.1...20, 1),
            .row(2, "gain", "Gain", .decibels, -20...20, 0),
        ])

    private static func filter(
        _ subType: StaticString, _ name: String, _ componentName: String, _ layout: FilterLayout,
        _ rows: [UnitParameter]
    ) -> EffectKind {
        EffectKind(
            subType, name: name, componentName: componentName, rows: { _ in rows }, tailSeconds: { _ in 0.1 },
            make: { $0.filters(layout, bands: 1) })
    }

    private static let passRows: [UnitParameter] = [
        .row(0, "cutoffFrequency", "Cutoff Frequency", .hertz, 10...UnitParameter.highestFrequency, 6900),
        .row(1, "resonance", "Resonance", .decibels, -20...40, 0),
    ]

    private static func shelfRows(_ frequencies: ClosedRange<Float>, _ value: Float) -> [UnitParameter] {
        [
            .row(0, "cutoffFrequency", "Cutoff Frequency", .hertz, frequencies, value),
            .row(1, "gain", "Gain", .decibels, -40...40, 0),
        ]
    }
}
