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
