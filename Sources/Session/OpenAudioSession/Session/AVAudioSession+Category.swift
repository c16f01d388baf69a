package import AudioModel
internal import Foundation

extension AVAudioSession {
    /// The role of sound in an app.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0); raw values equal the Objective-C symbols.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Output only; mixes with other apps.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Output only; interrupts other apps.
        ///
        /// The default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Output only, for sound that is central to the app.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Input only.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Input and output.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// All wired outputs at once, with their channels in the order in which the devices arrived, and the input that
        /// arrived last.
        ///
        /// Rules: docs/behaviours.md, 70, 71 and 72.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
        /// Deprecated by Apple; `setCategory` throws `badParam`.
        @available(*, deprecated, message: "processing needs no category")
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
    }
}

extension AVAudioSession.Category {
    package init(_ category: SessionCategory) {
        self.init(rawValue: symbol("AVAudioSessionCategory", category.rawValue))
    }
}

extension SessionCategory {
    /// - Throws: `NSError` with `badParam` for a raw value that names none.
    init(_ category: AVAudioSession.Category) throws {
        self = try known(category.rawValue, of: "category") { AVAudioSession.Category($0).rawValue }
    }
}

/// Apple's symbol for a value: "AVAudioSessionMode" and "voiceChat" make "AVAudioSessionModeVoiceChat".
func symbol(_ prefix: String, _ name: String) -> String { prefix + name.prefix(1).uppercased() + name.dropFirst() }

/// The value that a symbol names.
///
/// - Throws: `NSError` with `badParam` if it names none.
func known<Value: CaseIterable>(_ symbol: String, of what: String, by symbolOf: (Value) -> String) throws -> Value {
    if let value = Value.allCases.first(where: { symbolOf($0) == symbol }) { return value }
    throw NSError(
        SessionError(
            .badParam,
            "\"\(symbol)\" is not a known \(what). Use a constant of AVAudioSession.\(what.capitalized), "
                + "that is one of: \(Value.allCases.map(symbolOf).joined(separator: ", "))."))
}

extension AVAudioSession {
    /// Options of a category; not every category accepts every option.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0, 27).
    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        init(_ options: SessionOptions) { self.init(rawValue: options.rawValue) }

        /// The session plays together with others and interrupts none of them.
        public static let mixWithOthers = CategoryOptions(.mixWithOthers)
        /// Implies mixing.
        public static let duckOthers = CategoryOptions(.duckOthers)
        /// Headsets in the hands-free profile (mono, with microphone) may be in the route of a category that records.
        public static let allowBluetoothHFP = CategoryOptions(.allowBluetoothHFP)
        /// The older name of ``allowBluetoothHFP``: the same bit.
        @available(*, deprecated, renamed: "allowBluetoothHFP")
        public static let allowBluetooth = CategoryOptions(.allowBluetoothHFP)
        /// In `playAndRecord` the built-in output is the speaker and not the receiver at the ear.
        public static let defaultToSpeaker = CategoryOptions(.defaultToSpeaker)
        /// Contains the bit of ``mixWithOthers``.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(.interruptSpokenAudioAndMixWithOthers)
        /// Bluetooth headphones with stereo output and no microphone may be in the route.
        public static let allowBluetoothA2DP = CategoryOptions(.allowBluetoothA2DP)
        /// AirPlay outputs may be in the route.
        public static let allowAirPlay = CategoryOptions(.allowAirPlay)
        /// Keeps the session when the microphone is muted; without effect, a muted source never interrupts here.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(.overrideMutedMicrophoneInterruption)
        /// Also requires ``allowBluetoothHFP``.
        public static let farFieldInput = CategoryOptions(.farFieldInput)
        /// Asks a Bluetooth microphone for more bandwidth; checked against the category, without effect on the sound.
        public static let bluetoothHighQualityRecording = CategoryOptions(.bluetoothHighQualityRecording)
    }
}

extension AVAudioSession {
    /// The use of a category: speech, film, measurement and so on.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0, 27); raw values equal the Objective-C symbols.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Valid with every category.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Two-way voice; `.playAndRecord` only.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// Voice in a game; `.playAndRecord` only.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Recording a film; `.playAndRecord` or `.record`.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// As little signal processing as possible.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// Playing a film; `.playback` only.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Two-way video; `.playAndRecord` only.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Long speech: paused, not ducked, when another app speaks.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// Short spoken prompts.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
        /// Short films; `.playback` only.
        public static let shortFormVideo = Mode(rawValue: "AVAudioSessionModeShortFormVideo")
        /// A second route in addition to the built-in one; `.multiRoute` only, and refused on Linux.
        public static let dualRoute = Mode(rawValue: "AVAudioSessionModeDualRoute")
    }
}

extension AVAudioSession.Mode {
    package init(_ mode: SessionMode) { self.init(rawValue: symbol("AVAudioSessionMode", mode.rawValue)) }
}

extension SessionMode {
    /// - Throws: `NSError` with `badParam` for a raw value that names none.
    init(_ mode: AVAudioSession.Mode) throws {
        self = try known(mode.rawValue, of: "mode") { AVAudioSession.Mode($0).rawValue }
    }
}

extension AVAudioSession {
    /// Whether the app shares its route with other apps' long-form sound.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteSharingPolicy: UInt, Sendable {
        /// The app follows the route that its category needs; the only policy with an effect here.
        case `default` = 0
        /// For music and podcasts on iOS; checked against the category and kept, changes no route.
        case longFormAudio = 1
        /// Set by the system only.
        case independent = 2
        /// For films on iOS; checked against the category and kept, changes no route.
        case longFormVideo = 3

        /// The older name of ``longFormAudio``.
        @available(*, deprecated, renamed: "longFormAudio")
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }
}
