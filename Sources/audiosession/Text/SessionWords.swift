import AudioModel

/// The words for categories, modes and options: Apple's names without the type in front.
enum SessionWords {
    static let categories = WordList<SessionCategory>(
        noun: "category", entries: SessionCategory.allCases.map { .init(word: "\($0)", value: $0) })

    static let modes = WordList<SessionMode>(
        noun: "mode", entries: SessionMode.allCases.map { .init(word: "\($0)", value: $0) })

    static let options = WordList<SessionOptions>(
        noun: "option",
        entries: [
            .init(word: "mixWithOthers", value: .mixWithOthers),
            .init(word: "duckOthers", value: .duckOthers),
            .init(word: "interruptSpokenAudioAndMixWithOthers", value: .interruptSpokenAudioAndMixWithOthers),
            .init(word: "allowBluetoothHFP", value: .allowBluetoothHFP),
            .init(word: "allowBluetoothA2DP", value: .allowBluetoothA2DP),
            .init(word: "allowAirPlay", value: .allowAirPlay),
            .init(word: "defaultToSpeaker", value: .defaultToSpeaker),
            .init(word: "overrideMutedMicrophoneInterruption", value: .overrideMutedMicrophoneInterruption),
            .init(word: "farFieldInput", value: .farFieldInput),
            .init(word: "bluetoothHighQualityRecording", value: .bluetoothHighQualityRecording),
        ])

    /// The words of the options that are set, in the order of the list.
    static func words(of set: SessionOptions) -> [String] {
        options.entries.filter { set.isSuperset(of: $0.value) }.map(\.word)
    }
}
