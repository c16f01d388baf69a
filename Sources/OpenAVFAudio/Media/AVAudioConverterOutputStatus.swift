/// The result of a conversion.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output buffer is full, or holds the last frames of the stream.
    case haveData = 0
    /// The input block had no more data. The output buffer holds the converted frames, possibly none.
    case inputRanDry = 1
    /// The stream has ended, and the output buffer is empty.
    case endOfStream = 2
    /// Nothing was converted; see the error.
    case error = 3
}
