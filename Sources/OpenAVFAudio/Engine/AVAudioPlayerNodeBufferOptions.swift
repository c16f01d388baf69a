/// How a scheduled buffer is played.
///
/// Source: SDK header AVAudioPlayerNode.h.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Again and again, until it is interrupted or the player is stopped.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
    /// In place of what was scheduled before, also of what sounds.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
    /// After the present pass of a buffer that loops, in place of what waits behind it.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}
