/// One setting of an effect, or one of its measurements.
package struct EffectParameter: Hashable, Sendable {
    /// Apple's id of the parameter (`kLowPassParam_CutoffFrequency` …).
    package let address: UInt64
    /// Short and without spaces; unique within the effect.
    package let identifier: String
    /// For people.
    package let name: String
    package let unit: Unit
    package let range: ClosedRange<Float>
    package let defaultValue: Float
    package var access = Access.readWrite
    /// What the numbers of an indexed parameter mean, from 0 on; otherwise empty.
    package var valueNames: [String] = []

    package enum Access: Hashable, Sendable {
        case readWrite
        /// A measurement: only the processor writes it.
        case readOnly
    }

    /// With the numbers of Apple's `AudioUnitParameterUnit`.
    ///
    /// Source: SDK header AudioUnitProperties.h.
    package enum Unit: UInt32, Hashable, Sendable {
        case generic = 0
        case indexed = 1
        case boolean = 2
        case percent = 3
        case seconds = 4
        case rate = 7
        case hertz = 8
        case cents = 9
        case decibels = 13
        case linearGain = 14
        case equalPowerCrossfade = 16
        case octaves = 21
        case milliseconds = 24
    }
}
