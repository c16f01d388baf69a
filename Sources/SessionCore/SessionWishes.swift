/// What an app would like of the machine; the session's decisions do not depend on it.
package struct SessionWishes: Hashable, Sendable {
    /// Seconds of one cycle; 0 is no wish.
    package var ioBufferDuration = 0.0
    /// Hertz; 0 is no wish.
    package var sampleRate = 0.0
    package var allowsHapticsDuringRecording = false
    package var prefersNoInterruptionsFromAlerts = false

    package init() {}
}
