import AudioModel
import SessionCore
import Testing

/// Streams of microphones: they follow the route's inputs, and stop when a device comes or goes.
struct RecorderTests {
    private static let recorder = StreamPolicy(direction: .input)

    /// A recording session on a laptop, with one recorder that runs.
    private static func recording(
        _ policy: StreamPolicy = recorder, category: SessionCategory = .playAndRecord, ports: [Port]? = nil,
        input: Port = Ports.mic
    ) -> (Bench, StreamID) {
        var bench = Bench(
            ports ?? [Ports.speaker, Ports.mic], output: Ports.speaker, input: input, category: category)
        let stream = bench.open(policy)
        #expect(bench.record(stream)?.ports == [input])
        bench.play(stream)
        bench.grant()
        #expect(bench.record(stream)?.isStarted == true)
        return (bench, stream)
    }

    private static func pauses(_ effects: [SessionEffect]) -> [PauseCause] {
        effects.compactMap { if case .pausePlayer(_, let cause) = $0 { cause } else { nil } }
    }

    // Behaviour 63
    @Test func recordingStopsOnPlug() {
        var (bench, stream) = Self.recording()
        let effects = bench.plug(
            [Ports.headphones, Ports.headsetMic, Ports.speaker, Ports.mic], output: Ports.headphones,
            input: Ports.headsetMic)
        #expect(Self.pauses(effects) == [.newDeviceAvailable])
        #expect(effects.first == .pausePlayer(stream, .newDeviceAvailable))
        #expect(effects.contains(.linkStream(stream, [Ports.headsetMic])))
        #expect(bench.record(stream)?.playWhenReady == false)
        // It may begin again there.
        #expect(bench.play(stream).contains(.startPlayer(stream)))
    }

    @Test func recording_whileOnlyAnOutputComes_stopsToo() {
        var (bench, stream) = Self.recording()
        let effects = bench.plug(
            [Ports.headphones, Ports.speaker, Ports.mic], output: Ports.headphones, input: Ports.mic)
        #expect(effects.silent.first == .pausePlayer(stream, .newDeviceAvailable))
        #expect(bench.reasons == [.newDeviceAvailable])
    }

    // Behaviour 64
    @Test func recordingStopsOnUnplug() {
        var (bench, stream) = Self.recording(
            ports: [Ports.headphones, Ports.headsetMic, Ports.speaker, Ports.mic], input: Ports.headsetMic)
        // The host is first: nothing is captured any more when this is told.
        let effects = bench.plug(
            [Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic,
            losses: [PortLoss(stream, portUID: Ports.headsetMic.uid)])
        #expect(Self.pauses(effects) == [.oldDeviceUnavailable])
        #expect(effects.contains(.linkStream(stream, [Ports.mic])))
        #expect(bench.record(stream)?.isStarted == false)
    }

    @Test func recording_whileTheOutputLeaves_stopsToo() {
        var bench = Bench(
            [Ports.headphones, Ports.speaker, Ports.mic], output: Ports.headphones, input: Ports.mic,
            category: .playAndRecord)
        let stream = bench.open(Self.recorder)
        bench.play(stream)
        bench.grant()
        let effects = bench.plug([Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic)
        #expect(Self.pauses(effects) == [.oldDeviceUnavailable])
    }

    // Behaviour 65
    @Test func recordingIgnoresCategoryChange() {
        var (bench, stream) = Self.recording()
        let effects = bench.configure(SessionConfiguration(category: .record))
        #expect(Self.pauses(effects) == [])
        #expect(bench.reasons.first == .categoryChange)
        #expect(bench.record(stream)?.isStarted == true)
        #expect(bench.record(stream)?.ports == [Ports.mic])
    }

    // Behaviour 92
    @Test(arguments: [StreamTarget.sessionRoute, .port(uid: Ports.mic.uid)])
    func inputTakenAwayEndsTheRecording(target: StreamTarget) {
        var (bench, stream) = Self.recording(StreamPolicy(direction: .input, target: target))
        let effects = bench.configure(SessionConfiguration(category: .playback))
        #expect(effects.first == .pausePlayer(stream, .noSuitableRoute))
        #expect(Self.pauses(effects) == [.noSuitableRoute])
        #expect(bench.record(stream)?.ports == [])
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    /// As an engine's input, which gives up when it is told.
    @Test func stream_thatContinues_isSuppressedWithoutAnInput() {
        var (bench, stream) = Self.recording(StreamPolicy(direction: .input, onDeviceLoss: .continue))
        let effects = bench.configure(SessionConfiguration(category: .playback))
        #expect(effects.contains(.suppressPlayer(stream, .noSuitableRoute)))
    }

    @Test func recording_inACategoryWithoutInput_isRefused() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, input: Ports.mic)
        let stream = bench.open(Self.recorder)
        #expect(bench.record(stream)?.ports == [])
        let effects = bench.play(stream)
        #expect(effects.replyError()?.code == .incompatibleCategory)
        #expect(effects.silent == [])
        #expect(bench.record(stream)?.playWhenReady == false)
    }

    @Test func recording_withoutAMicrophone_isRefused() {
        var bench = Bench([Ports.speaker], output: Ports.speaker, category: .playAndRecord)
        let stream = bench.open(Self.recorder)
        #expect(bench.play(stream).replyError()?.code == .resourceNotAvailable)
        #expect(bench.state.stage == .inactive)
    }

    /// As an engine's input: whoever asks not to be stopped is moved.
    @Test func stream_thatContinues_followsTheInput() {
        var (bench, stream) = Self.recording(StreamPolicy(direction: .input, onDeviceLoss: .continue))
        let effects = bench.plug(
            [Ports.headphones, Ports.headsetMic, Ports.speaker, Ports.mic], output: Ports.headphones,
            input: Ports.headsetMic)
        #expect(Self.pauses(effects) == [])
        #expect(effects.contains(.linkStream(stream, [Ports.headsetMic])))
        #expect(bench.record(stream)?.isStarted == true)
    }

    @Test func recorder_boundToAnInput_staysThere() {
        var bench = Bench(
            [Ports.speaker, Ports.mic, Ports.usbMic], output: Ports.speaker, input: Ports.mic, category: .playAndRecord)
        let stream = bench.open(StreamPolicy(direction: .input, target: .port(uid: Ports.usbMic.uid)))
        #expect(bench.record(stream)?.ports == [Ports.usbMic])
        let effects = bench.feed(
            .streamOpened(StreamID(number: 99), StreamPolicy(direction: .input, target: .port(uid: Ports.speaker.uid))))
        guard case .failPlayer(_, let error)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .resourceNotAvailable)
        #expect(error.message.contains("Available inputs: \"mic\", \"usb mic\""))
    }

    // Behaviour 82: a microphone never opens by itself.
    @Test func interruptedStaysPausedUntilTheAppPlays() {
        var (bench, stream) = Self.recording()
        let (serial, effects) = bench.join(Bench.music)
        #expect(Self.pauses(effects) == [.interruption])
        #expect(
            bench.leave(serial, notifying: true).withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.activate().contains(where: \.isStart) == false)
        #expect(bench.play(stream).contains(.startPlayer(stream)))
    }

    @Test func ducking_leavesRecordersAlone() {
        var (bench, stream) = Self.recording()
        _ = bench.join(Bench.ducking)
        #expect(bench.record(stream)?.gain == 1)
    }
}
