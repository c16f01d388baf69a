/// The stage of a buffer when its completion handler is called.
///
/// Source: SDK header AVAudioPlayerNode.h.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player has consumed all of it; it may not be audible yet.
    case dataConsumed = 0
    /// Its last frame has been rendered.
    case dataRendered = 1
    /// Its last frame has been heard: rendered, plus the device's latency.
    case dataPlayedBack = 2
}
