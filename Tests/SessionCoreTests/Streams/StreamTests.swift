import AudioModel
import SessionCore
import Testing

/// What becomes of players when ports come and go.
struct StreamTests {
    private let both = [Ports.speaker, Ports.headphones]
    private let keepPlaying = StreamPolicy(onDeviceLoss: .continue)
    private static let causes: [PortLoss] = [.portRemoved, .routeUnavailable, .unknown]

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

    @Test(arguments: causes) func specificDevice_silencedByTheHost_pausesThenFails(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.speaker)
        let id = bench.open(StreamPolicy(target: .port(uid: "headphones")))
        #expect(
            bench.feed(.host(.streamSilenced(id, lostPortUID: "headphones", cause: cause))) == [
                .pausePlayer(id, .oldDeviceUnavailable)
            ])
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(effects.count == 1)
        if case .failPlayer(id, _) = effects[0] {} else { Issue.record("\(effects)") }
    }

    @Test(arguments: causes) func silencedStream_pausesAtOnceAndOnlyOnce(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        let silenced = bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause)))
        #expect(silenced == [.pausePlayer(stream, .oldDeviceUnavailable)])
        let effects = bench.plug([Ports.speaker], output: Ports.speaker, after: 0.001)
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [Ports.speaker]))
        #expect(effects.change?.reason == .oldDeviceUnavailable)
    }

    @Test(arguments: causes) func silencedStream_withNothingLeft_isPausedOnce(_ cause: PortLoss) {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        let stream = bench.open()
        #expect(bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause))).count == 1)
        let effects = bench.plug([], after: 0.001)
        #expect(effects.count == 1)
        #expect(effects.change?.reason == .noSuitableRouteForCategory)
    }

    @Test(arguments: causes) func silencedStreamThatContinues_waitsForTheInventoryAndPlaysOn(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        // To link now would be to link to a port that may be gone, or to switch the jack's card back to it.
        #expect(bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause))) == [])
        let effects = bench.plug([Ports.speaker], output: Ports.speaker, after: 0.001)
        #expect(effects.count == 2)
        #expect(effects.first == .linkStream(stream, [Ports.speaker]))
    }

    @Test(arguments: causes) func silencedStreamThatContinues_withNothingLeft_pauses(_ cause: PortLoss) {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause)))
        let effects = bench.plug([], after: 0.001)
        #expect(effects.starts(with: [.pausePlayer(stream, .noSuitableRoute), .unlinkStream(stream)]))
    }

    @Test func cutLink_whileThePortStays_isLinkedAgain() {
        var bench = Bench(both, output: Ports.headphones)
        let (paused, playing) = (bench.open(), bench.open(keepPlaying))
        bench.feed(.host(.streamSilenced(paused, lostPortUID: "headphones", cause: .unknown)))
        bench.feed(.host(.streamSilenced(playing, lostPortUID: "headphones", cause: .unknown)))
        let effects = bench.plug(both, output: Ports.headphones)
        #expect(effects == [.linkStream(paused, [Ports.headphones]), .linkStream(playing, [Ports.headphones])])
        #expect(bench.routeChanges.isEmpty)
    }

    @Test func cutLink_thatNobodyExplains_isLinkedAgainWhenTheAppActivates() {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: .unknown)))
        // Within half a second the inventory may still be on its way.
        let early = bench.feed(.activationRequested(bench.call()), after: 0.5)
        #expect(early == [.claim(ClaimID(number: 1), bench.state.configuration)])
        let call = bench.call()
        #expect(bench.feed(.activationRequested(call), after: 0.001) == [.linkStream(stream, [Ports.headphones])])
        #expect(bench.feed(.host(.claimGranted(ClaimID(number: 1), ClaimSerial(number: 1)))).count == 3)
    }

    /// The port is gone, whatever the app asks for; it may be back by the next inventory.
    @Test(arguments: [PortLoss.portRemoved, .routeUnavailable])
    func goneLink_thatNobodyExplains_staysOffWhateverTheAppAsksFor(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open()
        bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause)))
        #expect(
            bench.feed(.activationRequested(bench.call())) == [.claim(ClaimID(number: 1), bench.state.configuration)])
        #expect(bench.feed(.activationRequested(bench.call())) == [])
        #expect(bench.plug(both, output: Ports.headphones) == [.linkStream(stream, [Ports.headphones])])
        #expect(bench.routeChanges.isEmpty)
    }

    @Test(arguments: causes) func lostPort_beforeTheInventory_isNotLinked(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.headphones)
        let first = bench.open()
        bench.feed(.host(.streamSilenced(first, lostPortUID: "headphones", cause: cause)))
        let second = bench.open()
        #expect(bench.effects.last == [])
        #expect(bench.configure(SessionConfiguration(category: .ambient)).silent.count == 1, "only the notification")
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(effects.starts(with: [.linkStream(first, [Ports.speaker]), .linkStream(second, [Ports.speaker])]))
    }

    @Test(arguments: causes) func silence_ofAPortTheStreamHasLeft_isOldNews(_ cause: PortLoss) {
        var bench = Bench(both, output: Ports.headphones)
        let stream = bench.open(keepPlaying)
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.feed(.host(.streamSilenced(stream, lostPortUID: "headphones", cause: cause))) == [])
        #expect(bench.feed(.host(.streamSilenced(StreamID(number: 99), lostPortUID: "speaker", cause: cause))) == [])
        #expect(bench.state.streams.first?.ports == [Ports.speaker])
    }

    @Test(arguments: causes) func silencedSpeaker_thatMadeWayForHeadphones_playsOn(_ cause: PortLoss) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open()
        #expect(bench.feed(.host(.streamSilenced(stream, lostPortUID: "speaker", cause: cause))) == [])
        let effects = bench.plug([Ports.headphones], output: Ports.headphones, after: 0.001)
        #expect(effects.first == .linkStream(stream, [Ports.headphones]))
        #expect(effects.count == 2)
        #expect(effects.change?.reason == .newDeviceAvailable)
    }

    @Test(arguments: causes) func silencedSpeaker_thatIsGoneOrCut_pausesWithTheInventory(_ cause: PortLoss) {
        var bench = Bench([Ports.speaker, Ports.hdmi], output: Ports.speaker)
        let stream = bench.open()
        bench.feed(.host(.streamSilenced(stream, lostPortUID: "speaker", cause: cause)))
        #expect(
            bench.plug([Ports.speaker, Ports.hdmi], output: Ports.speaker)
                == [.pausePlayer(stream, .oldDeviceUnavailable), .linkStream(stream, [Ports.speaker])])
        bench.feed(.host(.streamSilenced(stream, lostPortUID: "speaker", cause: cause)))
        #expect(
            bench.plug([Ports.hdmi], output: Ports.hdmi).starts(with: [
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
