public import Foundation
import Synchronization
import Threading

/// Something that the user can ask for; `MPRemoteCommandCenter` has them.
///
/// Any thread. Handlers are called on the main queue, in the order in which they were added.
public class MPRemoteCommand: NSObject, @unchecked Sendable {
    /// Rule: handlers are called on the main queue only.
    private struct Target: @unchecked Sendable {
        let token: NSObject
        let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    }

    private struct State {
        var isEnabled = true
        var targets: [Target] = []
        var onChange: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    override init() {}

    /// Whether the user may ask for it; true at first.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// Adds a function that is called when the user asks for this.
    ///
    /// - Parameter handler: called on the main queue.
    /// - Returns: what `removeTarget(_:)` takes.
    @discardableResult
    public func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any {
        let target = Target(token: NSObject(), handler: handler)
        change { $0.targets.append(target) }
        return target.token
    }

    /// Removes a function that `addTarget(handler:)` has added.
    ///
    /// - Parameter target: what `addTarget(handler:)` returned; nil removes all functions.
    public func removeTarget(_ target: Any?) {
        let token = (target as? NSObject).map(ObjectIdentifier.init)
        change { state in state.targets.removeAll { target == nil || ObjectIdentifier($0.token) == token } }
    }

    @available(*, unavailable, message: "there are no Objective-C selectors; use addTarget { … } with a closure")
    public func addTarget(_ target: Any, action: Any) { fatalError() }

    @available(*, unavailable, message: "there are no Objective-C selectors; use removeTarget(_:) and a token")
    public func removeTarget(_ target: Any, action: Any?) { fatalError() }

    // MARK: -

    var isAvailable: Bool { state.withLock { $0.isEnabled && !$0.targets.isEmpty } }

    func onChange(_ onChange: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = onChange } }

    private func change(_ body: (inout State) -> Void) {
        let before = state.withLock { state in
            defer { body(&state) }
            return state
        }
        // Handlers that it has no more are released without the lock: an object of the app's may go with them.
        withExtendedLifetime(before) {}
        changed()
    }

    /// Shows the change on the desktop.
    fileprivate func changed() { state.withLock { $0.onChange }() }

    /// Has the handlers called soon; does nothing while it is disabled.
    func send(_ event: @escaping @Sendable (MPRemoteCommand) -> MPRemoteCommandEvent = { MPRemoteCommandEvent($0) }) {
        DispatchQueue.main.async { [self] in
            let targets = state.withLock { $0.isEnabled ? $0.targets : [] }
            guard !targets.isEmpty else { return }
            let event = event(self)
            // The controls of the bus have no place for an error.
            for target in targets { _ = target.handler(event) }
        }
    }
}

/// Goes forward or backward by an interval.
public final class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private let intervals = Mutex<[Double]>([])

    /// The intervals that the app offers, in seconds; the user's own is in the event.
    public var preferredIntervals: [NSNumber] {
        get { intervals.withLock { $0 }.map { NSNumber(value: $0) } }
        set { intervals.withLock { $0 = newValue.map(\.doubleValue) } }
    }
}

/// Tells what the user thinks of the item; desktops do not ask for it, so that its handlers are never called.
public final class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private let stored = Mutex((isActive: false, title: "", shortTitle: ""))

    /// Whether the user has said so already.
    public var isActive: Bool {
        get { stored.withLock { $0.isActive } }
        set { stored.withLock { $0.isActive = newValue } }
    }

    /// For people.
    public var localizedTitle: String {
        get { stored.withLock { $0.title } }
        set { stored.withLock { $0.title = newValue } }
    }

    /// The same where there is little room.
    public var localizedShortTitle: String {
        get { stored.withLock { $0.shortTitle } }
        set { stored.withLock { $0.shortTitle = newValue } }
    }
}

/// Goes to a position.
public final class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// Changes the rate.
public final class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let rates = Mutex<[Double]>([])

    /// The rates that the app offers; the user's own, from 0.25 to 4, is in the event.
    public var supportedPlaybackRates: [NSNumber] {
        get { rates.withLock { $0 }.map { NSNumber(value: $0) } }
        set { rates.withLock { $0 = newValue.map(\.doubleValue) } }
    }
}

/// Changes what is repeated.
public final class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPRepeatType.off)

    /// What is repeated now, which the desktop shows; `off` at first.
    ///
    /// Set it in the handler: the desktop's request alone changes nothing.
    public var currentRepeatType: MPRepeatType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            changed()
        }
    }
}

/// Changes the order of the items.
public final class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPShuffleType.off)

    /// What is shuffled now, which the desktop shows; `off` at first.
    ///
    /// Set it in the handler: the desktop's request alone changes nothing.
    public var currentShuffleType: MPShuffleType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            changed()
        }
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

/// What the user asked for.
public class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    /// The command that it belongs to.
    public let command: MPRemoteCommand
    /// When it came, in seconds since the machine started.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand) {
        self.command = command
        timestamp = monotonicSeconds()
    }
}

/// The event of a skip command.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Seconds.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, interval: TimeInterval) {
        self.interval = interval
        super.init(command)
    }
}

/// The event of a feedback command; desktops do not ask for it, so that no handler is called with one.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Whether the user takes the feedback back.
    public var isNegative: Bool { false }
}

/// The event of `MPRemoteCommandCenter.changePlaybackPositionCommand`.
public final class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Seconds from the beginning of the item.
    public let positionTime: TimeInterval

    init(_ command: MPRemoteCommand, positionTime: TimeInterval) {
        self.positionTime = positionTime
        super.init(command)
    }
}

/// The event of `MPRemoteCommandCenter.changePlaybackRateCommand`.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// 1 is the item's own.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command)
    }
}

/// The event of `MPRemoteCommandCenter.changeRepeatModeCommand`.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// What is to be repeated.
    public let repeatType: MPRepeatType

    /// False: a desktop does not ask to keep the mode for later sessions.
    public var preservesRepeatMode: Bool { false }

    init(_ command: MPRemoteCommand, repeatType: MPRepeatType) {
        self.repeatType = repeatType
        super.init(command)
    }
}

/// The event of `MPRemoteCommandCenter.changeShuffleModeCommand`.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// What is to be shuffled.
    public let shuffleType: MPShuffleType

    /// False: a desktop does not ask to keep the mode for later sessions.
    public var preservesShuffleMode: Bool { false }

    init(_ command: MPRemoteCommand, shuffleType: MPShuffleType) {
        self.shuffleType = shuffleType
        super.init(command)
    }
}
