import AVFAudio

/// The words for the types of devices, as `audiosession` has them.
enum Words {
    private static let types: KeyValuePairs<String, AVAudioSession.Port> = [
        "headphones": .headphones, "speaker": .builtInSpeaker, "hdmi": .HDMI, "usb": .usbAudio, "lineout": .lineOut,
        "displayport": .displayPort, "bluetooth": .bluetoothA2DP, "bluetoothhfp": .bluetoothHFP,
        "bluetoothle": .bluetoothLE, "receiver": .builtInReceiver, "thunderbolt": .thunderbolt, "pci": .PCI,
        "firewire": .fireWire, "avb": .AVB, "airplay": .airPlay, "car": .carAudio, "virtual": .virtual,
    ]

    /// In any case, with or without hyphens; Apple's own words are taken too.
    static func portType(_ word: String) -> AVAudioSession.Port {
        let plain = word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
        return types.first { $0.key == plain || $0.value.rawValue.lowercased() == plain }?.value
            ?? AVAudioSession.Port(rawValue: word)
    }
}

extension String {
    /// Without control characters: the name of a device comes from outside, and could reprogram the terminal.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
                    // The joiners shape letters and emoji.
                    case .format where scalar != "\u{200C}" && scalar != "\u{200D}": "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
