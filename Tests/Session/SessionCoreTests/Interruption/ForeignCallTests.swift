import AudioModel
import SessionCore
import Testing

/// What happens to other sessions during a call of a program without a session, and what the one that waits hears of it.
struct ForeignCallTests {
    private func expectResume(_ effects: [SessionEffect]) {
        #expect(effects.last == .postInterruptionEnded(shouldResume: true))
    }

    /// Its claim had no effect: it takes nothing, also where it goes without a word.
    @Test(arguments: [false, true])
    func peer_refusedDuringACall_takesNoResume(notifies: Bool) {
        var (bench, stream) = Bench.playing()
        bench.run(roles: "Phone")
        for _ in 1...2 {
            let (refused, none) = bench.join(Bench.music)
            #expect(none == [])
            #expect(bench.leave(refused, notifying: notifies) == [])
        }
        #expect(bench.run() == [.claim(ClaimID(number: 2), Bench.music), .postInterruptionEnded(shouldResume: true)])
        #expect(bench.grant().contains(.startPlayer(stream)))
    }

    /// We cannot know yet that it was refused: it may have come just after the call.
    @Test func peer_refusedDuringACall_thatStandsAtItsEnd_letsUsResumeWhenItSaysSo() {
        var (bench, _) = Bench.playing()
        bench.run(roles: "Phone")
        let (refused, _) = bench.join(Bench.music)
        #expect(bench.run() == [])
        #expect(bench.state.interruption?.source == .peer(refused))
        expectResume(bench.leave(refused, notifying: true))
    }

    /// Its session was not told before it was killed, or its word had not come.
    @Test func peer_interruptedByACall_thatGoesBeforeItWaits_takesNoResume() {
        var (bench, _) = Bench.playing()
        let (above, _) = bench.join(Bench.music)
        bench.run(roles: "Phone")
        #expect(bench.leave(above, notifying: false) == [])
        #expect(bench.state.interruption?.source == .foreignCall)
        expectResume(bench.run())
    }

    @Test func peer_interruptedByACall_thatWaits_hasTheSoundBeforeUs() {
        var (bench, _) = Bench.playing()
        let (above, _) = bench.join(Bench.music)
        bench.run(roles: "Phone")
        bench.feed(.host(.peerChanged(Peer(serial: above, configuration: Bench.music, isWaiting: true))))
        #expect(bench.run() == [])
        #expect(bench.state.interruption?.source == .peer(above))
        expectResume(bench.leave(above, notifying: true))
    }

    @Test func peer_refusedDuringTwoCalls_takesNoResume_afterTheLast() {
        var (bench, _) = Bench.playing()
        bench.run(roles: "Phone")
        let (first, _) = bench.join(Bench.music)
        bench.run(roles: "Phone", "Communication")
        let (second, _) = bench.join(Bench.speech)
        bench.leave(first, notifying: false)
        bench.run(roles: "Phone")
        bench.leave(second, notifying: false)
        expectResume(bench.run())
    }

    /// A session that mixes may begin during a call; one that ducks lowers us once we play again.
    @Test func mixingPeer_duringACall_takesNoResume_andDucksAfterIt() {
        var (bench, stream) = Bench.playing()
        bench.run(roles: "Phone")
        #expect(bench.join(Bench.ducking).1 == [.setGain(stream, 0.2)])
        let (mixing, _) = bench.join(Bench.mixing)
        bench.leave(mixing, notifying: false)
        expectResume(bench.run())
        #expect(bench.record(stream)?.gain == 0.2)
    }

    /// One that mixed before the call is interrupted by it, and lowers no other session until it is back.
    @Test func duckingPeer_interruptedByACall_doesNotDuck() {
        var (bench, stream) = Bench.playing()
        _ = bench.join(Bench.ducking)
        #expect(bench.record(stream)?.gain == 0.2)
        #expect(bench.run(roles: "Phone").contains(.setGain(stream, 1)))
    }

    /// The call of a session may begin during a foreign one, and sounds: who ends it without a word takes the resume.
    @Test(arguments: [false, true])
    func callOfASession_duringAForeignCall_handsBackOrNot(notifies: Bool) {
        var (bench, _) = Bench.playing()
        bench.run(roles: "Phone")
        let (call, _) = bench.join(Bench.call)
        let (refused, _) = bench.join(Bench.music)
        bench.leave(refused, notifying: false)
        bench.leave(call, notifying: notifies)
        #expect(bench.state.interruption?.source == .foreignCall)
        #expect(bench.run().last == .postInterruptionEnded(shouldResume: notifies))
    }

    /// The second call is the later one: the session's call waits, and may be killed.
    @Test func callOfASession_betweenTwoForeignCalls_takesNoResume() {
        var (bench, _) = Bench.playing()
        bench.run(roles: "Phone")
        let (call, _) = bench.join(Bench.call)
        bench.run(roles: "Phone", "Communication")
        bench.leave(call, notifying: false)
        expectResume(bench.run())
    }

    /// Who comes during a call finds the claims that had their effect under it.
    @Test func sessionThatComesDuringACall_isDuckedByWhoMixesWithIt() {
        var bench = Bench()
        _ = bench.join(Bench.ducking)
        bench.run(roles: "Phone")
        bench.plug([Ports.speaker], output: Ports.speaker)
        bench.configure(Bench.mixing)
        let stream = bench.open()
        bench.activate()
        #expect(bench.record(stream)?.gain == 0.2)
    }

    @Test func sessionRefusedDuringACall_isAdvisedAfterTheLastOne() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.run(roles: "Phone")
        #expect(bench.activate().contains(.release(ClaimID(number: 1), notifyOthers: true)))
        #expect(bench.state.stage == .inactive)
        let (call, _) = bench.join(Bench.call)
        #expect(!bench.run().contains(.postResumptionRecommendation))
        #expect(bench.leave(call, notifying: true).contains(.postResumptionRecommendation))
    }
}
