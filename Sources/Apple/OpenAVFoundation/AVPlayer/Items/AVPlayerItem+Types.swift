public import Foundation

/// How the pitch behaves at other rates than 1.
///
/// Source: SDK header AVAudioProcessingSettings.h of AVFoundation.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For voices on iOS; without effect here, every rate keeps the pitch.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// For music on iOS; without effect here, every rate keeps the pitch.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// On iOS the pitch follows the rate; without effect here, every rate keeps the pitch.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
}

extension AVPlayerItem {
    /// The item has been played to its end; object: the item.
    public static let didPlayToEndTimeNotification = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// The item ended early; object: the item, ``AVPlayerItemFailedToPlayToEndTimeErrorKey`` says why.
    public static let failedToPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")
    /// A seek has changed the position; object: the item.
    public static let timeJumpedNotification = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
    /// The sound did not arrive in time from its server, or the output took none for 10 s; object: the item.
    public static let playbackStalledNotification = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")
}

extension NSNotification.Name {
    /// The same as `AVPlayerItem.didPlayToEndTimeNotification`.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
    /// The same as `AVPlayerItem.failedToPlayToEndTimeNotification`.
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
    /// The same as `AVPlayerItem.timeJumpedNotification`.
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
    /// The same as `AVPlayerItem.playbackStalledNotification`.
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
}

/// In `userInfo` of `AVPlayerItem.failedToPlayToEndTimeNotification`: the `NSError`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"
