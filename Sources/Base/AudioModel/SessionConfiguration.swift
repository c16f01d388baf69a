/// What an app says about its sound: category, mode, options, sharing policy.
package struct SessionConfiguration: Hashable, Sendable, Codable {
    package var category: SessionCategory
    package var mode: SessionMode
    package var options: SessionOptions
    package var policy: SessionPolicy

    package init(
        category: SessionCategory = .soloAmbient, mode: SessionMode = .default, options: SessionOptions = [],
        policy: SessionPolicy = .default
    ) {
        self.category = category
        self.mode = mode
        self.options = options
        self.policy = policy
    }
}

package enum SessionCategory: String, Sendable, CaseIterable, Codable {
    case ambient, soloAmbient, playback, record, playAndRecord, multiRoute
}

package enum SessionMode: String, Sendable, CaseIterable, Codable {
    case `default`, voiceChat, gameChat, videoRecording, measurement, moviePlayback, videoChat, spokenAudio
    case voicePrompt, shortFormVideo, dualRoute
}

/// The raw values are those of `AVAudioSession.RouteSharingPolicy`.
package enum SessionPolicy: UInt, Sendable, CaseIterable, Codable {
    case `default`, longFormAudio, independent, longFormVideo
}

/// The bits are those of `AVAudioSession.CategoryOptions`, so that the two convert without a table.
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
}
