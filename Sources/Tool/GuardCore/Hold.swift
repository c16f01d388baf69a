package import AudioModel

/// Why and since when a stream is held.
package struct Hold: Hashable, Sendable {
    package enum Reason: Hashable, Sendable, Codable {
        /// The output on which the stream sounded has left.
        case lost(uid: String, name: String)
        /// That output came back too late for an automatic resume.
        case returnedLate(uid: String, name: String)
        /// A call is active on this stream.
        case call(stream: UInt64, name: String)
        /// This program started later (`--one-at-a-time`).
        case newer(Program)
        /// A program has the focus.
        case focus(FocusHolder.ID, name: String, reason: String?)
        /// The card of the stream's sink is switched to another port for a moment.
        case switched(sink: String)
        /// The output to which the stream was linked left during a short pause: the stream may be about to play. If it plays, its
        /// reason becomes `lost`.
        case idle(uid: String, name: String)

        var isBrief: Bool {
            switch self {
            case .switched, .idle: true
            case .lost, .returnedLate, .call, .newer, .focus: false
            }
        }

        /// Whether the cause may still exist when the guard is connected again.
        var outlivesConnection: Bool {
            switch self {
            case .lost, .returnedLate, .call, .newer, .focus(.claim, _, _), .focus(.bus, _, _): true
            // Recordings are reported from the beginning after a reconnection.
            case .focus(.capture, _, _), .switched, .idle: false
            }
        }

        /// Whether the cause continues after the guard's end.
        var outlivesGuard: Bool {
            switch self {
            case .lost, .returnedLate, .call, .newer, .focus(.claim, _, _): true
            case .focus(.bus, _, _), .focus(.capture, _, _), .switched, .idle: false
            }
        }

        var isRecording: Bool { if case .focus(.capture, _, _) = self { true } else { false } }

        package var isFocus: Bool { if case .focus = self { true } else { false } }
    }

    /// Why the stream plays on.
    package enum Release: Hashable, Sendable {
        case outputReturned
        case callEnded
        case newerEnded
        case focusEnded
        /// The user pressed play in the program, or started a new stream in it.
        case playedByUser
        /// The user asked the guard to release it.
        case requested
        /// The guard is about to end.
        ///
        /// - isHeard: whether the program plays on; if not, its player shows a pause and stays paused.
        case guardEnds(isHeard: Bool)
        /// The guard has no file descriptors left; `isHeard` as in `guardEnds`.
        case descriptorsRanOut(isHeard: Bool)
        /// The user moved it in a mixer.
        case movedByUser
        /// The stream's card has been switched to another port and back.
        case outputIsReady
        /// The configuration has changed.
        case configured
        /// The stream was heard while the guard was not connected to the server.
        case connectionLost
        /// The stream did not begin to play: its user had paused it.
        case stayedPaused
    }

    /// What the program itself does with the held stream, and where the stream is.
    enum Activity: Hashable, Sendable {
        /// On its way to the holding sink; `since` is nil if it is not heard anywhere meanwhile. Exits: it is there and runs ->
        /// `standing`; it is there and does not run -> `stopping`; it is heard elsewhere for `GuardMachine.moveSeconds` -> `unmoved`.
        ///
        /// - retries: how often the guard has repeated the request to move it.
        case moving(since: HostTime?, retries: Int = 0)
        /// Still heard at its former output, although the guard asked to move it. Exits: as `moving`.
        case unmoved
        /// It plays into the holding sink and is silent. Exit: stops -> `stopping`.
        case standing
        /// Exits: runs -> `standing`; does not run until the given time -> `stopped`.
        ///
        /// A move stops a stream too, for less than `GuardMachine.moveSeconds`: such a stop is no pause by the user.
        case stopping(until: HostTime)
        /// Paused by its program or its user. Exit: it runs, because its user has pressed play -> released.
        case stopped

        var isMoving: Bool { if case .moving = self { true } else { false } }
        /// The stream has been at the holding sink.
        var hasArrived: Bool { !isMoving && self != .unmoved }
    }

    /// In the order in which they were added; never empty while the stream is held.
    package var reasons: [Reason]
    package var since: HostTime
    /// The position in which held streams are released.
    package var order: Int
    /// Whether the stream is moved to the holding sink; if not, the guard only told its player to pause.
    package var isParked = true
    var activity: Activity

    /// Whether the stream is still heard: neither the server nor the session manager moves it.
    package var isHeard: Bool { activity == .unmoved }

    /// Whether the hold is not reported to the user.
    var isBrief: Bool { reasons.allSatisfy(\.isBrief) }
}
