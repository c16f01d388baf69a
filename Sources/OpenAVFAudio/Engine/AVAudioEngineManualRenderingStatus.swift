/// The result of a request for frames.
///
/// Source: SDK header AVAudioEngine.h.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
    /// Nothing was rendered; the error pointer has the code.
    case error = -1
    /// All requested frames were rendered.
    case success = 0
    /// The input node had too few frames.
    case insufficientDataFromInputNode = 1
    /// Not now; ask again.
    case cannotDoInCurrentContext = 2
}
