import AudioModel
import SessionCore
import Testing

/// What becomes of players when ports come and go.
struct StreamTests {
    private let both = [Ports.speaker, Ports.headphones]
    private let keepPlaying = StreamPolicy(onDeviceLoss: .continue)

    // Behaviour 1
    @Test func pausesWhenHeadphonesLeave() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        #expect(bench.allEffects == [.linkStream(stream, [Ports.headphones])])
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        let change = RouteChange(
            time: bench.events[1].time, reason: .oldDeviceUnavailable, previous: Route(outputs: [Ports.headphones]),
            current: Route(outputs: [Ports.speaker]))
        #expect(
            effects == [
                .pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.speaker]),
                .postRouteChange(change),
            ])
    }

    // Behaviour 2
    @Test func continuesWhenHeadphonesArrive() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        let effects = bench.plug(both, output: Ports.headphones)
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.change?.reason == .newDeviceAvailable)
    }

    // Behaviour 3
    @Test func doesNotAutoResumeWhenHeadphonesReturn() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        bench.plug([Ports.speaker], output: Ports.speaker)
        let effects = bench.plug(both, output: Ports.headphones)
        // There is no effect that starts a player; being linked again is all that happens.
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.count == 2)
        #expect(bench.reasons == [.oldDeviceUnavailable, .newDeviceAvailable])
    }

    // Behaviour 4
    @Test func noisyHandlingOffKeepsPlaying() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [Ports.speaker]))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }

    // Behaviour 6
    @Test func unplugWhileBluetoothPresentStillPauses() {
        var bench = Bench([Ports.headphones, Ports.a2dp, Ports.speaker], output: Ports.headphones)
        let stream = bench.open()
        let effects = bench.plug([Ports.a2dp, Ports.speaker], output: Ports.a2dp)
        #expect(
            effects.starts(with: [
                .pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.a2dp]),
            ]))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }

    // Behaviour 22
    @Test func specificDeviceStreamDoesNotFollow() {
        var bench = Bench(both + [Ports.usb], output: Ports.speaker)
        let bound = bench.open(StreamPolicy(target: .port(uid: "usb")))
        let stubborn = bench.open(StreamPolicy(target: .port(uid: "usb"), onDeviceLoss: .continue))
        let follower = bench.open()
        #expect(
            bench.allEffects == [
                .linkStream(bound, [Ports.usb]), .linkStream(stubborn, [Ports.usb]),
                .linkStream(follower, [Ports.speaker]),
            ])
        #expect(bench.plug(both + [Ports.usb], output: Ports.headphones).count == 2, "only the follower moves")

        let effects = bench.plug(both, output: Ports.headphones)
        #expect(effects.count == 2)
        for (effect, id) in zip(effects, [bound, stubborn]) {
            guard case .failPlayer(id, let error) = effect else {
                Issue.record("\(effect)")
                continue
            }
            #expect(error.code == .resourceNotAvailable)
            #expect(error.message.contains("\"usb\""))
            #expect(error.message.contains("Available outputs: \"speaker\", \"headphones\""))
        }
        // It is over for them: the port's return changes nothing.
        #expect(bench.plug(both + [Ports.usb], output: Ports.headphones) == [])
        #expect(bench.feed(.streamClosed(bound)) == [])
    }

    @Test func specificDevice_missingAtOpening_failsThePlayer() {
        for uid in ["nowhere", "mic", "receiver", "\u{1B}[2J"] {
            var bench = Bench(both + [Ports.mic, Ports.receiver], output: Ports.speaker)
            let id = bench.open(StreamPolicy(target: .port(uid: uid)))
            guard case .failPlayer(id, let error) = bench.allEffects.first else {
                Issue.record("\(bench.allEffects)")
                continue
            }
            #expect(error.code == .resourceNotAvailable)
            #expect(error.message.contains("\"\(uid.printable)\""))
            #expect(!error.message.contains("\u{1B}"))
            #expect(bench.state.streams.isEmpty)
        }
    }

    @Test func specificDevice_lost_pausesThenFails() {
        var bench = Bench(both, output: Ports.speaker)
        let id = bench.open(StreamPolicy(target: .port(uid: "headphones")))
        let effects = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(id, portUID: "headphones")])
        #expect(effects.count == 2)
        #expect(effects.first == .pausePlayer(id, .oldDeviceUnavailable))
        if case .failPlayer(id, _) = effects[1] {} else { Issue.record("\(effects)") }
    }

    @Test func lostPort_pausesLinksAndPosts_inOneEvent() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        let effects = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(stream, portUID: "headphones")])
        #expect(effects.count == 3)
        #expect(
            effects.starts(with: [
                .pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.speaker]),
            ]))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }

    @Test func lostPort_withNothingLeft_pausesOnce() {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        let stream = bench.open()
        let effects = bench.plug([], losses: [PortLoss(stream, portUID: "headphones")])
        #expect(effects.count == 3)
        #expect(effects.starts(with: [.pausePlayer(stream, .oldDeviceUnavailable), .unlinkStream(stream)]))
        #expect(effects.change?.reason == .noSuitableRouteForCategory)
    }

    @Test func portLost_pausesBeforeTheInventory() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        let loss = PortLoss(stream, portUID: "headphones")
        #expect(bench.feed(.host(.portLost(loss))) == [.pausePlayer(stream, .oldDeviceUnavailable)])
        let effects = bench.plug([Ports.speaker], output: Ports.speaker, losses: [loss])
        #expect(effects.contains(.linkStream(stream, [Ports.speaker])))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }

    @Test func portLost_ofAStreamThatContinues_orOfAnotherPort_pausesNothing() {
        var bench = Bench(both, output: Ports.headphones)
        let (continuing, pausing) = (bench.open(keepPlaying), bench.open())
        #expect(bench.feed(.host(.portLost(PortLoss(continuing, portUID: "headphones")))) == [])
        #expect(bench.feed(.host(.portLost(PortLoss(pausing, portUID: "hdmi")))) == [])
    }

    @Test func portLost_thatIsBuiltIn_waitsForTheInventory() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        #expect(bench.feed(.host(.portLost(PortLoss(stream, portUID: "speaker")))) == [])
    }

    @Test func lostPort_ofAStreamThatContinues_playsOn() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        let effects = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(stream, portUID: "headphones")])
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [Ports.speaker]))
    }

    @Test func lostPort_ofAStreamThatContinues_withNothingLeft_pauses() {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        let effects = bench.plug([], losses: [PortLoss(stream, portUID: "headphones")])
        #expect(effects.starts(with: [.pausePlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
    }

    /// Only the link was cut, or the port left and is back.
    @Test func lostPort_thatIsThere_isLinkedAgain() {
        var bench = Bench(both, output: Ports.headphones)
        let (paused, playing) = (bench.open(), bench.open(keepPlaying))
        let losses = [paused, playing].map { PortLoss($0, portUID: "headphones") }
        #expect(
            bench.plug(both, output: Ports.headphones, losses: losses) == [
                .pausePlayer(paused, .oldDeviceUnavailable), .linkStream(paused, [Ports.headphones]),
                .linkStream(playing, [Ports.headphones]),
            ])
        #expect(bench.routeChanges.isEmpty)
    }

    @Test func lostPort_thatIsThere_isLinkedOnce_andTheNextActivationLinksNothing() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        bench.plug(both, output: Ports.headphones, losses: [PortLoss(stream, portUID: "headphones")])
        #expect(
            bench.feed(.activationRequested(bench.call())) == [.claim(ClaimID(number: 1), bench.state.configuration)])
        #expect(bench.feed(.host(.claimGranted(ClaimID(number: 1), ClaimSerial(number: 1)))).count == 2)
        #expect(bench.plug(both, output: Ports.headphones) == [])
    }

    @Test func lostPort_ofOneOfTwoStreams_movesNoOther() {
        var bench = Bench(both, output: Ports.headphones)
        let (first, second) = (bench.open(), bench.open())
        #expect(
            bench.plug(both, output: Ports.headphones, losses: [PortLoss(first, portUID: "headphones")]) == [
                .pausePlayer(first, .oldDeviceUnavailable), .linkStream(first, [Ports.headphones]),
            ])
        #expect(bench.state.streams.last?.id == second)
        #expect(bench.state.streams.map(\.ports) == [[Ports.headphones], [Ports.headphones]])
    }

    /// The port that left is linked by no stream that is opened after the loss.
    @Test func lostPort_isNotLinkedAfterwards() {
        var bench = Bench(both, output: Ports.headphones)
        let first = bench.open()
        let effects = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(first, portUID: "headphones")])
        #expect(effects.contains(.linkStream(first, [Ports.speaker])))
        let second = bench.open()
        #expect(bench.effects.last == [.linkStream(second, [Ports.speaker])])
        #expect(bench.configure(SessionConfiguration(category: .ambient)).silent.count == 1, "only the notification")
    }

    @Test func loss_ofAPortTheStreamHasLeft_isOldNews() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        bench.plug([Ports.speaker], output: Ports.speaker)
        let losses = [
            PortLoss(stream, portUID: "headphones"), PortLoss(StreamID(number: 99), portUID: "speaker"),
        ]
        #expect(bench.plug([Ports.speaker], output: Ports.speaker, losses: losses) == [])
        #expect(bench.state.streams.first?.ports == [Ports.speaker])
    }

    @Test func lostSpeaker_thatMadeWayForHeadphones_playsOn() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        let effects = bench.plug(
            [Ports.headphones], output: Ports.headphones, losses: [PortLoss(stream, portUID: "speaker")])
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.count == 2)
        #expect(effects.change?.reason == .newDeviceAvailable)
    }

    @Test func lostSpeaker_thatIsGoneOrCut_pauses() {
        var bench = Bench([Ports.speaker, Ports.hdmi], output: Ports.speaker)
        let stream = bench.open()
        let losses = [PortLoss(stream, portUID: "speaker")]
        #expect(
            bench.plug([Ports.speaker, Ports.hdmi], output: Ports.speaker, losses: losses)
                == [.pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.speaker])])
        #expect(
            bench.plug([Ports.hdmi], output: Ports.hdmi, losses: losses).starts(with: [
                .pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.hdmi]),
            ]))
    }

    @Test func streamWithoutARoute_isLinkedWhenThereIsOne() {
        var bench = Bench([])
        let stream = bench.open()
        #expect(bench.allEffects == [])
        let effects = bench.plug([Ports.usb], output: Ports.usb)
        #expect(effects.first == .linkStream(stream, [Ports.usb]))
        #expect(effects.change?.reason == .newDeviceAvailable)
    }

    @Test func stream_openedBeforeTheFirstInventory_waitsForIt() {
        var bench = Bench()
        let (follower, bound) = (bench.open(), bench.open(StreamPolicy(target: .port(uid: "usb"))))
        let lost = bench.open(StreamPolicy(target: .port(uid: "nowhere")))
        #expect(bench.allEffects == [])
        let effects = bench.plug([Ports.speaker, Ports.usb], output: Ports.speaker)
        #expect(effects.count == 3)
        if case .failPlayer(lost, _) = effects[0] {} else { Issue.record("\(effects)") }
        #expect(effects.dropFirst() == [.linkStream(follower, [Ports.speaker]), .linkStream(bound, [Ports.usb])])
    }

    @Test func newPolicy_ofAnOpenStream_counts() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        #expect(bench.feed(.streamPolicyChanged(stream, keepPlaying)) == [])
        #expect(bench.plug([Ports.speaker], output: Ports.speaker).first == .linkStream(stream, [Ports.speaker]))
        let bound = StreamPolicy(target: .port(uid: "headphones"))
        #expect(bench.plug(both, output: Ports.speaker) == [])
        #expect(bench.feed(.streamPolicyChanged(stream, bound)) == [.linkStream(stream, [Ports.headphones])])
        #expect(bench.feed(.streamPolicyChanged(StreamID(number: 99), bound)) == [])
    }

    @Test func closedStream_isForgotten() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        #expect(bench.feed(.streamClosed(stream)) == [])
        #expect(bench.plug([Ports.speaker], output: Ports.speaker).count == 1)
        #expect(bench.feed(.streamClosed(stream)) == [])
    }

    @Test func failedStream_endsItsPlayerOnce() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        let error = HostError.unreachable("The server ended the stream. Open the file again.")
        let expected = SessionError(.mediaServicesFailed, "The server ended the stream. Open the file again.")
        #expect(bench.feed(.host(.streamFailed(stream, error))) == [.failPlayer(stream, expected)])
        #expect(bench.feed(.host(.streamFailed(stream, error))) == [])
        #expect(bench.feed(.streamClosed(stream)) == [])
    }

    @Test func severalStreams_onALoss_areAllPausedBeforeOneIsLinked() {
        var bench = Bench(both, output: Ports.headphones)
        let (first, second) = (bench.open(), bench.open())
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(
            effects.starts(with: [
                .pausePlayer(first, .oldDeviceUnavailable), .pausePlayer(second, .oldDeviceUnavailable),
                .linkStream(first, [Ports.speaker]), .linkStream(second, [Ports.speaker]),
            ]))
    }

    @Test func secondOpening_ofTheSameStream_isAMistakeOfOurs() async {
        await #expect(processExitsWith: .failure) {
            var machine = SessionMachine()
            let fact = SessionFact.streamOpened(StreamID(number: 1), StreamPolicy())
            _ = machine.apply(SessionEvent(time: .zero, fact: fact))
            _ = machine.apply(SessionEvent(time: .zero, fact: fact))
        }
    }
}
