import OpenAudioSession
import ProgramRuntime

/// The words for categories, modes and options: Apple's names without the type.
enum SessionWords {
    static let categories = WordList<AVAudioSession.Category>(
        noun: "category", SessionCategory.allCases.map { ($0.word, AVAudioSession.Category($0)) })

    static let modes = WordList<AVAudioSession.Mode>(
        noun: "mode", SessionMode.allCases.map { ($0.word, AVAudioSession.Mode($0)) })

    static let options = WordList<AVAudioSession.CategoryOptions>(
        noun: "option",
        SessionOptions.all.map { ($0.word, AVAudioSession.CategoryOptions(rawValue: $0.bits.rawValue)) })
}

/// The words for the types of outputs: short ones, and Apple's.
enum PortTypeWords {
    private static let entries: KeyValuePairs<String, AVAudioSession.Port> = [
        "headphones": .headphones, "speaker": .builtInSpeaker, "HDMI": .HDMI, "usb": .usbAudio, "line-out": .lineOut,
        "display-port": .displayPort, "bluetooth": .bluetoothA2DP, "bluetooth-hfp": .bluetoothHFP,
        "bluetooth-le": .bluetoothLE, "receiver": .builtInReceiver, "thunderbolt": .thunderbolt, "pci": .PCI,
        "firewire": .fireWire, "avb": .AVB, "airplay": .airPlay, "car": .carAudio, "virtual": .virtual,
    ]
    /// Apple's constants, and other common names.
    private static let others: KeyValuePairs<String, AVAudioSession.Port> = [
        "builtInSpeaker": .builtInSpeaker, "bluetoothA2DP": .bluetoothA2DP, "a2dp": .bluetoothA2DP,
        "hfp": .bluetoothHFP, "builtInReceiver": .builtInReceiver,
    ]

    /// The words that help texts and errors list.
    static var words: [String] { entries.map(\.key) }

    /// The type of a word, in any case and with or without hyphens.
    static func type(for word: String) -> AVAudioSession.Port? {
        let wanted = plain(word)
        return (Array(entries) + alsoKnown).first { plain($0.key) == wanted }?.value
    }

    private static var alsoKnown: [(key: String, value: AVAudioSession.Port)] {
        entries.map { (key: $0.value.rawValue, value: $0.value) } + Array(others)
    }

    /// - Throws: `WordError` if the word names no type of output.
    static func value(for word: String) throws(WordError) -> AVAudioSession.Port {
        guard let type = type(for: word) else {
            throw WordError(
                noun: "port type", received: word, allowed: words, alsoKnown: alsoKnown.map(\.key))
        }
        return type
    }

    /// The short word for a type.
    static func word(for type: AVAudioSession.Port) -> String {
        entries.first { $0.value == type }?.key ?? type.rawValue
    }

    private static func plain(_ word: String) -> String {
        word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
