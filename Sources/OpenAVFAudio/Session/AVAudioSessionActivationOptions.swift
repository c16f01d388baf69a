/// Options of ``AVAudioSession/activate(options:completionHandler:)``; there are none yet.
///
/// Source: SDK header AVAudioSessionTypes.h (iOS 27).
public struct AVAudioSessionActivationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
