package import AudioModel

/// Why a stream stands still, and since when.
package struct Hold: Hashable, Sendable {
    package enum Reason: Hashable, Sendable, Codable {
        /// The output that it sounded on has left.
        case lost(uid: String, name: String)
        /// That output has come back, too late to go on by itself.
        case returnedLate(uid: String, name: String)
        /// A call runs, on this stream.
        case call(stream: UInt64, name: String)
        /// This program began later (`--one-at-a-time`).
        case newer(Program)
        /// A program has the focus.
        case focus(FocusHolder.ID, name: String, reason: String?)
        /// The card of its sink is switched to another port and back, for an instant.
        case switched(sink: String)
        /// The output that it was linked to has left while it paused for an instant: it may be about to play. Once it
        /// plays, it is `lost`.
        case idle(uid: String, name: String)

        var isBrief: Bool {
            switch self {
            case .switched, .idle: true
            case .lost, .returnedLate, .call, .newer, .focus: false
            }
        }

        /// Its cause may be there still when the guard is connected again.
        var outlivesConnection: Bool {
            switch self {
            case .lost, .returnedLate, .call, .newer, .focus(.claim, _, _), .focus(.bus, _, _): true
            // Recordings are told from the beginning.
            case .focus(.capture, _, _), .switched, .idle: false
            }
        }

        /// Its cause does not end with the guard.
        var outlivesGuard: Bool {
            switch self {
            case .lost, .returnedLate, .call, .newer, .focus(.claim, _, _): true
            case .focus(.bus, _, _), .focus(.capture, _, _), .switched, .idle: false
            }
        }

        var isRecording: Bool { if case .focus(.capture, _, _) = self { true } else { false } }

        package var isFocus: Bool { if case .focus = self { true } else { false } }
    }

    /// Why it goes on.
    package enum Release: Hashable, Sendable {
        case outputReturned
        case callEnded
        case newerEnded
        case focusEnded
        /// Its user pressed play in it, or started a new stream in it.
        case playedByUser
        /// The user asked the guard.
        case requested
        /// The guard is about to end.
        ///
        /// - isHeard: its program plays; else its player shows a pause, and stays so.
        case guardEnds(isHeard: Bool)
        /// The guard has no descriptors left; as `guardEnds`.
        case descriptorsRanOut(isHeard: Bool)
        /// The user moved it in a mixer.
        case movedByUser
        /// Its card has been switched to another port and back.
        case outputIsReady
        /// The configuration has changed.
        case configured
        /// The guard was not connected to the server, and it was heard meanwhile.
        case connectionLost
        /// It did not begin to play: its user had paused it.
        case stayedPaused
    }

    /// What the program itself does with the held stream.
    enum Activity: Hashable, Sendable {
        /// On its way to the holding sink; nil where it is heard nowhere meanwhile. Exits: runs there -> `standing`; is there
        /// -> `stopping`; is heard elsewhere for `GuardMachine.moveSeconds` -> `unmoved`.
        ///
        /// - retries: how often its move was asked for again.
        case moving(since: HostTime?, retries: Int = 0)
        /// It is not held: it is heard where it was, although the guard has asked for its move. Exits: as `moving`.
        case unmoved
        /// It plays, and stands still. Exit: stops -> `stopping`.
        case standing
        /// Exits: runs -> `standing`; does not until then -> `stopped`.
        ///
        /// A move stops a stream too, for less than `GuardMachine.moveSeconds`: that is no pause of its user's.
        case stopping(until: HostTime)
        /// Paused by its program or its user. Exit: runs -> its user has pressed play, released.
        case stopped

        var isMoving: Bool { if case .moving = self { true } else { false } }
        /// It has been at the holding sink.
        var hasArrived: Bool { !isMoving && self != .unmoved }
    }

    /// In the order in which they came; never empty while the stream is held.
    package var reasons: [Reason]
    package var since: HostTime
    /// Held streams are released in this order.
    package var order: Int
    /// It is moved to the holding sink; else its player was told to pause, and that is all.
    package var isParked = true
    var activity: Activity

    /// It is heard: neither the server nor the session manager moves it.
    package var isHeard: Bool { activity == .unmoved }

    /// No person is told.
    var isBrief: Bool { reasons.allSatisfy(\.isBrief) }
}
