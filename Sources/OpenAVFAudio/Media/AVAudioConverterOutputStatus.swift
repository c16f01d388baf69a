/// How far a conversion came.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output buffer is full, or holds the last frames of the stream.
    case haveData = 0
    /// The input block had nothing more; the output buffer holds what could be converted, perhaps nothing.
    case inputRanDry = 1
    /// The stream is over, and the output buffer is empty.
    case endOfStream = 2
    /// Nothing was converted; see the error.
    case error = 3
}
