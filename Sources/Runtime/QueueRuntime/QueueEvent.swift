package import AudioFiles
package import AudioModel
package import AudioRuntime
package import QueueCore
package import TransportCore

extension QueuePlayer {
    package typealias Watch = StuckWatch

    /// Who changed the rate.
    package enum RateCause: Hashable, Sendable {
        case request
        /// The session refused a request.
        case refusal
        /// An interruption, its end, a lost device, a deactivation.
        case session
    }

    package enum Event: Sendable {
        /// The rate that `Status` has is another.
        case rateChanged(RateCause)
        case opened(any QueueItem)
        /// The player that was made for an item says what has become of it; an item that has joined it may sound by then.
        case reported(any QueueItem, FilePlayer.Status)
        /// Why the session does not let the first item play.
        case refused(SessionError)
        /// It cannot be played, or not to its end.
        case failed(any QueueItem, ItemError, wasOpen: Bool)
        /// - Parameter isFollowed: the next item sounds already, in the same player.
        case ended(any QueueItem, isFollowed: Bool)
        /// By a seek.
        case jumped(any QueueItem)
        /// It played, and its server has not sent what comes next, or its output takes no sound.
        case stalled(any QueueItem)
        /// It is to play and does not get on for a long time (`StuckWatch`); told once, and it may get on.
        case stuck(any QueueItem, lack: StuckWatch.Lack)
        /// A channel map does not fit what the player is linked to now.
        case channelMapReset(ChannelMapReset)
        /// Another of `Status`' members, or another item.
        case changed
    }

    package enum ItemError: Sendable {
        case file(AudioFileError)
        /// Of its player.
        case playback(TransportFailure)
    }

    package struct Status: Hashable, Sendable {
        package var phase = QueueMachine.Phase.paused
        /// What was asked for; 0 is a pause.
        package var requestedRate: Float = 0

        /// Of what sounds or is about to; 0 while it is paused or suppressed.
        package var rate: Float {
            switch phase {
            case .paused, .suppressed: 0
            case .waitingForItem, .opening, .playing, .waitingForSound, .waitingForOutput, .ended: requestedRate
            }
        }
    }
}
