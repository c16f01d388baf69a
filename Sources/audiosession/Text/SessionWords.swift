import OpenAVFAudio

/// The words for categories, modes and options: Apple's names without the type.
enum SessionWords {
    static let categories = WordList<AVAudioSession.Category>(
        noun: "category",
        [
            "ambient": .ambient, "soloAmbient": .soloAmbient, "playback": .playback, "record": .record,
            "playAndRecord": .playAndRecord, "multiRoute": .multiRoute,
        ])

    static let modes = WordList<AVAudioSession.Mode>(
        noun: "mode",
        [
            "default": .default, "voiceChat": .voiceChat, "gameChat": .gameChat, "videoRecording": .videoRecording,
            "measurement": .measurement, "moviePlayback": .moviePlayback, "videoChat": .videoChat,
            "spokenAudio": .spokenAudio, "voicePrompt": .voicePrompt, "shortFormVideo": .shortFormVideo,
            "dualRoute": .dualRoute,
        ])

    static let options = WordList<AVAudioSession.CategoryOptions>(
        noun: "option",
        [
            "mixWithOthers": .mixWithOthers, "duckOthers": .duckOthers,
            "interruptSpokenAudioAndMixWithOthers": .interruptSpokenAudioAndMixWithOthers,
            "allowBluetoothHFP": .allowBluetoothHFP, "allowBluetoothA2DP": .allowBluetoothA2DP,
            "allowAirPlay": .allowAirPlay, "defaultToSpeaker": .defaultToSpeaker,
            "overrideMutedMicrophoneInterruption": .overrideMutedMicrophoneInterruption,
            "farFieldInput": .farFieldInput, "bluetoothHighQualityRecording": .bluetoothHighQualityRecording,
        ])
}

/// The words for the types of outputs: short ones, and Apple's.
enum PortTypeWords {
    private struct Entry {
        var word: String
        var type: AVAudioSession.Port
        /// Apple's constant, and other common names.
        var others: [String] = []
    }

    private static let entries: [Entry] = [
        .init(word: "headphones", type: .headphones),
        .init(word: "speaker", type: .builtInSpeaker, others: ["builtInSpeaker"]),
        .init(word: "HDMI", type: .HDMI),
        .init(word: "usb", type: .usbAudio),
        .init(word: "line-out", type: .lineOut),
        .init(word: "display-port", type: .displayPort),
        .init(word: "bluetooth", type: .bluetoothA2DP, others: ["bluetoothA2DP", "a2dp"]),
        .init(word: "bluetooth-hfp", type: .bluetoothHFP, others: ["hfp"]),
        .init(word: "bluetooth-le", type: .bluetoothLE),
        .init(word: "receiver", type: .builtInReceiver, others: ["builtInReceiver"]),
        .init(word: "thunderbolt", type: .thunderbolt),
        .init(word: "pci", type: .PCI),
        .init(word: "firewire", type: .fireWire),
        .init(word: "avb", type: .AVB),
        .init(word: "airplay", type: .airPlay),
        .init(word: "car", type: .carAudio),
        .init(word: "virtual", type: .virtual),
    ]

    /// The words that help texts and errors list.
    static var words: [String] { entries.map(\.word) }

    /// The type of a word, in any case and with or without hyphens.
    static func type(for word: String) -> AVAudioSession.Port? {
        let wanted = plain(word)
        return entries.first { entry in
            ([entry.word, entry.type.rawValue] + entry.others).contains { plain($0) == wanted }
        }?.type
    }

    /// - Throws: `WordError` if the word names no type of output.
    static func value(for word: String) throws(WordError) -> AVAudioSession.Port {
        guard let type = type(for: word) else {
            throw WordError(
                noun: "port type", received: word, allowed: words,
                alsoKnown: entries.flatMap { [$0.type.rawValue] + $0.others })
        }
        return type
    }

    /// The short word for a type.
    static func word(for type: AVAudioSession.Port) -> String {
        entries.first { $0.type == type }?.word ?? type.rawValue
    }

    private static func plain(_ word: String) -> String {
        word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
