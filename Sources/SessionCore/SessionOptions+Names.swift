internal import AudioModel

extension SessionOptions {
    /// Every known bit with its name; 0x10 is the bit that `interruptSpokenAudioAndMixWithOthers` adds to mixing.
    private static let named: [(bit: SessionOptions, name: String)] = [
        (.mixWithOthers, "mixWithOthers"),
        (.duckOthers, "duckOthers"),
        (.allowBluetoothHFP, "allowBluetoothHFP"),
        (.defaultToSpeaker, "defaultToSpeaker"),
        (SessionOptions(rawValue: 0x10), "interruptSpokenAudioAndMixWithOthers"),
        (.allowBluetoothA2DP, "allowBluetoothA2DP"),
        (.allowAirPlay, "allowAirPlay"),
        (.overrideMutedMicrophoneInterruption, "overrideMutedMicrophoneInterruption"),
        (.farFieldInput, "farFieldInput"),
        (.bluetoothHighQualityRecording, "bluetoothHighQualityRecording"),
    ]

    /// The bits that mean something.
    static let known = SessionOptions(named.map(\.bit))

    /// The options' names in the order of their bits; bits without a meaning appear as one hexadecimal number.
    var names: [String] {
        var names = Self.named.filter { contains($0.bit) }.map(\.name)
        let unknown = subtracting(Self.known)
        if !unknown.isEmpty { names.append("0x" + String(unknown.rawValue, radix: 16)) }
        return names
    }
}
