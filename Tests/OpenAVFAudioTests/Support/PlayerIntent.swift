import AudioModel
import SessionCore
import TestAudio

@testable import AudioRuntime
@testable import OpenAVFAudio

/// What a player's user wants, and what is in the way.
struct PlayerIntent: Equatable {
    var state: FilePlayer.State
    var cause: FilePlayer.Cause
    var isMeant: Bool
    var suppression: Suppression?

    init(_ state: FilePlayer.State, _ cause: FilePlayer.Cause, isMeant: Bool, _ suppression: Suppression? = nil) {
        self.state = state
        self.cause = cause
        self.isMeant = isMeant
        self.suppression = suppression
    }

    init(_ status: FilePlayer.Status) {
        self.init(status.state, status.cause, isMeant: status.playWhenReady, status.suppression)
    }

    static let playing = PlayerIntent(.playing, .user, isMeant: true)
    static let pausedByUser = PlayerIntent(.paused, .user, isMeant: false)
    static let interrupted = PlayerIntent(.paused, .interruption, isMeant: true, .interruption)
    static let pausedByInterruption = PlayerIntent(.paused, .interruption, isMeant: false)
}

extension PlayerMachine {
    /// What the callbacks said.
    var intents: [PlayerIntent] { history.entries.map(PlayerIntent.init) }

    func receiveCall() {
        host.receiveCall()
        runtime.settle()
    }

    func endCall() {
        host.endCall()
        runtime.settle()
    }

    /// A player that has played for 0.1 s.
    func playing(seconds: Double = 3) throws -> FilePlayer {
        let player = try player(try TestFile.write(.ramp, seconds: seconds, in: directory))
        try player.play()
        advance(frames: 4800)
        return player
    }
}
