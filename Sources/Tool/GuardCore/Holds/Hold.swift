package import AudioModel

/// Why and since when a stream is held.
package struct Hold: Hashable, Sendable {
    /// How long a stream may take to arrive at the holding sink; after that, it is reported as not moved.
    static let moveSeconds = 2.0
    /// When the request to move a stream that is still heard elsewhere is repeated.
    ///
    /// WirePlumber 0.4 forgets links that it was creating while their sink left: these links stay, beside those to the holding sink.
    private static let retrySeconds = [0.5, 1.0, 1.5]

    /// Why the stream plays on.
    package enum Release: Hashable, Sendable {
        /// The reason for the hold has ended; the rule of the reason says how.
        case reasonEnded(words: String)
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
        /// The configuration has changed.
        case configured
        /// The stream was heard while the guard was not connected to the server.
        case connectionLost
    }

    /// What the program itself does with the held stream, and where the stream is.
    enum Activity: Hashable, Sendable {
        /// On its way to the holding sink; `since` is nil if it is not heard anywhere meanwhile. Exits: it is there and runs ->
        /// `standing`; it is there and does not run -> `stopping`; it is heard elsewhere for `moveSeconds` -> `unmoved`.
        ///
        /// - retries: how often the guard has repeated the request to move it.
        case moving(since: HostTime?, retries: Int = 0)
        /// Still heard at its former output, although the guard asked to move it. Exits: as `moving`.
        case unmoved
        /// It plays into the holding sink and is silent. Exit: stops -> `stopping`.
        case standing
        /// Exits: runs -> `standing`; does not run until the given time -> `stopped`.
        ///
        /// A move stops a stream too, for less than `moveSeconds`: such a stop is no pause by the user.
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
    var isBrief: Bool { reasons.allSatisfy(\.nature.isBrief) }

    /// When the next request to move the stream is due; nil if it is not on its way.
    var moveDeadline: HostTime? {
        guard case .moving(let since?, let retries) = activity else { return nil }
        let seconds = retries < Self.retrySeconds.count ? Self.retrySeconds[retries] : Self.moveSeconds
        return since.advanced(bySeconds: seconds)
    }

    /// Whether the stream's program plays on when the guard ends.
    ///
    /// Paused programs stay paused, except those held for the focus.
    var playsOnWithoutGuard: Bool {
        switch activity {
        case .moving, .unmoved, .standing: true
        case .stopping, .stopped: reasons.allSatisfy(\.isFocus)
        }
    }
}
