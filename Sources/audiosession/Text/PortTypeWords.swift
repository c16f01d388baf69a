import AudioModel
import OpenAVFAudio

/// The words for kinds of outputs: short ones of ours, and Apple's.
enum PortTypeWords {
    private struct Entry {
        var word: String
        var kind: PortKind
        /// Apple's constant, and what else people say.
        var others: [String] = []
    }

    private static let entries: [Entry] = [
        .init(word: "headphones", kind: .headphones),
        .init(word: "speaker", kind: .builtInSpeaker, others: ["builtInSpeaker"]),
        .init(word: "HDMI", kind: .hdmi),
        .init(word: "usb", kind: .usbAudio),
        .init(word: "line-out", kind: .lineOut),
        .init(word: "display-port", kind: .displayPort),
        .init(word: "bluetooth", kind: .bluetoothA2DP, others: ["bluetoothA2DP", "a2dp"]),
        .init(word: "bluetooth-hfp", kind: .bluetoothHFP, others: ["hfp"]),
        .init(word: "bluetooth-le", kind: .bluetoothLE),
        .init(word: "receiver", kind: .builtInReceiver, others: ["builtInReceiver"]),
        .init(word: "thunderbolt", kind: .thunderbolt),
        .init(word: "pci", kind: .pci),
        .init(word: "firewire", kind: .fireWire),
        .init(word: "avb", kind: .avb),
        .init(word: "airplay", kind: .airPlay),
        .init(word: "car", kind: .carAudio),
        .init(word: "virtual", kind: .virtual),
    ]

    /// Those that help texts and errors list.
    static var words: [String] { entries.map(\.word) }

    /// The kind that a word stands for, in any case and with or without hyphens.
    static func kind(for word: String) -> PortKind? {
        let wanted = plain(word)
        return entries.first { entry in
            ([entry.word, rawValue(entry.kind)] + entry.others).contains { plain($0) == wanted }
        }?.kind
    }

    /// - Throws: `WordError` where the word stands for no kind of output.
    static func value(for word: String) throws(WordError) -> PortKind {
        guard let kind = kind(for: word) else {
            throw WordError(
                noun: "port type", received: word, allowed: words,
                alsoKnown: entries.flatMap { [rawValue($0.kind)] + $0.others })
        }
        return kind
    }

    /// The raw value of `AVAudioSession.Port`.
    static func rawValue(_ kind: PortKind) -> String { AVAudioSession.Port(kind).rawValue }

    /// The word of ours for a kind, which a person can type.
    static func word(for kind: PortKind) -> String {
        entries.first { $0.kind == kind }?.word ?? rawValue(kind)
    }

    private static func plain(_ word: String) -> String {
        word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
