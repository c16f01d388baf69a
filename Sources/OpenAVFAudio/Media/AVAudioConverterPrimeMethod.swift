/// How a rate conversion treats the time before and after the input.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    /// Without effect: treated as `normal`.
    case pre = 0
    /// Silence before and after; no delay.
    case normal = 1
    /// Without effect: treated as `normal`.
    case none = 2
}
