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

/// Asked for the next input: gets the number of frames that would do, says in the status what it has, and returns it.
///
/// The buffer must stay as it is until the block is called again. More or fewer frames than asked for are fine.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// How a rate conversion treats what is before and after the input.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    case pre = 0
    /// Silence before and after; no delay.
    case normal = 1
    case none = 2
}

/// The frames before and after the input that a rate conversion takes into account.
///
/// Source: SDK header AVAudioConverter.h.
public struct AVAudioConverterPrimeInfo: Sendable {
    public var leadingFrames: AVAudioFrameCount
    public var trailingFrames: AVAudioFrameCount

    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }

    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}
