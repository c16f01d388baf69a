extension AVAudioSession {
    /// Options of a category; not every category accepts every option.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0, 27).
    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Implies mixing.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The older name of ``allowBluetoothHFP``: the same bit.
        @available(*, deprecated, renamed: "allowBluetoothHFP")
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Contains the bit of ``mixWithOthers``.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// Also requires ``allowBluetoothHFP``.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }
}
