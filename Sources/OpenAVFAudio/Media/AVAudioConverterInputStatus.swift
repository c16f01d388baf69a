/// The status of an `AVAudioConverterInputBlock`.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// The returned buffer is the next input.
    case haveData = 0
    /// No data now, but there may be more later.
    case noDataNow = 1
    /// The input has ended.
    case endOfStream = 2
}

/// Returns the next input: it gets the number of requested frames, sets the status, and returns a buffer.
///
/// The buffer must not change until the block is called again. It may have more or fewer frames than requested.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?
