/// Who asks an engine for frames that no device asks for.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
    /// `renderOffline`, as fast as it goes.
    case offline = 0
    /// `manualRenderingBlock`, by somebody's clock.
    case realtime = 1
}
