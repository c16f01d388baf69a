import AudioModel
import SessionCore
import Testing

/// An output leaves while nothing sounds on it: what was asked for before does not begin elsewhere (decision 60).
struct OutputLossTests {
    private let both = [Ports.headphones, Ports.speaker]

    private func machine() -> Bench { Bench(both, output: Ports.headphones) }

    @Test func loss_withoutAStream_isCountedOnce_andAReturnIsNone() {
        var bench = machine()
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.state.outputLosses == 1)
        bench.plug(both, output: Ports.headphones)
        bench.plug(both, output: Ports.speaker)
        #expect(bench.state.outputLosses == 1)
        // What is not in the route may leave.
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.state.outputLosses == 1)
    }

    @Test func speaker_thatMakesWayForHeadphones_isNoLoss() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.plug([Ports.headphones], output: Ports.headphones)
        #expect(bench.state.outputLosses == 0)
    }

    @Test func playRequest_fromBeforeTheLoss_isAPause_andALaterOneSounds() {
        var bench = machine()
        bench.activate()
        let known = bench.state.outputLosses
        bench.plug([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        let effects = bench.play(stream, knownLosses: known)
        #expect(effects.silent == [.pausePlayer(stream, .oldDeviceUnavailable)])
        #expect(effects.replyError() == nil)
        #expect(bench.play(stream, knownLosses: bench.state.outputLosses).contains(.startPlayer(stream)))
        // Nor does an older request stop what plays since.
        #expect(bench.play(stream, knownLosses: known).silent == [])
        #expect(bench.record(stream)?.isStarted == true)
    }

    /// The preference to go on, and an output of its own, hold also for what is asked for before it can begin.
    @Test(arguments: [
        StreamPolicy(onDeviceLoss: .continue), StreamPolicy(target: .ports(uids: [Ports.speaker.uid])),
        StreamPolicy(target: .port(uid: Ports.speaker.uid)),
    ])
    func playRequest_fromBeforeTheLoss_whileItDoesNotConcernIt_sounds(_ policy: StreamPolicy) {
        var bench = machine()
        bench.activate()
        bench.plug([Ports.speaker], output: Ports.speaker)
        let stream = bench.open(policy)
        #expect(bench.play(stream, knownLosses: 0).contains(.startPlayer(stream)))
    }

    /// The app hears of the pause, and may play again before the inventory comes.
    @Test func portLost_andItsInventory_areOneLoss() {
        // One that plays alone would be interrupted.
        var (bench, stream) = Bench.playing(Bench.mixing)
        let loss = PortLoss(stream, portUID: Ports.headphones.uid)
        bench.feed(.host(.portLost(loss)))
        #expect(bench.state.outputLosses == 1)
        bench.play(stream, knownLosses: 1)
        let effects = bench.plug([Ports.speaker], output: Ports.speaker, losses: [loss])
        #expect(bench.state.outputLosses == 1)
        #expect(effects.contains(.startPlayer(stream)))
    }

    /// A stream is held on the output before: it has lost nothing, and was to go on where the headphones were.
    @Test func loss_whileAStreamIsHeldElsewhere_pausesIt() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        bench.plug([Ports.usb] + both, output: Ports.usb, after: 0.1)
        #expect(bench.record(stream)?.ports == [Ports.headphones])
        let effects = bench.plug(both, output: Ports.speaker)
        #expect(effects.contains(.pausePlayer(stream, .oldDeviceUnavailable)))
        #expect(!bench.feed(.host(.streamReleased(stream))).contains(.startPlayer(stream)))
    }

    // MARK: Interruptions

    @Test func interruption_duringWhichTheOutputLeaves_endsWithoutTheAdviceToResume() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.plug([Ports.speaker], output: Ports.speaker)
        // They come back: what was lost stays paused all the same (behaviour 3).
        bench.plug(both, output: Ports.headphones)
        let effects = bench.leave(serial, notifying: true)
        #expect(effects.contains(.postInterruptionEnded(shouldResume: false)))
        #expect(!effects.contains { $0.isClaim })
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    @Test func interruption_ofAPausedSession_duringWhichTheOutputLeaves_endsWithoutTheAdviceToResume() {
        var (bench, _) = Bench.playing(policy: StreamPolicy())
        bench.run(roles: "Phone")
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.run().contains(.postInterruptionEnded(shouldResume: false)))
        bench.activate()
        bench.run(roles: "Phone")
        #expect(bench.run().contains(.postInterruptionEnded(shouldResume: true)))
    }

    /// What was asked for after the loss waits for the end, and sounds.
    @Test func playRequest_underAnInterruption_afterTheLoss_soundsAtItsEnd() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.music)
        bench.plug([Ports.speaker], output: Ports.speaker)
        bench.play(stream)
        let effects = bench.leave(serial, notifying: true)
        #expect(effects.contains(.postInterruptionEnded(shouldResume: false)))
        #expect(bench.grant().contains(.startPlayer(stream)))
    }
}
