/// A number that is set on a unit, as a description: the value is the unit's.
package struct UnitParameter: Hashable, Sendable {
    /// Unique in its unit: `kXXXParam_…` of an effect with Apple's name, the index of the port of a plug-in.
    package var address: UInt64
    /// Letters, digits and `_`, unique in its unit: for code and the command line.
    package var identifier: String
    /// For people.
    package var name: String
    /// Finite.
    package var range: ClosedRange<Float>
    /// In the range.
    package var defaultValue: Float
    package var unit: Unit
    /// Names of the values from the lowest on, one for each whole number; empty where values are numbers.
    package var valueNames: [String]
    /// False for what the unit only reports.
    package var isWritable: Bool

    /// Told of the new value of the parameter with an address.
    package typealias Observer = @Sendable (_ address: UInt64, _ value: Float) -> Void

    package init(
        address: UInt64, identifier: String, name: String, range: ClosedRange<Float>, defaultValue: Float,
        unit: Unit = .generic, valueNames: [String] = [], isWritable: Bool = true
    ) {
        (self.address, self.identifier, self.name) = (address, identifier, name)
        (self.range, self.defaultValue, self.unit) = (range, defaultValue, unit)
        (self.valueNames, self.isWritable) = (valueNames, isWritable)
    }

    /// What the number counts, with the numbers of Apple's `AudioUnitParameterUnit`.
    ///
    /// Source: SDK header AudioUnitProperties.h.
    package enum Unit: UInt32, Hashable, Sendable {
        case generic = 0
        case indexed = 1
        case boolean = 2
        case percent = 3
        case seconds = 4
        case sampleFrames = 5
        case phase = 6
        case rate = 7
        case hertz = 8
        case cents = 9
        case semitones = 10
        case midiNote = 11
        case decibels = 13
        case linearGain = 14
        case degrees = 15
        case equalPowerCrossfade = 16
        case pan = 18
        case meters = 19
        case octaves = 21
        case beatsPerMinute = 22
        case beats = 23
        case milliseconds = 24
        case ratio = 25
    }
}
