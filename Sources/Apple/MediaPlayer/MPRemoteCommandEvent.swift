public import Foundation
import Threading

// What is stored is set by initialisers only. All of them but `init()` are convenience: a subclass of an app's inherits the
// initialisers only if it may see all designated ones.

/// What the user asked for.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    private var source = MPRemoteCommand()
    private let seconds = monotonicSeconds()

    /// An event of a command that belongs to no center: for a double of an app's tests.
    public override init() {}

    convenience init(_ command: MPRemoteCommand) {
        self.init()
        source = command
    }

    /// The command that it belongs to.
    open var command: MPRemoteCommand { source }
    /// When it came, in seconds since the machine started.
    open var timestamp: TimeInterval { seconds }
}

/// The event of a skip command.
open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    private var stored: TimeInterval = 0

    convenience init(_ command: MPRemoteCommand, interval: TimeInterval) {
        self.init(command)
        stored = interval
    }

    /// Seconds.
    open var interval: TimeInterval { stored }
}

/// The event of a feedback command; desktops do not ask for it, so that no handler is called with one.
open class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Whether the user takes the feedback back.
    open var isNegative: Bool { false }
}

/// The event of a rating command; desktops do not ask for it, so that no handler is called with one.
open class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// From the command's `minimumRating` to its `maximumRating`.
    open var rating: Float { 0 }
}

/// The event of a seek command; desktops do not ask for it, so that no handler is called with one.
open class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Whether the user has pressed the key or let it go.
    open var type: MPSeekCommandEventType { .beginSeeking }
}

/// What the user did with a key of a seek command.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// Pressed it.
    case beginSeeking = 0
    /// Let it go.
    case endSeeking = 1
}

/// The event of a language command; desktops do not ask for it, so that no handler is called with one.
open class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The language.
    open var languageOption: MPNowPlayingInfoLanguageOption {
        MPNowPlayingInfoLanguageOption(
            type: .audible, languageTag: "und", characteristics: nil, displayName: "", identifier: "")
    }
    /// For which items it is.
    open var setting: MPChangeLanguageOptionSetting { .none }
}

/// For which items a language is chosen.
public enum MPChangeLanguageOptionSetting: Int, Sendable {
    /// It is not said.
    case none = 0
    /// For the item that plays.
    case nowPlayingItemOnly = 1
    /// For this and later items.
    case permanent = 2
}

/// The event of `MPRemoteCommandCenter.changePlaybackPositionCommand`.
open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    private var stored: TimeInterval = 0

    convenience init(_ command: MPRemoteCommand, positionTime: TimeInterval) {
        self.init(command)
        stored = positionTime
    }

    /// Seconds from the beginning of the item.
    open var positionTime: TimeInterval { stored }
}

/// The event of `MPRemoteCommandCenter.changePlaybackRateCommand`.
open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    private var stored: Float = 1

    convenience init(_ command: MPRemoteCommand, playbackRate: Float) {
        self.init(command)
        stored = playbackRate
    }

    /// 1 is the item's own.
    open var playbackRate: Float { stored }
}

/// The event of `MPRemoteCommandCenter.changeRepeatModeCommand`.
open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    private var stored: MPRepeatType = .off

    convenience init(_ command: MPRemoteCommand, repeatType: MPRepeatType) {
        self.init(command)
        stored = repeatType
    }

    /// What is to be repeated.
    open var repeatType: MPRepeatType { stored }

    /// False: a desktop does not ask to keep the mode for later sessions.
    open var preservesRepeatMode: Bool { false }
}

/// The event of `MPRemoteCommandCenter.changeShuffleModeCommand`.
open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    private var stored: MPShuffleType = .off

    convenience init(_ command: MPRemoteCommand, shuffleType: MPShuffleType) {
        self.init(command)
        stored = shuffleType
    }

    /// What is to be shuffled.
    open var shuffleType: MPShuffleType { stored }

    /// False: a desktop does not ask to keep the mode for later sessions.
    open var preservesShuffleMode: Bool { false }
}
