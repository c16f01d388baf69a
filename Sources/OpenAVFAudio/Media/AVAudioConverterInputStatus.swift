/// What an `AVAudioConverterInputBlock` has to give.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// The returned buffer is the next input.
    case haveData = 0
    /// Nothing yet, but there may be more later.
    case noDataNow = 1
    /// The input is over.
    case endOfStream = 2
}

/// Asked for the next input: gets the number of frames that would do, says in the status what it has, and returns it.
///
/// The buffer must stay as it is until the block is called again. More or fewer frames than asked for are fine.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?
