/// Finds a player that wants to play and does not get on: a pure value, which is shown every few seconds what there is.
///
/// Time is counted in looks. A program that stood still, and a machine that slept, are not taken for an output that takes no
/// sound (decision 99).
package struct StuckWatch: Hashable, Sendable {
    /// What there is of the first item.
    package enum Sight: Hashable, Sendable {
        /// Nothing is to sound now: paused, at its end, without an item, or kept silent by the session.
        case rest
        /// It is being opened, or the session has not answered.
        case opening(QueueItemID)
        /// Its server has not sent enough; `arrivals` changes with what comes.
        case waitingForSound(QueueItemID, arrivals: UInt64)
        /// `frames`: how many of its own have been rendered. `sampleTime`: of the newest cycle; nil before the first.
        case playing(QueueItemID, frames: Int64, sampleTime: Int64?)
    }

    /// What a player does not get.
    package enum Lack: Hashable, Sendable {
        case item
        /// Sound of its item: from a server, a disk or an app.
        case sound
        /// Cycles of its output.
        case output
    }

    /// Seconds between two looks.
    package static let lookSeconds = 2.5
    /// Source: media3 1.11, `ExoPlayer.Builder.DEFAULT_STUCK_BUFFERING_DETECTION_TIMEOUT_MS`.
    package static let waitingSeconds = 600.0
    /// Source: media3 1.11, `ExoPlayer.Builder.DEFAULT_STUCK_PLAYING_DETECTION_TIMEOUT_MS`.
    package static let playingSeconds = 10.0

    private enum State: Hashable, Sendable {
        /// It was like this at so many looks after the first one.
        ///
        /// Legal exits: watching (it got on, or rests), stuck.
        case watching(Sight, looks: Int)
        /// Legal exits: watching (it gets on, or rests).
        case stuck(Sight, Lack)

        var first: Sight {
            switch self {
            case .watching(let first, _), .stuck(let first, _): first
            }
        }
    }

    private var state = State.watching(.rest, looks: 0)

    package init() {}

    /// What a player that is stuck does not get; nil while it is not.
    package var lack: Lack? { if case .stuck(_, let lack) = state { lack } else { nil } }

    /// - Returns: nil also where another item was stuck at the last look.
    package func lack(of item: QueueItemID) -> Lack? { state.first.item == item ? lack : nil }

    /// - Returns: whether `lack` is another now.
    package mutating func look(_ sight: Sight) -> Bool {
        let before = lack
        switch (state, sight.lack(since: state.first)) {
        case (.watching(let first, let looks), (let lack, let limitSeconds)?):
            let isOver = Double(looks + 1) * Self.lookSeconds >= limitSeconds
            state = isOver ? .stuck(first, lack) : .watching(first, looks: looks + 1)
        case (.stuck(_, let old), (let lack, _)?) where lack == old: break
        case (.watching, nil), (.stuck, _): state = .watching(sight, looks: 0)
        }
        return lack != before
    }
}

extension StuckWatch.Sight {
    fileprivate var item: QueueItemID? {
        switch self {
        case .rest: nil
        case .opening(let item), .waitingForSound(let item, _), .playing(let item, _, _): item
        }
    }

    /// What it does not get, and how long it may wait for that; nil where it has got on, or rests.
    fileprivate func lack(since first: Self) -> (StuckWatch.Lack, limitSeconds: Double)? {
        switch self {
        case .rest: return nil
        case .opening: return self == first ? (.item, StuckWatch.waitingSeconds) : nil
        case .waitingForSound: return self == first ? (.sound, StuckWatch.waitingSeconds) : nil
        case .playing(let item, let frames, let now):
            guard case .playing(item, frames, let then) = first else { return nil }
            // An output that has its cycles finds nothing to play.
            return (then == now ? .output : .sound, StuckWatch.playingSeconds)
        }
    }
}
