import AudioModel
import SessionCore
import Testing

/// The input that an app prefers has the route while it may.
@Suite struct PreferredInputTests {
    private static let all = [Ports.speaker, Ports.mic, Ports.usbMic]

    private func bench(category: SessionCategory = .record) -> Bench {
        Bench(Self.all, output: Ports.speaker, input: Ports.mic, category: category)
    }

    @Test(arguments: [SessionCategory.record, .playAndRecord, .multiRoute])
    func preferredInput_hasTheRoute_untilItIsTakenBack(category: SessionCategory) {
        // Both came together: the default is the input of multiRoute too.
        var bench = bench(category: category)
        #expect(bench.state.route.inputs == [Ports.mic])
        let outputs = bench.state.route.outputs
        let effects = bench.prefer(Ports.usbMic)
        #expect(effects.replyError() == nil)
        #expect(effects.change?.reason == .override)
        #expect(bench.state.route == Route(inputs: [Ports.usbMic], outputs: outputs))
        #expect(bench.prefer(Ports.usbMic).silent == [])
        #expect(bench.prefer(nil).change?.current.inputs == [Ports.mic])
        #expect(bench.state.preferredInput == nil)
    }

    @Test func preferredInput_thatLeaves_isPreferredStill() {
        var bench = bench()
        bench.prefer(Ports.usbMic)
        #expect(bench.plug([Ports.speaker, Ports.mic]).change?.reason == .oldDeviceUnavailable)
        #expect(bench.state.route.inputs == [Ports.mic])
        #expect(bench.state.preferredInput == Ports.usbMic)
        #expect(bench.plug(Self.all, input: Ports.mic).change?.reason == .newDeviceAvailable)
        #expect(bench.state.route.inputs == [Ports.usbMic])
    }

    @Test func preferredInput_outlivesACategoryThatCannotUseIt() {
        var bench = bench()
        bench.prefer(Ports.usbMic)
        bench.configure(SessionConfiguration(category: .playback))
        #expect(bench.state.route.inputs == [])
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(bench.state.route.inputs == [Ports.usbMic])
    }

    /// A headset's microphone goes with its earpieces, unless the app says otherwise.
    @Test func preferredInput_besideAHeadset_isTaken() {
        let ports = Self.all + [Ports.headphones, Ports.headsetMic]
        var bench = Bench(ports, output: Ports.headphones, category: .playAndRecord)
        #expect(bench.state.route.inputs == [Ports.headsetMic])
        bench.prefer(Ports.usbMic)
        #expect(bench.state.route == Route(inputs: [Ports.usbMic], outputs: [Ports.headphones]))
        // The override takes the machine's own microphone.
        bench.override(.speaker)
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.speaker]))
        bench.override(.none)
        #expect(bench.state.route.inputs == [Ports.usbMic])
    }

    @Test func preferredInput_whileRecording_isRecordedFrom() {
        var bench = bench()
        let recorder = bench.open(StreamPolicy(direction: .input))
        bench.activate()
        bench.play(recorder)
        let effects = bench.prefer(Ports.usbMic).silent
        #expect(effects.first == .linkStream(recorder, [Ports.usbMic]))
        #expect(effects.change?.current.inputs == [Ports.usbMic])
        #expect(effects.count == 2, "the recorder is not paused: \(effects)")
    }

    @Test func preferredInput_thatIsNotAvailable_isRefusedAndNamesWhatIs() {
        var bench = bench()
        bench.prefer(Ports.usbMic)
        for port in [Ports.headsetMic, Ports.speaker] {
            let error = bench.prefer(port).replyError()
            #expect(error?.code == .badParam)
            for word in [port.uid, "\"mic\"", "\"usb mic\"", "record"] {
                #expect(error?.message.contains(word) == true, "\(word)")
            }
        }
        bench.configure(SessionConfiguration(category: .playback))
        #expect(bench.prefer(Ports.mic).replyError()?.code == .badParam)
        #expect(bench.state.preferredInput == Ports.usbMic)
    }

    @Test func preferredInput_goesWithTheServer() {
        var bench = bench()
        bench.prefer(Ports.usbMic)
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.prefer(nil).replyError()?.code == .mediaServicesFailed)
        bench.feed(.host(.connectionRestored))
        bench.plug(Self.all, output: Ports.speaker, input: Ports.mic)
        bench.configure(SessionConfiguration(category: .record))
        #expect(bench.state.preferredInput == nil)
        #expect(bench.state.route.inputs == [Ports.mic])
    }

    private static func headsetBench() -> Bench {
        var bench = Bench(
            [Ports.speaker, Ports.receiver, Ports.mic, Ports.a2dp, Ports.hfp, Ports.hfpMic], output: Ports.speaker,
            input: Ports.mic)
        bench.configure(
            SessionConfiguration(category: .playAndRecord, options: [.allowBluetoothHFP, .allowBluetoothA2DP]))
        return bench
    }

    // Behaviour 88
    @Test func hfpInAndOutMoveTogether() {
        var bench = Self.headsetBench()
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.receiver]))
        bench.feed(.inputPreferred(bench.call(), uid: Ports.hfpMic.uid))
        #expect(bench.state.route == Route(inputs: [Ports.hfpMic], outputs: [Ports.hfp]))
        bench.feed(.inputPreferred(bench.call(), uid: Ports.mic.uid))
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.receiver]))
    }

    // Behaviour 88, from the output's side: the newer choice wins
    @Test func hfpOutput_thatIsChosen_takesItsMicrophone_andGivesBoth() {
        var bench = Self.headsetBench()
        bench.choose(.port(uid: Ports.hfp.uid))
        #expect(bench.state.route == Route(inputs: [Ports.hfpMic], outputs: [Ports.hfp]))
        bench.feed(.inputPreferred(bench.call(), uid: Ports.mic.uid))
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.receiver]))
        bench.feed(.host(.outputChosenByUser(uid: Ports.hfp.uid)))
        #expect(bench.state.route == Route(inputs: [Ports.hfpMic], outputs: [Ports.hfp]))
        bench.feed(.inputPreferred(bench.call(), uid: Ports.mic.uid))
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.receiver]))
        bench.feed(.inputPreferred(bench.call(), uid: Ports.hfpMic.uid))
        bench.choose(.port(uid: Ports.a2dp.uid))
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.a2dp]))
    }

    /// A server may name the headset's microphone as its default while the sound is on the speaker.
    @Test func hfpMicrophone_thatIsOnlyTheDefault_staysWithItsEarpieces() {
        var bench = Self.headsetBench()
        bench.plug(
            [Ports.speaker, Ports.mic, Ports.hfp, Ports.hfpMic], output: Ports.speaker, input: Ports.hfpMic)
        #expect(bench.state.route == Route(inputs: [Ports.mic], outputs: [Ports.speaker]))
        bench.plug([Ports.speaker, Ports.hfpMic], output: Ports.speaker, input: Ports.hfpMic)
        #expect(bench.state.route.inputs == [Ports.hfpMic], "the only one there is")
    }
}

extension Bench {
    @discardableResult
    fileprivate mutating func prefer(_ port: Port?) -> [SessionEffect] { feed(.inputPreferred(call(), uid: port?.uid)) }
}
