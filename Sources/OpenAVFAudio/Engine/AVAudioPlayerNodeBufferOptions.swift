/// How a scheduled buffer is played.
///
/// Source: SDK header AVAudioPlayerNode.h.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Repeats until it is interrupted or the player is stopped.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
    /// Replaces all previously scheduled items, including the one that plays.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
    /// Starts at the end of the current pass of a looping buffer, and replaces the items after it.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}
