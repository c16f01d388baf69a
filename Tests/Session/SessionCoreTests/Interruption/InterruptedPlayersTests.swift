import AudioModel
import SessionCore
import Testing

/// Several players of one session, and what their users want of them, while it is interrupted.
struct InterruptedPlayersTests {
    enum Stop: CaseIterable { case paused, ended, closed }

    private func stop(_ stream: StreamID, _ stop: Stop, in bench: inout Bench) -> [SessionEffect] {
        switch stop {
        case .paused: bench.pause(stream)
        case .ended: bench.feed(.playerStopped(stream))
        case .closed: bench.feed(.streamClosed(stream))
        }
    }

    // Behaviour 115
    /// Source: W3C Audio Session, "update an element": what falls silent meanwhile does not end the session's activity.
    @Test(arguments: Stop.allCases) func stoppedPlayerLeavesTheOthersTheirEnd(how: Stop) {
        var (bench, first) = Bench.playing()
        let second = bench.open()
        bench.play(second)
        let (serial, _) = bench.join(Bench.music)
        #expect(stop(first, how, in: &bench) == (how == .paused ? [.pausePlayer(first, .user)] : []))
        #expect(bench.state.interruption?.source == .peer(serial))
        #expect(
            bench.leave(serial, notifying: true)
                == [.claim(ClaimID(number: 2), Bench.music), .postInterruptionEnded(shouldResume: true)])
        #expect(bench.grant().withoutWaitingClaim == [.startPlayer(second), .postBecameActive])
    }

    @Test(arguments: Stop.allCases) func onlyPlayerThatStopsMeanwhile_leavesItsAppTheEnd(how: Stop) {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        _ = stop(stream, how, in: &bench)
        #expect(bench.state.interruption?.source == .peer(serial))
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.state.stage == .inactive)
    }

    /// The source goes without a word, as a program that is killed.
    @Test func playDuringInterruption_thatEndsWithoutAWord_isForgotten() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        let (serial, _) = bench.join(Bench.music)
        bench.play(stream)
        #expect(
            bench.leave(serial, notifying: false) == [
                .pausePlayer(stream, .interruption), .release(ClaimID(number: 1), notifyOthers: false),
                .postInterruptionEnded(shouldResume: false),
            ])
        let (later, _) = bench.join(Bench.music)
        #expect(bench.leave(later, notifying: true) == [])
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    @Test func lastRequestDuringInterruption_counts() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.pause(stream)
        bench.play(stream)
        #expect(bench.pause(stream) == [.pausePlayer(stream, .user)])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    /// It mixes from then on: it sounds beside the one that interrupted it, and lowers that.
    @Test func interruptedSession_thatDucksOthersInstead_soundsWithoutAnEnd() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.configure(Bench.ducking)
        bench.activate()
        #expect(bench.record(stream)?.isStarted == true && bench.record(stream)?.gain == 1)
        bench.leave(serial, notifying: true)
        #expect(!bench.notices.contains(.postInterruptionEnded(shouldResume: true)))
    }
}
