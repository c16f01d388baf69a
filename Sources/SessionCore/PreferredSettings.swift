/// What the app prefers of the hardware; no decision of the session depends on it.
package struct PreferredSettings: Hashable, Sendable {
    /// Seconds of one cycle; 0: no preference.
    package var ioBufferDuration = 0.0
    /// Hertz; 0: no preference.
    package var sampleRate = 0.0
    package var allowsHapticsDuringRecording = false
    package var prefersNoInterruptionsFromAlerts = false

    package init() {}
}
