/// The frames before and after the input that a rate conversion uses.
///
/// Source: SDK header AVAudioConverter.h.
public struct AVAudioConverterPrimeInfo: Sendable {
    /// Frames before the input; always 0 here.
    public var leadingFrames: AVAudioFrameCount
    /// Frames after the input; always 0 here.
    public var trailingFrames: AVAudioFrameCount

    /// No frames before and after.
    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }

    /// Stores both numbers; a converter ignores them.
    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}
