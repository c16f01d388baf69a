extension AVAudioSession {
    /// Options of a category; not every category accepts every option.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0, 27).
    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The session plays together with others and interrupts none of them.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Implies mixing.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Headsets in the hands-free profile (mono, with microphone) may be in the route of a category that records.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The older name of ``allowBluetoothHFP``: the same bit.
        @available(*, deprecated, renamed: "allowBluetoothHFP")
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// In `playAndRecord` the built-in output is the speaker and not the receiver at the ear.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Contains the bit of ``mixWithOthers``.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Bluetooth headphones with stereo output and no microphone may be in the route.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// AirPlay outputs may be in the route; checked against the category, changes no route yet.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Keeps the session when the microphone is muted; without effect, a muted source never interrupts here.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// Also requires ``allowBluetoothHFP``.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        /// Asks a Bluetooth microphone for more bandwidth; checked against the category, without effect on the sound.
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }
}
