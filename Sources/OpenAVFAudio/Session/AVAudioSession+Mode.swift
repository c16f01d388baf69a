internal import AudioModel

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
    init(_ mode: SessionMode) { self.init(rawValue: symbol("AVAudioSessionMode", mode.rawValue)) }
}

extension SessionMode {
    /// - Throws: `NSError` with `badParam` for a raw value that names none.
    init(_ mode: AVAudioSession.Mode) throws {
        self = try known(mode.rawValue, of: "mode") { AVAudioSession.Mode($0).rawValue }
    }
}
