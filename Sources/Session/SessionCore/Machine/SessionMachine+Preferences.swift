internal import AudioModel

/// What the app prefers of the hardware; no decision of the session depends on it.
package struct PreferredSettings: Hashable, Sendable, Codable {
    /// Seconds of one cycle; 0: no preference.
    package var ioBufferDuration = 0.0
    /// Hertz; 0: no preference.
    package var sampleRate = 0.0
    package var allowsHapticsDuringRecording = false
    package var prefersNoInterruptionsFromAlerts = false
    package var supportsMultichannelContent = false
    package var prefersEchoCancelledInput = false
    /// The raw value of `AVAudioSession.StereoOrientation`.
    package var inputOrientation = 0

    package init() {}
}

extension SessionMachine {
    mutating func setPreferred(_ preferred: PreferredSettings) throws(SessionError) -> [SessionEffect] {
        guard isAmount(preferred.ioBufferDuration) else {
            throw SessionError(
                .badParam,
                "A buffer of \(preferred.ioBufferDuration) seconds cannot be preferred. Allowed: 0 (no preference) "
                    + "and every finite duration above. Choose one, 0.005 for instance.")
        }
        guard isAmount(preferred.sampleRate) else {
            throw SessionError(
                .badParam,
                "A sample rate of \(preferred.sampleRate) Hz cannot be preferred. Allowed: 0 (no preference) and "
                    + "every finite rate above. Choose one, 48000 for instance.")
        }
        let before = state.preferredSettings
        state.requested.preferredSettings = preferred
        let isNewCycle = preferred.ioBufferDuration != before.ioBufferDuration
        return isNewCycle ? [.preferCycle(seconds: preferred.ioBufferDuration)] : []
    }

    private func isAmount(_ value: Double) -> Bool { value.isFinite && value >= 0 }
}
