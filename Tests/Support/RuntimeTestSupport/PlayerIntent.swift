package import AudioModel
package import AudioRuntime

/// What a player's user wants, and what is in the way.
package struct PlayerIntent: Equatable, Sendable {
    package var state: FilePlayer.State
    package var cause: FilePlayer.Cause
    package var isMeant: Bool
    package var suppression: Suppression?

    package init(
        _ state: FilePlayer.State, _ cause: FilePlayer.Cause, isMeant: Bool, _ suppression: Suppression? = nil
    ) {
        self.state = state
        self.cause = cause
        self.isMeant = isMeant
        self.suppression = suppression
    }

    package init(_ status: FilePlayer.Status) {
        self.init(status.state, status.cause, isMeant: status.playWhenReady, status.suppression)
    }

    package static let playing = PlayerIntent(.playing, .user, isMeant: true)
    package static let pausedByUser = PlayerIntent(.paused, .user, isMeant: false)
    package static let interrupted = PlayerIntent(.paused, .interruption, isMeant: true, .interruption)
    package static let pausedByInterruption = PlayerIntent(.paused, .interruption, isMeant: false)
}
