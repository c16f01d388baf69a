/// How far a buffer has come when its completion handler is called.
///
/// Source: SDK header AVAudioPlayerNode.h.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player has taken all of it; it may not have begun to sound.
    case dataConsumed = 0
    /// Its last frame has been rendered.
    case dataRendered = 1
    /// Its last frame has been heard: rendered, and the device's latency later.
    case dataPlayedBack = 2
}
