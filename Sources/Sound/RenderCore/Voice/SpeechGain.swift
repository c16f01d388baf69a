/// Brings speech to an even loudness: at most 12 dB up and 6 dB down, 2 dB a second.
///
/// Only blocks of speech count, so that neither a pause nor the rest of an echo is raised. Switched off, the gain returns to 1.
struct SpeechGain {
    private var power: Float = 5e-3
    private(set) var gain: Float = 1

    @_noLocks @_noAllocation
    init() {}

    /// - Parameter cleaned: mean power of a block.
    @_noLocks @_noAllocation
    mutating func add(cleaned: Float, isSpeech: Bool, isEnabled: Bool) {
        // 2 dB a second.
        let step: Float = 1.0023
        guard isEnabled else {
            gain = gain > 1 ? max(gain / step, 1) : min(gain * step, 1)
            return
        }
        guard isSpeech else { return }
        power += (cleaned - power) / 50
        // -23 dBFS.
        let isQuiet = power * gain * gain < 5e-3
        gain = min(max(isQuiet ? gain * step : gain / step, 0.5), 4)
    }
}
