// Types that describe a parameter of an audio unit.
//
// Source: SDK headers AUParameters.h, AUAudioUnit.h, AudioUnitProperties.h, AUComponent.h.

/// The value of a parameter.
public typealias AUValue = Float
/// Identifies a parameter in its unit.
public typealias AUParameterAddress = UInt64
/// Identifies a parameter for the C functions; it is the parameter's address.
public typealias AudioUnitParameterID = UInt32
/// The value of a parameter, for the C functions.
public typealias AudioUnitParameterValue = Float
/// Identifies an observer that was added; valid until it is removed.
public typealias AUParameterObserverToken = UnsafeMutableRawPointer

/// Called with a parameter's address and newest value after a change, on a thread of the library.
public typealias AUParameterObserver = (_ address: AUParameterAddress, _ value: AUValue) -> Void
/// Called with each change of a parameter, in order, on a thread of the library.
public typealias AUParameterRecordingObserver = (
    _ numberEvents: Int, _ events: UnsafePointer<AURecordedParameterEvent>
) -> Void
/// Called with each change and each touch of a parameter, in order, on a thread of the library.
public typealias AUParameterAutomationObserver = (
    _ numberEvents: Int, _ events: UnsafePointer<AUParameterAutomationEvent>
) -> Void

/// Called with each value that is set, on the thread that sets it.
public typealias AUImplementorValueObserver = (_ parameter: AUParameter, _ value: AUValue) -> Void
/// Called to get the value of a parameter, on the thread that reads it.
public typealias AUImplementorValueProvider = (_ parameter: AUParameter) -> AUValue
/// Called to get the text of a value; nil means the parameter's current value.
public typealias AUImplementorStringFromValueCallback = (
    _ parameter: AUParameter, _ value: UnsafePointer<AUValue>?
) -> String
/// Called to get the value of a text.
public typealias AUImplementorValueFromStringCallback = (_ parameter: AUParameter, _ string: String) -> AUValue
/// Called to get a name of at most `desiredLength` characters.
public typealias AUImplementorDisplayNameWithLengthCallback = (_ node: AUParameterNode, _ desiredLength: Int) -> String

/// One change of a parameter.
public struct AURecordedParameterEvent: Sendable {
    /// The time of the change on the host's clock; 0 if the caller gave no time.
    public var hostTime: UInt64
    /// The address of the parameter.
    public var address: AUParameterAddress
    /// The new value.
    public var value: AUValue
}

/// One change or touch of a parameter.
public struct AUParameterAutomationEvent: Sendable {
    /// The time of the change on the host's clock; 0 if the caller gave no time.
    public var hostTime: UInt64
    /// The address of the parameter.
    public var address: AUParameterAddress
    /// The value at that time.
    public var value: AUValue
    /// Whether a value was set, a touch began, or a touch ended.
    public var eventType: AUParameterAutomationEventType
    /// Always 0.
    public var reserved: UInt64 = 0
}

/// The kinds of events of an automated parameter.
public enum AUParameterAutomationEventType: UInt32, Sendable {
    /// A value was set.
    case value = 0
    /// The user touches the control.
    case touch = 1
    /// The user releases the control.
    case release = 2
}

