import AudioModel
import SessionCore
import Testing

/// Reasons and routes of the changes that hosts and users cause.
struct RouteChangeTests {
    // Behaviour 5
    @Test func jackUnplugOnSameCardIsARouteChange() {
        let (jack, other) = (Ports.headphones, Ports.lineOut)
        var bench = Bench([jack, other], output: jack)
        let stream = bench.open()
        bench.plug([other], output: other, losses: [PortLoss(stream, portUID: jack.uid)])
        bench.plug([other], output: other)
        #expect(bench.reasons == [.oldDeviceUnavailable])
    }

    // Behaviour 7
    @Test func inactivePortLossIsNotAnOutputRouteChange() {
        var bench = Bench(
            [Ports.usb, Ports.headphones, Ports.headsetMic, Ports.mic], output: Ports.usb, input: Ports.mic,
            category: .playAndRecord)
        _ = bench.open()
        let effects = bench.plug([Ports.usb, Ports.mic], output: Ports.usb, input: Ports.mic)
        #expect(effects == [.postAvailableInputsChange])
        #expect(bench.routeChanges.isEmpty)
    }

    @Test func idleOutput_comingAndGoing_postsNothing() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        _ = bench.open()
        #expect(bench.plug([Ports.usb, Ports.headphones], output: Ports.usb) == [])
        #expect(bench.plug([Ports.usb], output: Ports.usb) == [])
    }

    // Behaviour 14
    @Test func previousRouteIsSnapshot() {
        var bench = Bench([Ports.speaker, Ports.headphones], output: Ports.headphones)
        bench.plug([Ports.speaker], output: Ports.speaker)
        let first = bench.routeChanges[0]
        bench.plug([Ports.speaker, Ports.usb], output: Ports.usb)
        bench.plug([Ports.usb], output: Ports.usb)
        #expect(first == bench.routeChanges[0])
        #expect(first.previous.outputs == [Ports.headphones])
        #expect(first.current.outputs == [Ports.speaker])
    }

    // Behaviour 16
    @Test func defaultFlapCoalesced() {
        var bench = Bench([Ports.speaker, Ports.usb], output: Ports.speaker)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.usb, after: 0.001)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.usb, after: 0.001)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.speaker, after: 0.001)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.speaker, after: 0.001)
        #expect(bench.reasons == [.override, .override])
        #expect(bench.routeChanges.map(\.current.outputs) == [[Ports.usb], [Ports.speaker]])
    }

    // Behaviour 105
    @Test func moveWithinASecondOfALoss_isNoOverride() {
        let (line, usb) = (Ports.lineOut, Ports.usb)
        for (wait, reason) in [(1.0, RouteChangeReason.oldDeviceUnavailable), (1.001, .override)] {
            var bench = Bench([line, usb, Ports.a2dp], output: Ports.a2dp)
            bench.plug([line, usb], output: line)
            bench.plug([line, usb], output: usb, after: wait)
            #expect(bench.reasons == [.oldDeviceUnavailable, reason], "\(wait) s")
            #expect(bench.routeChanges.last?.previous.outputs == [line])
        }
    }

    /// What follows a loss does not make the time longer, and ends with what a person chooses for this app.
    @Test func chosenOutput_afterALoss_isAnOverride() {
        let (line, usb) = (Ports.lineOut, Ports.usb)
        var bench = Bench([line, usb, Ports.a2dp], output: Ports.a2dp)
        bench.plug([line, usb], output: line)
        bench.plug([line, usb], output: usb, after: 0.6)
        bench.plug([line, usb], output: line, after: 0.6)
        #expect(bench.reasons == [.oldDeviceUnavailable, .oldDeviceUnavailable, .override])
        var other = Bench([line, usb, Ports.a2dp], output: Ports.a2dp)
        other.plug([line, usb], output: line)
        other.feed(.host(.outputChosenByUser(uid: usb.uid)), after: 0.1)
        #expect(other.reasons == [.oldDeviceUnavailable, .override])
    }

    /// The loss of a microphone says nothing of the outputs.
    @Test func otherDirection_withinASecondOfALoss_isAnOverride() {
        var bench = Bench(
            [Ports.speaker, Ports.usb, Ports.usbMic, Ports.mic], output: Ports.speaker, input: Ports.usbMic,
            category: .playAndRecord)
        bench.plug([Ports.speaker, Ports.usb, Ports.mic], output: Ports.speaker, input: Ports.mic)
        bench.plug([Ports.speaker, Ports.usb, Ports.mic], output: Ports.usb, input: Ports.mic, after: 0.1)
        #expect(bench.reasons == [.oldDeviceUnavailable, .override])
    }

    /// An app starts it again when it hears of the loss.
    @Test func recorder_thatBeginsAfterALoss_goesOn_whenTheRouteMovesAgain() {
        let all = [Ports.speaker, Ports.usb, Ports.hdmi, Ports.mic]
        var bench = Bench(all, output: Ports.hdmi, input: Ports.mic, category: .playAndRecord)
        bench.activate()
        let recorder = bench.open(StreamPolicy(direction: .input))
        bench.play(recorder)
        let rest = [Ports.speaker, Ports.usb, Ports.mic]
        let loss = bench.plug(rest, output: Ports.usb, input: Ports.mic)
        #expect(loss.contains(.pausePlayer(recorder, .oldDeviceUnavailable)))
        bench.feed(.playRequested(bench.call(), recorder, generation: bench.state.generation), after: 0.01)
        let next = bench.plug(rest, output: Ports.speaker, input: Ports.mic, after: 0.02)
        #expect(next.change?.reason == .oldDeviceUnavailable)
        #expect(bench.record(recorder)?.isStarted == true)
    }

    // Behaviour 17
    @Test func nullDefaultKeepsDevice() {
        var bench = Bench([Ports.usb, Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        #expect(bench.plug([Ports.usb, Ports.speaker], output: nil) == [])
        #expect(bench.plug([Ports.usb, Ports.speaker], output: Ports.a2dp) == [])
        #expect(bench.state.route.outputs == [Ports.speaker])

        let effects = bench.plug([], output: nil)
        #expect(effects.starts(with: [.pausePlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
        #expect(effects.count == 3)
        #expect(effects.change?.reason == .noSuitableRouteForCategory)
        #expect(effects.change?.previous.outputs == [Ports.speaker])
        #expect(effects.change?.current == .empty)
    }

    @Test func lostPortWithoutADefault_givesWayToTheFirstThatIsLeft() {
        var bench = Bench([Ports.receiver, Ports.speaker, Ports.usb, Ports.hdmi], output: Ports.hdmi)
        bench.plug([Ports.receiver, Ports.usb, Ports.speaker])
        #expect(bench.state.route.outputs == [Ports.usb])
        #expect(bench.reasons == [.oldDeviceUnavailable])
    }

    // Behaviour 18
    @Test func sampleRateChangeIsConfigurationChange() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        let stream = bench.open()
        var slower = Ports.usb
        slower.sampleRate = 44_100
        let effects = bench.plug([slower], output: slower)
        #expect(effects.count == 1, "a new rate needs no new link: \(effects)")
        #expect(effects.change?.reason == .routeConfigurationChange)
        #expect(effects.change?.previous.outputs == [Ports.usb])
        #expect(effects.change?.current.outputs == [slower])
        #expect(bench.state.streams.first?.ports.first?.uid == slower.uid)
        #expect(bench.state.streams.map(\.id) == [stream])
    }

    // Behaviour 19: effects are carried out after the state that they tell of.
    @Test func settingsUpdatedBeforeCallback() {
        var bench = Bench([Ports.usb], output: Ports.usb)
        var faster = Ports.usb
        faster.sampleRate = 96_000
        let change = bench.plug([faster], output: faster).change
        #expect(bench.state.route.outputs.first?.sampleRate == 96_000)
        #expect(bench.state.route == change?.current)
    }

    @Test func newChannels_ofTheSamePort_areLinkedAnewWithoutAPause() {
        var bench = Bench([Ports.hdmi], output: Ports.hdmi)
        let stream = bench.open()
        var stereo = Ports.hdmi
        stereo.channels = [.left, .right]
        let effects = bench.plug([stereo], output: stereo)
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [stereo]))
        #expect(effects.change?.reason == .routeConfigurationChange)
    }

    @Test func rate_thatBecomesKnownOrForgotten_isNoChange() {
        var unknown = Ports.usb
        unknown.sampleRate = nil
        var bench = Bench([unknown], output: unknown)
        #expect(bench.plug([Ports.usb], output: Ports.usb) == [])
        #expect(bench.state.route.outputs == [Ports.usb])
        #expect(bench.plug([unknown], output: unknown) == [])
        #expect(bench.state.route.outputs == [Ports.usb])
        var slower = Ports.usb
        slower.sampleRate = 44_100
        #expect(bench.plug([slower], output: slower).change?.reason == .routeConfigurationChange)
        bench.plug([slower, Ports.speaker], output: Ports.speaker)
        #expect(bench.reasons == [.routeConfigurationChange, .newDeviceAvailable])
    }

    // Behaviour 21: the notification itself carries nothing; the poster's test looks at userInfo.
    @Test func availableInputsChange_whereTheCategoryHasInput_isPostedOncePerChange() {
        var bench = Bench(
            [Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic, category: .playAndRecord)
        let all = [Ports.speaker, Ports.mic, Ports.usbMic]
        #expect(bench.plug(all, output: Ports.speaker, input: Ports.mic) == [.postAvailableInputsChange])
        #expect(bench.plug(all.reversed(), output: Ports.speaker, input: Ports.mic) == [])
        let moved = bench.plug(all, output: Ports.speaker, input: Ports.usbMic)
        #expect(moved.change?.reason == .override)
        #expect(moved.count == 1)
    }

    @Test func availableInputsChange_forPlayback_isPostedWhenTheCategoryTakesInput() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        #expect(bench.plug([Ports.speaker, Ports.mic], output: Ports.speaker) == [])
        let effects = bench.configure(SessionConfiguration(category: .playAndRecord)).silent
        #expect(effects.first == .postAvailableInputsChange)
        #expect(effects.change?.reason == .categoryChange)
    }

    @Test func arrival_withinTwoSecondsOfTheMove_isANewDevice() {
        let both = [Ports.speaker, Ports.usb]
        for (wait, reason) in [(2.0, RouteChangeReason.newDeviceAvailable), (2.001, .override)] {
            var bench = Bench([Ports.speaker], output: Ports.speaker)
            #expect(bench.plug(both, output: Ports.speaker) == [])
            #expect(bench.plug(both, output: Ports.usb, after: wait).change?.reason == reason, "\(wait) s")
        }
    }

    @Test func firstInventory_isNoArrival() {
        var bench = Bench()
        bench.plug([Ports.speaker, Ports.usb], output: Ports.speaker)
        bench.plug([Ports.speaker, Ports.usb], output: Ports.usb, after: 0.1)
        #expect(bench.reasons == [.override])
    }

    @Test func usersChoice_ofAnOutput_isAnOverrideThatEndsWithThePort() {
        let all = [Ports.speaker, Ports.usb, Ports.headphones]
        var bench = Bench([Ports.speaker, Ports.headphones], output: Ports.speaker)
        let stream = bench.open()
        let effects = bench.feed(.host(.outputChosenByUser(uid: Ports.headphones.uid)))
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.change?.reason == .override)
        // Behaviour 79: what arrives does not take the user's choice away.
        #expect(bench.plug(all, output: Ports.usb) == [])
        #expect(bench.plug([Ports.speaker, Ports.usb], output: Ports.usb).change?.reason == .oldDeviceUnavailable)
        #expect(bench.state.chosenOutputUID == nil)
        #expect(bench.plug(all, output: Ports.usb) == [])
    }

    @Test func usersChoice_liftedOrUnknown_goesBackToTheDefault() {
        var bench = Bench([Ports.speaker, Ports.usb], output: Ports.speaker)
        bench.feed(.host(.outputChosenByUser(uid: Ports.usb.uid)))
        bench.feed(.host(.outputChosenByUser(uid: nil)))
        #expect(bench.reasons == [.override, .override])
        #expect(bench.state.route.outputs == [Ports.speaker])
        #expect(bench.feed(.host(.outputChosenByUser(uid: "nowhere"))) == [])
    }

    @Test func lostInput_inPlayAndRecord_isAnOldDevice() {
        var bench = Bench(
            [Ports.speaker, Ports.usbMic, Ports.mic], output: Ports.speaker, input: Ports.usbMic,
            category: .playAndRecord)
        let stream = bench.open()
        let effects = bench.plug([Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic)
        #expect(effects.count == 2)
        #expect(effects.first == .postAvailableInputsChange)
        #expect(effects.change?.reason == .oldDeviceUnavailable)
        #expect(bench.state.streams.first?.id == stream)
    }

    @Test func lostMicrophone_whileRecording_leavesNoSuitableRoute() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, category: .record)
        #expect(bench.plug([Ports.speaker], output: Ports.speaker).change?.reason == .noSuitableRouteForCategory)
        let back = bench.plug([Ports.speaker, Ports.mic], output: Ports.speaker)
        #expect(back.change?.reason == .newDeviceAvailable)
    }

    // Behaviour 2, on the many laptops whose speaker becomes unavailable when headphones are plugged in.
    @Test func speakerThatMakesWayForHeadphones_isANewDevice() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        let effects = bench.plug([Ports.headphones], output: Ports.headphones)
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.count == 2)
        #expect(effects.change?.reason == .newDeviceAvailable)
        // The way back is a loss.
        let back = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(back.first == .pausePlayer(stream, .oldDeviceUnavailable))
        #expect(back.change?.reason == .oldDeviceUnavailable)
    }

    // Behaviour 95: a server without ports, and an app that sets its category again.
    @Test func noRouteChangeWithoutAChange() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        #expect(bench.plug([]).change?.reason == .noSuitableRouteForCategory)
        #expect(bench.plug([]).change == nil)
        #expect(bench.configure(SessionConfiguration(category: .playback)).change == nil)
        #expect(bench.configure(SessionConfiguration(category: .ambient)).change == nil)
        #expect(bench.reasons == [.noSuitableRouteForCategory])
    }
}
