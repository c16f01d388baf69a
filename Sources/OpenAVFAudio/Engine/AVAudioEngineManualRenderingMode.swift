/// How the app requests frames in manual rendering.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
    /// `renderOffline`, as fast as possible.
    case offline = 0
    /// `manualRenderingBlock`, in real time.
    case realtime = 1
}
