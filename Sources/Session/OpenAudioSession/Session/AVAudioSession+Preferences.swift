internal import AudioModel
public import Foundation
internal import SessionCore
internal import SessionRuntime

// What an app prefers. Preferences are stored, read back, and forgotten with the sound server; they may be set
// before an activation or after it. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// Sets the preferred length of one cycle of the hardware, in seconds; 0 removes the preference.
    ///
    /// On PipeWire all streams request it (`node.latency`), including open ones. The server rounds it, runs all streams
    /// at the shortest length that any program requests, and may be configured to ignore requests. ``ioBufferDuration``
    /// returns the result. On a simulated machine the preference has no effect.
    ///
    /// - Throws: `badParam` for a negative duration or one that is not finite; `mediaServicesFailed` without a server.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try prefer { $0.ioBufferDuration = duration }
    }

    /// 0 until it is set.
    public var preferredIOBufferDuration: TimeInterval { runtime.state.preferredSettings.ioBufferDuration }

    /// The length of one cycle of the hardware in seconds: the maximum of the running streams.
    ///
    /// If none runs: the length that the next one will request, which is 1024 frames at 48 kHz unless the app has a
    /// preference. Waits for the session thread.
    public var ioBufferDuration: TimeInterval {
        let known = runtime.synchronously { $0.cycleSeconds } ?? 0
        if known > 0 { return known }
        let preferred = preferredIOBufferDuration
        return preferred > 0 ? preferred : 1024 / 48_000
    }

    /// Sets the preferred rate of the hardware, in hertz; 0 removes the preference.
    ///
    /// The preference is stored and read back only. The hardware keeps the rate that all programs share; see
    /// ``sampleRate``. Sound at other rates is converted.
    ///
    /// - Throws: `badParam` for a negative rate or one that is not finite; `mediaServicesFailed` without a server.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try prefer { $0.sampleRate = sampleRate }
    }

    /// 0 until it is set.
    public var preferredSampleRate: Double { runtime.state.preferredSettings.sampleRate }

    /// Sets whether the machine may vibrate and play its own sounds while the app records.
    ///
    /// The preference is stored and read back only. It does not affect other programs.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        try prefer { $0.allowsHapticsDuringRecording = inValue }
    }

    /// False until it is set.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool {
        runtime.state.preferredSettings.allowsHapticsDuringRecording
    }

    /// Sets whether alerts of the system, such as a ringing call, should not interrupt the app.
    ///
    /// The preference is stored and read back only. The sessions and roles of other programs determine interruptions.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try prefer { $0.prefersNoInterruptionsFromAlerts = inValue }
    }

    /// False until it is set.
    public var prefersNoInterruptionsFromSystemAlerts: Bool {
        runtime.state.preferredSettings.prefersNoInterruptionsFromAlerts
    }

    /// Sets whether the app supports content with more than two channels.
    ///
    /// The preference is stored and read back only. The route decides how many channels there are.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setSupportsMultichannelContent(_ inValue: Bool) throws {
        try prefer { $0.supportsMultichannelContent = inValue }
    }

    /// False until it is set.
    public var supportsMultichannelContent: Bool { runtime.state.preferredSettings.supportsMultichannelContent }

    /// Sets whether input and output should be one device.
    ///
    /// The server runs all devices in one graph, so the preference has no effect.
    ///
    /// - Throws: `incompatibleCategory` outside of `.playAndRecord` and `.multiRoute`.
    public func setAggregatedIOPreference(_ inIOType: IOType) throws {
        guard [.playAndRecord, .multiRoute].contains(category) else {
            throw NSError(
                SessionError(
                    .incompatibleCategory,
                    "The I/O type cannot be preferred in category \(category.rawValue). Allowed categories: "
                        + "playAndRecord, multiRoute. Set one of these first."))
        }
    }

    /// How an app would like input and output to be combined.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum IOType: UInt, Sendable {
        /// The app has no preference.
        case notSpecified = 0
        /// Input and output as one device; without effect, all devices are in one graph.
        case aggregated = 1
    }

    /// Sets the preferred settings with `change` made to them.
    func prefer(_ change: @escaping @Sendable (inout PreferredSettings) -> Void) throws {
        try perform { call, state in
            var preferred = state.preferredSettings
            change(&preferred)
            return .preferencesStated(call, preferred)
        }
    }
}
