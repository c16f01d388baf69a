/// An effect of this module: what differs from the other effects, from a folder of its own.
///
/// Control threads.
package struct EffectKind: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Four letters, as in a component description of Apple's.
    ///
    /// Source: SDK header AUComponent.h.
    package let subType: UInt32
    /// For people.
    package let name: String
    /// Apple's name of the component, which apps search for.
    package let componentName: String
    let rows: @Sendable (_ bands: Int) -> [UnitParameter]
    /// Seconds of sound after the end of the input, until it is 60 dB lower.
    let tailSeconds: @Sendable (EffectParameters) -> Double
    let make: @Sendable (EffectBuilder) -> EffectProcessor.Parts

    /// - Parameters:
    ///   - subType: four letters.
    ///   - rows: each setting and measurement; their order is that of the values in `EffectParameters`.
    init(
        _ subType: StaticString, name: String, componentName: String,
        rows: @escaping @Sendable (_ bands: Int) -> [UnitParameter],
        tailSeconds: @escaping @Sendable (EffectParameters) -> Double,
        make: @escaping @Sendable (EffectBuilder) -> EffectProcessor.Parts
    ) {
        self.subType = subType.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
        (self.name, self.componentName) = (name, componentName)
        (self.rows, self.tailSeconds, self.make) = (rows, tailSeconds, make)
    }

    /// The effects, in the order in which they are listed.
    ///
    /// A new one is its folder, a place here, and a case of `EffectState.Algorithm` if no other has its algorithm.
    package static let allCases: [EffectKind] = [
        .equalizer, .delay, .reverb, .distortion, .dynamics, .peakLimiter, .lowPass, .highPass, .bandPass, .lowShelf,
        .highShelf, .parametricEqualizer,
    ]

    package init?(subType: UInt32) {
        guard let kind = Self.allCases.first(where: { $0.subType == subType }) else { return nil }
        self = kind
    }

    package var description: String { name }

    package static func == (one: EffectKind, other: EffectKind) -> Bool { one.subType == other.subType }

    package func hash(into hasher: inout Hasher) { hasher.combine(subType) }

    /// Each setting and measurement of the effect, in the order of the values in `EffectParameters`.
    ///
    /// Source: SDK header AudioUnitParameters.h. Where it names no range or default, both are ours (decision 50).
    ///
    /// - Parameter bands: of an equalizer, 0 to `mostBands`; others have none.
    package func parameters(bands: Int = 0) -> [UnitParameter] { rows(bands) }
}

extension UnitParameter {
    /// The highest frequency of a parameter whose range Apple ends at half the sample rate: half of 48 kHz.
    ///
    /// The table holds for every rate; a processor ends its filters just below half its own rate.
    static let highestFrequency: Float = 24_000

    /// A row of an effect's table.
    static func row(
        _ address: UInt64, _ identifier: String, _ name: String, _ unit: Unit, _ range: ClosedRange<Float>,
        _ value: Float
    ) -> UnitParameter {
        UnitParameter(
            address: address, identifier: identifier, name: name, range: range, defaultValue: value, unit: unit)
    }
}
