public import CAudioTypes

/// The codes of errors about manual rendering.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingError: OSStatus, Sendable {
    /// The engine is not in the mode that this needs.
    case invalidMode = -80800
    /// The engine runs, and must not.
    case initialized = -80801
    /// The engine does not run, and must.
    case notRunning = -80802
}
