internal import AudioModel

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
    }
}

extension AVAudioSession.Category {
    init(_ category: SessionCategory) {
        switch category {
        case .ambient: self = .ambient
        case .soloAmbient: self = .soloAmbient
        case .playback: self = .playback
        case .record: self = .record
        case .playAndRecord: self = .playAndRecord
        case .multiRoute: self = .multiRoute
        }
    }
}

extension SessionCategory {
    /// - Throws: `NSError` with `badParam` for a raw value that names none.
    init(_ category: AVAudioSession.Category) throws {
        guard let known = Self.allCases.first(where: { AVAudioSession.Category($0) == category }) else {
            let allowed = Self.allCases.map { AVAudioSession.Category($0).rawValue }
            throw unknownValue(category.rawValue, of: "category", allowed: allowed)
        }
        self = known
    }
}
