/// The sound server that ``AVAudioSession/sharedInstance()`` talks to.
///
/// Not in Apple's API: there is but one there.
///
/// Without a call of ``select(_:)``, the environment variable `AUDIOSESSION_HOST` decides: `pipewire`, `simulated` or
/// `auto`, which is the default.
///
/// Source: ours.
public enum AudioSessionHost: String, Hashable, Sendable, CaseIterable {
    /// PipeWire where a server answers, else the simulated host; which, is said once on the standard error.
    case automatic = "auto"
    /// PipeWire and nothing else.
    case pipeWire = "pipewire"
    /// Devices and time that exist in this process only; nothing sounds.
    case simulated

    /// Connects the program's session to a host now, whatever the environment says.
    ///
    /// Any thread.
    ///
    /// To be called before the first ``AVAudioSession/sharedInstance()``.
    ///
    /// - Throws: ``AudioSessionHostError``: `sessionExists` when it comes too late, `unavailable` when the host cannot
    ///   be had; then nothing has changed and another may be selected.
    public static func select(_ host: AudioSessionHost) throws {
        try SharedSession.ofProgram.select(host)
    }
}
