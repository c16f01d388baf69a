/// The result of a request for frames.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
    case error = -1
    case success = 0
    /// The input node had too few frames.
    case insufficientDataFromInputNode = 1
    /// Not now; ask again.
    case cannotDoInCurrentContext = 2
}
