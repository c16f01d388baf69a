public import CAudioTypes

/// The error codes of manual rendering.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingError: OSStatus, Sendable {
    /// The engine is not in the required mode.
    case invalidMode = -80800
    /// The engine runs, but must be stopped.
    case initialized = -80801
    /// The engine does not run, but must run.
    case notRunning = -80802
}
