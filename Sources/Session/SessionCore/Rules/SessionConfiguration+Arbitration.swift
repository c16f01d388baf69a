package import AudioModel

/// What a claim's words mean to other claims.
extension SessionConfiguration {
    /// Sounds together with others, and neither interrupts them nor is interrupted by them; only calls interrupt it.
    package var isMixable: Bool {
        let options = ConfigurationRules.effectiveOptions(of: self)
        return category == .ambient || options.contains(.mixWithOthers) || options.contains(.duckOthers)
            || interruptsSpokenAudio
    }

    /// A conversation: no other non-mixable session may begin under it.
    package var isCallLike: Bool {
        switch mode {
        case .voiceChat, .videoChat, .gameChat: category == .playAndRecord
        case .default, .videoRecording, .measurement, .moviePlayback, .spokenAudio, .voicePrompt, .shortFormVideo,
            .dualRoute:
            false
        }
    }

    package var ducksOthers: Bool { ConfigurationRules.effectiveOptions(of: self).contains(.duckOthers) }

    /// The option is two bits; `mixWithOthers` is the other one.
    package var interruptsSpokenAudio: Bool {
        let ownBit = SessionOptions.interruptSpokenAudioAndMixWithOthers.subtracting(.mixWithOthers)
        return ConfigurationRules.effectiveOptions(of: self).contains(ownBit)
    }

    /// True when this one, being active, does not let `newcomer` become active.
    package func refuses(_ newcomer: SessionConfiguration) -> Bool {
        isCallLike && !newcomer.isCallLike && !isMixable && !newcomer.isMixable
    }

    /// True when this one, becoming active, ends the activity of `other`; a call ends that of sessions that mix, too.
    package func interrupts(_ other: SessionConfiguration) -> Bool {
        if isMixable { return interruptsSpokenAudio && other.mode == .spokenAudio }
        return isCallLike || !other.isMixable
    }

    /// True when a claim for the one says what a claim for the other says; the sharing policy is not part of it.
    func claimsLike(_ other: SessionConfiguration) -> Bool {
        category == other.category && mode == other.mode && options == other.options
    }
}
