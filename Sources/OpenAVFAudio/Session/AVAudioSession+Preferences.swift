public import Foundation
internal import SessionCore

// What an app would like. Wishes are remembered, read back, and forgotten with the sound server; they may be stated
// before an activation or after it. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// Says how long one cycle of the hardware should be, in seconds; 0 takes the wish back.
    ///
    /// On PipeWire the streams ask for it (`node.latency`), those that are open too. The server rounds to its own steps,
    /// runs all its streams at the shortest that any program asks for, and may be set up to refuse; what came of it is
    /// ``ioBufferDuration``. On a simulated machine the wish changes nothing.
    ///
    /// - Throws: `badParam` for a negative duration or one that is not finite; `mediaServicesFailed` without a server.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try prefer { $0.ioBufferDuration = duration }
    }

    /// 0 until it is set.
    public var preferredIOBufferDuration: TimeInterval { runtime.state.preferredSettings.ioBufferDuration }

    /// Seconds of one cycle of the hardware: the longest of the streams that run.
    ///
    /// Where none does: what the next one will ask for, which is 1024 frames at 48 kHz unless the app has a wish.
    /// Waits for the session thread.
    public var ioBufferDuration: TimeInterval {
        let known = runtime.synchronously { $0.cycleSeconds } ?? 0
        if known > 0 { return known }
        let preferred = preferredIOBufferDuration
        return preferred > 0 ? preferred : 1024 / 48_000
    }

    /// Says at which rate the hardware should run, in hertz; 0 takes the wish back.
    ///
    /// A preference that is stored and read back: the hardware keeps the rate that all programs share, as ``sampleRate``
    /// says, and what is played or recorded at another one is converted.
    ///
    /// - Throws: `badParam` for a negative rate or one that is not finite; `mediaServicesFailed` without a server.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try prefer { $0.sampleRate = sampleRate }
    }

    /// 0 until it is set.
    public var preferredSampleRate: Double { runtime.state.preferredSettings.sampleRate }

    /// Says whether the machine may vibrate and play its own sounds while the app records.
    ///
    /// A wish that is remembered and read back: nothing here keeps other programs from doing so.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        try prefer { $0.allowsHapticsDuringRecording = inValue }
    }

    /// False until it is set.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool {
        runtime.state.preferredSettings.allowsHapticsDuringRecording
    }

    /// Says whether the system's alerts, a ringing call for one, should leave the app alone.
    ///
    /// A wish that is remembered and read back: what interrupts is the other programs' sessions and their roles.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try prefer { $0.prefersNoInterruptionsFromAlerts = inValue }
    }

    /// False until it is set.
    public var prefersNoInterruptionsFromSystemAlerts: Bool {
        runtime.state.preferredSettings.prefersNoInterruptionsFromAlerts
    }

    /// The machine's volume as Apple's apps see it: always 1 here.
    ///
    /// Each device and each program has a volume of its own on Linux, and they belong to the user's mixer.
    public var outputVolume: Float { 1 }

    /// Sets the preferred settings with `change` made to them.
    private func prefer(_ change: @escaping @Sendable (inout PreferredSettings) -> Void) throws {
        try perform { call, state in
            var preferred = state.preferredSettings
            change(&preferred)
            return .preferencesStated(call, preferred)
        }
    }
}
