/// How a rate conversion treats the time before and after the input.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    case pre = 0
    /// Silence before and after; no delay.
    case normal = 1
    case none = 2
}
