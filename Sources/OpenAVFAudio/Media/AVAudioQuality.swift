/// The quality of an encoder or a rate converter; higher quality costs size or time.
///
/// Source: SDK header AVAudioSettings.h.
public enum AVAudioQuality: Int, Sendable {
    /// The smallest files.
    case min = 0
    /// Smaller files than `medium`.
    case low = 0x20
    /// The middle of the encoder's range.
    case medium = 0x40
    /// Larger files than `medium`, with less loss.
    case high = 0x60
    /// The largest files, with the least loss.
    case max = 0x7F
}
