public import Foundation
import Synchronization

// The commands that have values of their own.

/// Goes forward or backward by an interval.
open class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private let intervals = Mutex<[Double]>([])

    /// The intervals that the app offers, in seconds; the user's own is in the event.
    open var preferredIntervals: [NSNumber] {
        get { intervals.withLock { $0 }.map { NSNumber(value: $0) } }
        set { intervals.withLock { $0 = newValue.map(\.doubleValue) } }
    }
}

/// Tells what the user thinks of the item; desktops do not ask for it, so that its handlers are never called.
open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private let stored = Mutex((isActive: false, title: "", shortTitle: ""))

    /// Whether the user has said so already.
    open var isActive: Bool {
        get { stored.withLock { $0.isActive } }
        set { stored.withLock { $0.isActive = newValue } }
    }

    /// For people.
    open var localizedTitle: String {
        get { stored.withLock { $0.title } }
        set { stored.withLock { $0.title = newValue } }
    }

    /// The same where there is little room.
    open var localizedShortTitle: String {
        get { stored.withLock { $0.shortTitle } }
        set { stored.withLock { $0.shortTitle = newValue } }
    }
}

/// Goes to a position.
open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// Changes the rate.
open class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let rates = Mutex<[Double]>([])

    /// The rates that the app offers; the user's own, from 0.25 to 4, is in the event.
    open var supportedPlaybackRates: [NSNumber] {
        get { rates.withLock { $0 }.map { NSNumber(value: $0) } }
        set { rates.withLock { $0 = newValue.map(\.doubleValue) } }
    }
}

/// Changes what is repeated.
open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPRepeatType.off)

    /// What is repeated now, which the desktop shows; `off` at first.
    ///
    /// Set it in the handler: the desktop's request alone changes nothing.
    open var currentRepeatType: MPRepeatType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            changed()
        }
    }
}

/// Changes the order of the items.
open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPShuffleType.off)

    /// What is shuffled now, which the desktop shows; `off` at first.
    ///
    /// Set it in the handler: the desktop's request alone changes nothing.
    open var currentShuffleType: MPShuffleType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            changed()
        }
    }
}

/// Tells how many stars the user gives the item; desktops do not ask for it, so that its handlers are never called.
open class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private let stored = Mutex((minimum: Float(0), maximum: Float(1)))

    /// The lowest rating that the app takes; 0 at first.
    open var minimumRating: Float {
        get { stored.withLock { $0.minimum } }
        set { stored.withLock { $0.minimum = newValue } }
    }

    /// The highest rating that the app takes; 1 at first.
    open var maximumRating: Float {
        get { stored.withLock { $0.maximum } }
        set { stored.withLock { $0.maximum = newValue } }
    }
}

/// What is repeated.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The item.
    case one = 1
    /// All items.
    case all = 2
}

/// What is shuffled.
public enum MPShuffleType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The items.
    case items = 1
    /// Collections of items, such as albums; a desktop shows it as `items` and does not ask for it.
    case collections = 2
}

/// What a handler says of its work.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// It is done.
    case success = 0
    /// What was asked for is not there any more.
    case noSuchContent = 100
    /// Nothing plays that it could apply to.
    case noActionableNowPlayingItem = 110
    /// The device that it needs is not there.
    case deviceNotFound = 120
    /// It could not be done.
    case commandFailed = 200
}