/// The unit of measurement of a parameter's value.
public enum AudioUnitParameterUnit: UInt32, Sendable {
    /// A number without a unit.
    case generic = 0
    /// One of the names in `valueStrings`.
    case indexed = 1
    /// 0 or 1.
    case boolean = 2
    /// 0 to 100.
    case percent = 3
    /// Seconds.
    case seconds = 4
    /// Frames.
    case sampleFrames = 5
    /// -180 to 180 degrees.
    case phase = 6
    /// A factor of speed.
    case rate = 7
    /// Hertz.
    case hertz = 8
    /// Hundredths of a semitone.
    case cents = 9
    /// Semitones up or down.
    case relativeSemiTones = 10
    /// 0 to 127.
    case midiNoteNumber = 11
    /// 0 to 127.
    case midiController = 12
    /// Decibels.
    case decibels = 13
    /// A factor of amplitude.
    case linearGain = 14
    /// Degrees of an angle.
    case degrees = 15
    /// 0 to 100: two sounds of equal power.
    case equalPowerCrossfade = 16
    /// 0 to 1: the fader of a mixer.
    case mixerFaderCurve1 = 17
    /// -1 to 1.
    case pan = 18
    /// Meters.
    case meters = 19
    /// Cents above 0 Hz as a MIDI note.
    case absoluteCents = 20
    /// Octaves.
    case octaves = 21
    /// Beats per minute.
    case BPM = 22
    /// Beats.
    case beats = 23
    /// Milliseconds.
    case milliseconds = 24
    /// A ratio.
    case ratio = 25
    /// The unit that `unitName` names.
    case customUnit = 26
    /// A controller of MIDI 2.0.
    case midi2Controller = 27
}

/// Options of a parameter.
public struct AudioUnitParameterOptions: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Used by Apple's C functions.
    public static let flag_CFNameRelease = AudioUnitParameterOptions(rawValue: 1 << 4)
    /// Left out of presets.
    public static let flag_OmitFromPresets = AudioUnitParameterOptions(rawValue: 1 << 13)
    /// A view shows its values over time.
    public static let flag_PlotHistory = AudioUnitParameterOptions(rawValue: 1 << 14)
    /// A measurement, which hosts only read.
    public static let flag_MeterReadOnly = AudioUnitParameterOptions(rawValue: 1 << 15)
    /// All bits that set the scale of a view.
    public static let flag_DisplayMask = AudioUnitParameterOptions(rawValue: 7 << 16 | 1 << 22)
    /// A view's scale is the square root.
    public static let flag_DisplaySquareRoot = AudioUnitParameterOptions(rawValue: 1 << 16)
    /// A view's scale is squared.
    public static let flag_DisplaySquared = AudioUnitParameterOptions(rawValue: 2 << 16)
    /// A view's scale is cubed.
    public static let flag_DisplayCubed = AudioUnitParameterOptions(rawValue: 3 << 16)
    /// A view's scale is the cube root.
    public static let flag_DisplayCubeRoot = AudioUnitParameterOptions(rawValue: 4 << 16)
    /// A view's scale is exponential.
    public static let flag_DisplayExponential = AudioUnitParameterOptions(rawValue: 5 << 16)
    /// It belongs to a group of parameters.
    public static let flag_HasClump = AudioUnitParameterOptions(rawValue: 1 << 20)
    /// Its values have names.
    public static let flag_ValuesHaveStrings = AudioUnitParameterOptions(rawValue: 1 << 21)
    /// A view's scale is logarithmic.
    public static let flag_DisplayLogarithmic = AudioUnitParameterOptions(rawValue: 1 << 22)
    /// A view shows small steps.
    public static let flag_IsHighResolution = AudioUnitParameterOptions(rawValue: 1 << 23)
    /// It must not be set while the unit renders.
    public static let flag_NonRealTime = AudioUnitParameterOptions(rawValue: 1 << 24)
    /// A scheduled change may have a ramp.
    public static let flag_CanRamp = AudioUnitParameterOptions(rawValue: 1 << 25)
    /// Left out of a simple view.
    public static let flag_ExpertMode = AudioUnitParameterOptions(rawValue: 1 << 26)
    /// Used by Apple's C functions.
    public static let flag_HasCFNameString = AudioUnitParameterOptions(rawValue: 1 << 27)
    /// A change also changes other parameters of the unit.
    public static let flag_IsGlobalMeta = AudioUnitParameterOptions(rawValue: 1 << 28)
    /// A change also changes other parameters of the element.
    public static let flag_IsElementMeta = AudioUnitParameterOptions(rawValue: 1 << 29)
    /// Hosts may read it.
    public static let flag_IsReadable = AudioUnitParameterOptions(rawValue: 1 << 30)
    /// Hosts may set it.
    public static let flag_IsWritable = AudioUnitParameterOptions(rawValue: 1 << 31)
}
