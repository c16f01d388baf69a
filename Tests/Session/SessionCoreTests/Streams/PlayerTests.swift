import AudioModel
import SessionCore
import Testing

/// What players' users want, and what keeps their players from sounding.
struct PlayerTests {
    // Behaviour 60
    @Test func suppressionDistinctFromPause() {
        var (bench, stream) = Bench.playing()
        #expect(bench.record(stream)?.suppression == nil)
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.record(stream)?.playWhenReady == true)
        #expect(bench.record(stream)?.suppression == .interruption)
        #expect(bench.record(stream)?.isStarted == false)
        bench.pause(stream)
        #expect(bench.record(stream)?.playWhenReady == false)
        #expect(bench.record(stream)?.suppression == nil)
        bench.leave(serial, notifying: true)
        #expect(bench.record(stream)?.isStarted == false)
    }

    // Behaviour 61
    @Test func suppressedTooLongIsFlagged() {
        var bench = Bench([])
        let (waiting, interrupted) = (bench.open(), bench.open())
        bench.activate()
        let effects = bench.play(waiting)
        let asked = bench.events[bench.events.count - 1].time
        let deadline = asked.advanced(bySeconds: 600)
        #expect(effects.silent == [.suppressPlayer(waiting, .noSuitableRoute), .wake(at: deadline)])
        #expect(bench.feed(.host(.timeReached(deadline)), after: 599) == [], "a clock that is early")
        let late = bench.feed(.host(.timeReached(deadline)), after: 1)
        #expect(late.count == 1)
        if case .failPlayer(waiting, let error)? = late.first {
            #expect(error.code == .resourceNotAvailable)
        } else {
            Issue.record("\(late)")
        }

        // An interruption may last as long as it likes.
        bench.plug([Ports.speaker], output: Ports.speaker)
        bench.play(interrupted)
        let (serial, _) = bench.join(Bench.music)
        #expect(bench.feed(.host(.timeReached(deadline)), after: 10_000) == [])
        bench.leave(serial, notifying: true)
        #expect(bench.grant().withoutWaitingClaim.first == .startPlayer(interrupted))
    }

    @Test func suppression_thatChangesItsCause_startsTheWatchAnew() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        let (serial, _) = bench.join(Bench.music)
        bench.leave(serial, notifying: true)
        let effects = bench.grant()
        let deadline = bench.events[bench.events.count - 1].time.advanced(bySeconds: 600)
        #expect(effects.contains(.suppressPlayer(stream, .noSuitableRoute)))
        #expect(effects.contains(.wake(at: deadline)))
        #expect(
            bench.feed(.host(.timeReached(deadline)), after: 570) == [], "the first watch's time has no meaning now")
    }

    @Test func pause_whileThereIsNoRoute_endsTheWatch() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        bench.pause(stream)
        let deadline = bench.events[bench.events.count - 1].time.advanced(bySeconds: 600)
        #expect(bench.feed(.host(.timeReached(deadline)), after: 600) == [])
        #expect(bench.record(stream) != nil)
    }

    // Behaviour 62
    @Test func noSuitableOutputSuppressesAndRecovers() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        let effects = bench.plug([Ports.usb], output: Ports.usb)
        #expect(effects.starts(with: [.linkStream(stream, [Ports.usb]), .startPlayer(stream)]))
        #expect(bench.record(stream)?.suppression == nil)
    }

    @Test func lastPortLost_whilePlayingOnIsThePolicy_suppressesUntilThereIsAnother() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        let stream = bench.open(StreamPolicy(onDeviceLoss: .continue))
        bench.activate()
        bench.play(stream)
        let effects = bench.plug([])
        #expect(effects.starts(with: [.suppressPlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
        #expect(bench.state.activation.isActive)
        #expect(bench.plug([Ports.hdmi], output: Ports.hdmi).contains(.startPlayer(stream)))
    }

    @Test func lastPortLost_whilePausing_pausesForGood() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        let effects = bench.plug([])
        #expect(effects.starts(with: [.pausePlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
        #expect(effects.last == .postInterruptionBegan(.routeDisconnected))
        #expect(!bench.plug([Ports.hdmi], output: Ports.hdmi).contains(.startPlayer(stream)))
    }

    @Test func play_whileActive_startsAtOnceAndOnce() {
        var (bench, _) = Bench.playing()
        let second = bench.open()
        #expect(bench.play(second).silent == [.startPlayer(second)])
        #expect(bench.play(second).silent == [])
        #expect(bench.feed(.playerStopped(second)) == [])
        #expect(bench.play(second).silent == [.startPlayer(second)])
    }

    @Test func pause_whileTheClaimIsUnderWay_keepsThePlayerSilent() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        bench.play(stream)
        bench.pause(stream)
        let effects = bench.grant()
        #expect(effects.replyError() == nil)
        #expect(effects.silent == [.postBecameActive])
    }

    @Test func play_ofAStreamThatIsGone_isAnError() {
        var (bench, stream) = Bench.playing()
        bench.feed(.streamClosed(stream))
        #expect(bench.play(stream).replyError()?.code == .resourceNotAvailable)
        #expect(bench.feed(.pauseRequested(stream)) == [])
        #expect(bench.feed(.playerStopped(stream)) == [])
    }

    @Test func record_withoutAnInput_refusesThePlayerToo() {
        var bench = Bench([Ports.speaker], output: Ports.speaker, category: .record)
        let stream = bench.open()
        let effects = bench.play(stream)
        #expect(effects.replyError()?.code == .resourceNotAvailable)
        #expect(effects.silent == [.pausePlayer(stream, .refusal)])
    }

    @Test func newPolicy_whileSuppressed_letsThePlayerSound() {
        var (bench, stream) = Bench.playing()
        _ = bench.join(Bench.music)
        let effects = bench.feed(.streamPolicyChanged(stream, StreamPolicy(onInterruption: .ignore)))
        #expect(effects == [.startPlayer(stream)])
    }

    @Test func playTwice_whileThereIsNoRoute_keepsTheFirstDeadline() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        #expect(bench.play(stream).silent.first == .suppressPlayer(stream, .noSuitableRoute))
        let deadline = bench.events[bench.events.count - 1].time.advanced(bySeconds: 600)
        #expect(bench.play(stream).silent == [])
        #expect(bench.record(stream)?.playback == .withoutRoute(deadline: deadline))
        bench.pause(stream)
        #expect(bench.play(stream).silent.first == .suppressPlayer(stream, .noSuitableRoute))
        let later = bench.events[bench.events.count - 1].time.advanced(bySeconds: 600)
        #expect(bench.record(stream)?.playback == .withoutRoute(deadline: later))
    }

    @Test func end_whileThereIsNoRoute_endsTheWatch() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        bench.feed(.playerStopped(stream))
        let now = bench.events[bench.events.count - 1].time
        #expect(bench.feed(.host(.timeReached(now.advanced(bySeconds: 600))), after: 600) == [])
        #expect(bench.record(stream) != nil)
    }

    /// The receiver at a phone's ear is for calls.
    @Test func outputThatIsOfNoUse_leavesThePlayerSuppressed() {
        var bench = Bench([])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        #expect(!bench.plug([Ports.receiver], output: Ports.receiver).contains(.startPlayer(stream)))
        #expect(bench.record(stream)?.suppression == .noSuitableRoute)
        #expect(bench.plug([Ports.receiver, Ports.speaker], output: Ports.receiver).contains(.startPlayer(stream)))
    }

    @Test func outputThatComesAndLeaves_startsTheWatchAnew() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        let stream = bench.open(StreamPolicy(onDeviceLoss: .continue))
        bench.activate()
        bench.play(stream)
        for _ in 1...2 {
            #expect(bench.plug([]).contains(.suppressPlayer(stream, .noSuitableRoute)))
            let deadline = bench.events[bench.events.count - 1].time.advanced(bySeconds: 600)
            #expect(bench.record(stream)?.playback == .withoutRoute(deadline: deadline))
            #expect(bench.plug([Ports.usb], output: Ports.usb).contains(.startPlayer(stream)))
        }
    }

    /// Nothing sounds in `record`.
    @Test func categoriesInARow_silenceWhatContinues_inRecordAlone() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic)
        let stream = bench.open(StreamPolicy(onDeviceLoss: .continue))
        bench.activate()
        bench.play(stream)
        for category in SessionCategory.allCases + [.playback] {
            bench.configure(SessionConfiguration(category: category))
            bench.grant()
            #expect(bench.record(stream)?.isStarted == (category != .record), "\(category)")
            #expect(bench.record(stream)?.playWhenReady == true)
        }
    }
}
