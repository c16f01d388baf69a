/// Options of ``AVAudioSession/deactivate(options:completionHandler:)``.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 27).
public struct AVAudioSessionDeactivationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Notifies the sessions that this one interrupted that they may resume.
    public static let notifyOthersOnDeactivation = AVAudioSessionDeactivationOptions(rawValue: 1 << 0)
}
