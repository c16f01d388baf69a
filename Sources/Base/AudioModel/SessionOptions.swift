/// Options of a category.
///
/// The bits are those of `AVAudioSession.CategoryOptions`, so that the two convert without a table.
/// To add one: its constant, its row in `all`, and the public constant of `AVAudioSession.CategoryOptions`.
package struct SessionOptions: OptionSet, Hashable, Sendable, Codable {
    package let rawValue: UInt
    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let mixWithOthers = SessionOptions(rawValue: 0x1)
    package static let duckOthers = SessionOptions(rawValue: 0x2)
    package static let allowBluetoothHFP = SessionOptions(rawValue: 0x4)
    package static let defaultToSpeaker = SessionOptions(rawValue: 0x8)
    package static let interruptSpokenAudioAndMixWithOthers = SessionOptions(rawValue: 0x11)
    package static let allowBluetoothA2DP = SessionOptions(rawValue: 0x20)
    package static let allowAirPlay = SessionOptions(rawValue: 0x40)
    package static let overrideMutedMicrophoneInterruption = SessionOptions(rawValue: 0x80)
    package static let farFieldInput = SessionOptions(rawValue: 1 << 18)
    package static let bluetoothHighQualityRecording = SessionOptions(rawValue: 1 << 19)

    /// Every option, in the order of the bits.
    ///
    /// Source: Apple documentation and SDK headers (iOS 27), `AVAudioSessionTypes.h`, `AVAudioSessionCategoryOptions`.
    package static let all: [SessionOption] = [
        SessionOption(.mixWithOthers, "mixWithOthers", in: [.playback, .multiRoute], alwaysIn: [.ambient]),
        SessionOption(.duckOthers, "duckOthers", in: [.ambient, .playback, .multiRoute]),
        SessionOption(.allowBluetoothHFP, "allowBluetoothHFP", in: [.record]),
        SessionOption(.defaultToSpeaker, "defaultToSpeaker", in: []),
        SessionOption(
            .interruptSpokenAudioAndMixWithOthers, "interruptSpokenAudioAndMixWithOthers", in: [.playback, .multiRoute]),
        SessionOption(
            .allowBluetoothA2DP, "allowBluetoothA2DP", in: [], alwaysIn: [.ambient, .soloAmbient, .playback]),
        SessionOption(.allowAirPlay, "allowAirPlay", in: [], alwaysIn: [.ambient, .soloAmbient, .playback]),
        SessionOption(
            .overrideMutedMicrophoneInterruption, "overrideMutedMicrophoneInterruption", in: [.record, .multiRoute]),
        SessionOption(.farFieldInput, "farFieldInput", in: [.record]),
        SessionOption(.bluetoothHighQualityRecording, "bluetoothHighQualityRecording", in: []),
    ]
}

/// What is known of one option.
package struct SessionOption: Sendable {
    package let bits: SessionOptions
    /// Claims, traces, scenes, messages and the command line have it (`SessionWord`).
    package let word: String
    /// The categories with which an app may set it; `playAndRecord` takes every option.
    let categories: [SessionCategory]
    /// The categories that always have it; an app may set it there, too.
    let automaticCategories: [SessionCategory]

    init(
        _ bits: SessionOptions, _ word: String, in categories: [SessionCategory],
        alwaysIn automaticCategories: [SessionCategory] = []
    ) {
        self.bits = bits
        self.word = word
        self.categories = [.playAndRecord] + categories
        self.automaticCategories = automaticCategories
    }
}

extension SessionOptions {
    package static var words: [String] { all.map(\.word) }

    /// The bits that mean something.
    package static let known = bits { _ in true }

    /// The options that an app may set with a category.
    ///
    /// Automatic options are among them. (Apple's simulator takes them; of its devices, one is reported to refuse
    /// `allowAirPlay` with `playback`.)
    package static func settable(with category: SessionCategory) -> SessionOptions {
        bits { $0.categories.contains(category) || $0.automaticCategories.contains(category) }
    }

    /// The options that are always on in a category.
    package static func automatic(in category: SessionCategory) -> SessionOptions {
        automaticBits[category] ?? []
    }

    private static let automaticBits = Dictionary(
        uniqueKeysWithValues: SessionCategory.allCases.map { category in
            (category, bits { $0.automaticCategories.contains(category) })
        })

    // Without an array: claims ask for the allowed options.
    private static func bits(where fits: (SessionOption) -> Bool) -> SessionOptions {
        all.reduce(into: []) { if fits($1) { $0.formUnion($1.bits) } }
    }

    /// Words that name no option are left out.
    package init(words: some Sequence<String>) {
        self.init(words.compactMap { word in Self.all.first { $0.word == word }?.bits })
    }

    /// In the order of the bits; bits without a meaning have no word.
    package var words: [String] {
        Self.all.filter { option in
            // `interruptSpokenAudioAndMixWithOthers` is two bits; `mixWithOthers` is the other one.
            let own = option.bits == .mixWithOthers ? option.bits : option.bits.subtracting(.mixWithOthers)
            return contains(own)
        }.map(\.word)
    }
}
