internal import AudioModel
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
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
        /// Deprecated by Apple; `setCategory` throws `badParam`.
        @available(*, deprecated, message: "processing needs no category")
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
    }
}

extension AVAudioSession.Category {
    init(_ category: SessionCategory) { self.init(rawValue: symbol("AVAudioSessionCategory", category.rawValue)) }
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
