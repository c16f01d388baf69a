/// What else ``AVAudioSession/deactivate(options:completionHandler:)`` is to do.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 27).
public struct AVAudioSessionDeactivationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Tell the sessions that were interrupted by this one that they may go on.
    public static let notifyOthersOnDeactivation = AVAudioSessionDeactivationOptions(rawValue: 1 << 0)
}
