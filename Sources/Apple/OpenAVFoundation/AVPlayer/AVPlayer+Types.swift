public import Foundation
internal import QueueRuntime

extension AVPlayer {
    /// Whether the player can play.
    public enum Status: Int, Sendable {
        /// No item has been opened yet.
        case unknown = 0
        /// An item has been opened, so that the player can play.
        case readyToPlay = 1
        /// The sound server was lost: make a new player. `error` says more.
        case failed = 2
    }

    /// What the player does.
    public enum TimeControlStatus: Int, Sendable {
        /// By its app, by the session (an interruption, a lost device), at the end of the item.
        case paused = 0
        /// `reasonForWaitingToPlay` says for what.
        case waitingToPlayAtSpecifiedRate = 1
        /// Sound is heard at `rate`, or the item has ended with `actionAtItemEnd` `.none`.
        case playing = 2
    }

    /// What a player does at the end of its item.
    public enum ActionAtItemEnd: Int, Sendable {
        /// Plays the next item; of an `AVQueuePlayer` only.
        case advance = 0
        /// Pauses at the end of the item; the default of an `AVPlayer`.
        case pause = 1
        /// Stays at the end, with its rate: a seek plays on.
        case none = 2
    }

    /// What a player waits for.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// More of the sound from its server; of files in tests only (`AudioSimulator.stallItems`).
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// The item is being opened, the session has not answered yet, or the output takes no sound.
        public static let evaluatingBufferingRate = WaitingReason(
            rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// An item.
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
        /// The end of an interstitial event; never.
        public static let interstitialEvent = WaitingReason(rawValue: "AVPlayerWaitingDuringInterstitialEventReason")
    }

    /// Who changed the rate.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app; or the item came to its end.
        public static let setRateCalled = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// The session refused to play: during a call, or in a category without output.
        public static let setRateFailed = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// The session: an interruption and its end, a device that left, a deactivation (decision 22).
        public static let audioSessionInterrupted = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// Never: programs have no background on Linux.
        public static let appBackgrounded = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// What a player does when its app has no visible window.
    public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable {
        /// The default; without effect on Linux, where programs have no background.
        case automatic = 1
        /// Without effect on Linux, where programs have no background.
        case pauses = 2
        /// Without effect on Linux, where programs have no background.
        case continuesIfPossible = 3
    }

    /// The rate has changed; object: the player.
    public static let rateDidChangeNotification = NSNotification.Name("AVPlayerRateDidChangeNotification")
    /// In `userInfo` of `rateDidChangeNotification`: a `RateDidChangeReason`.
    public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}

extension AVPlayer.RateDidChangeReason {
    init(_ cause: QueuePlayer.RateCause) {
        self =
            switch cause {
            case .request: .setRateCalled
            case .refusal: .setRateFailed
            case .session: .audioSessionInterrupted
            }
    }
}
