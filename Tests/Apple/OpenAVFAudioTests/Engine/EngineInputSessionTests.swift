import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What the session and the machine do to an engine that captures.
@Suite struct EngineInputSessionTests {
    private func start(
        _ machine: AppMachine, throughOutput: Bool = false
    ) throws -> (AVAudioEngine, History<HeardBuffer>, EngineChanges) {
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode)
        if throughOutput { engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil) }
        let changes = EngineChanges(of: engine, .input)
        try engine.start()
        machine.advance(frames: 4800)
        return (engine, heard, changes)
    }

    @Test(arguments: [false, true])
    func anotherChannelCount_stopsTheEngineOnce_andItStartsAgain(throughOutput: Bool) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, changes) = try start(machine, throughOutput: throughOutput)
        machine.plug(.usbAudio)
        #expect(changes.history.entries == ["running false, 2 at 48000"])
        #expect(!engine.isRunning)
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count == count)
        try engine.start()
        let again = machine.host.frame
        machine.advance(frames: 9600)
        #expect(heard.entries.last?.format == [48_000, 2])
        #expect(heard.entries.last?.channels == [ramp(again, 4800), ramp(again, 4800).map { -$0 }])
        #expect(changes.history.entries.count == 1)
    }

    @Test func anotherRate_stopsTheEngineOnce() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let (engine, _, changes) = try start(machine)
        machine.host.setSampleRate(of: AppMachine.microphone, to: 44_100)
        machine.runtime.drain()
        machine.host.setSampleRate(of: AppMachine.microphone, to: 16_000)
        machine.runtime.drain()
        #expect(changes.history.entries == ["running false, 1 at 44100"])
        #expect(!engine.isRunning)
    }

    @Test func handler_thatStartsAgain_capturesTheNewInput() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode)
        let changes = EngineChanges(of: engine, .input) { try? $0.start() }
        try engine.start()
        machine.plug(.usbAudio)
        #expect(engine.isRunning)
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(heard.samples == [ramp(start, 4800), ramp(start, 4800).map { -$0 }])
        #expect(changes.history.entries == ["running false, 2 at 48000"])
    }

    /// A headset's microphone has the built-in one's shape.
    @Test func lostInput_whoseHeirHasItsFormat_isFollowed() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.plug(.wiredHeadset)
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode)
        let changes = EngineChanges(of: engine, .input)
        try engine.start()
        machine.advance(frames: 4800)
        machine.unplug(.wiredHeadset)
        #expect(engine.isRunning)
        let moved = machine.host.frame
        machine.advance(frames: 9600)
        #expect(changes.history.entries == [])
        #expect(heard.samples == [ramp(moved - 4800, 9600)])
        #expect(machine.runtime.state.route.inputs.map(\.uid) == [AppMachine.microphone])
    }

    @Test func lastInputGone_stopsAnEngineWithoutAnOutput_once() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let (engine, _, changes) = try start(machine)
        machine.unplug(.builtInMic)
        #expect(changes.history.entries == ["running false, 0 at 0"])
        #expect(!engine.isRunning)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == AVAudioSession.ErrorCode.resourceNotAvailable.rawValue)
        machine.plug(.builtInMic)
        #expect(!engine.isRunning)
        try engine.start()
        #expect(changes.history.entries.count == 1)
    }

    @Test func lastInputGone_playsOn_andCapturesAfterTheNextStart() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, changes) = try start(machine, throughOutput: true)
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: player.outputFormat(forBus: 0), frameCapacity: 48_000))
        buffer.frameLength = 48_000
        for frame in 0..<48_000 { buffer.floatChannelData?[0][frame] = 0.5 }
        player.scheduleBuffer(buffer)
        player.play()
        machine.advance(frames: 4800)
        machine.unplug(.builtInMic)
        machine.advance(frames: 9600)
        #expect(engine.isRunning && player.isPlaying)
        let (count, loud) = (heard.entries.count, machine.host.loudFrames(of: AppMachine.speaker))
        machine.advance(frames: 9600)
        #expect(machine.host.loudFrames(of: AppMachine.speaker) == loud + 9600)
        machine.plug(.builtInMic)
        machine.advance(frames: 9600)
        #expect(heard.entries.count == count)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.count > count)
        #expect(changes.history.entries == [])
    }

    @Test func categoryWithoutInput_playsOn() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, changes) = try start(machine, throughOutput: true)
        try machine.session.setCategory(.playback)
        machine.runtime.drain()
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(engine.isRunning)
        #expect(heard.entries.count == count)
        #expect(changes.history.entries == [])
    }

    /// The microphone is not heard on the speaker before the app starts the engine again.
    @Test func lostOutput_capturesOn_andSilencesTheOutput() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.plug(.wiredHeadphones)
        let (engine, heard, changes) = try start(machine, throughOutput: true)
        machine.unplug(.wiredHeadphones)
        #expect(engine.isRunning)
        #expect(changes.history.entries == [])
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count == count + 2)
        #expect(machine.host.loudFrames(of: AppMachine.speaker) == 0)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(machine.host.loudFrames(of: AppMachine.speaker) > 0)
    }

    @Test(arguments: [false, true])
    func interruption_stopsTheCapture_untilTheAppStartsAgain(throughOutput: Bool) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, changes) = try start(machine, throughOutput: throughOutput)
        machine.host.receiveCall()
        machine.runtime.drain()
        #expect(!engine.isRunning)
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count == count)
        #expect(throws: NSError.self) { try engine.start() }
        machine.host.endCall()
        machine.runtime.drain()
        machine.advance(frames: 4800)
        #expect(!engine.isRunning)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.count > count)
        #expect(changes.history.entries == [])
    }

    @Test func deactivation_stopsTheCapture() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let (engine, heard, _) = try start(machine)
        try machine.session.setActive(false)
        machine.runtime.drain()
        #expect(!engine.isRunning)
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count == count)
    }

    @Test func mediaServicesLost_endTheEngineForGood() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let (engine, _, changes) = try start(machine)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(!engine.isRunning)
        machine.host.restartServer()
        machine.runtime.drain()
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
        #expect(changes.history.entries == [])
        try machine.session.setCategory(.record)
        let another = machine.engine()
        let heard = machine.tap(another.inputNode)
        try another.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.count == 1)
    }

    @Test(arguments: [0, 1])
    func streamThatFails_endsTheOtherToo_andTheNextStartOpensBoth(failing: Int) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, changes) = try start(machine, throughOutput: true)
        let ids = machine.runtime.state.streams.map(\.id)
        machine.host.failStream(ids[failing], with: .refused("a test"))
        machine.runtime.drain()
        #expect(!engine.isRunning)
        #expect(changes.history.entries == ["running false, 1 at 48000"])
        #expect(machine.runtime.state.streams.isEmpty)
        try engine.start()
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count > count)
        #expect(machine.runtime.state.streams.count == 2)
    }

    @Test func outputThatCanNotBeOpened_leavesNoInputOpen() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        machine.host.failNextOpen(with: .refused("a test"))
        #expect(throws: NSError.self) { try engine.start() }
        #expect(machine.runtime.state.streams.isEmpty)
        #expect(!engine.isRunning)
        try engine.start()
        #expect(engine.isRunning)
    }

    @Test func start_ofARunningEngine_startsTheInputThatCameSince() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        _ = engine.mainMixerNode
        try engine.start()
        let heard = machine.tap(engine.inputNode)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.map(\.frames) == [4800])
        #expect(machine.runtime.state.streams.allSatisfy { $0.playWhenReady })
    }

    @Test func start_ofAListener_startsTheOutputThatTheCategoryHasNow() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        try machine.session.setCategory(.playAndRecord)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(on: AppMachine.speaker, since: start)[0].contains { $0 != 0 })
    }

    @Test(arguments: [0, 1])
    func streamThatCanNotBeLinked_isSaid_andTheNextStartOpensAnother(inputs: Int) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        _ = engine.mainMixerNode
        if inputs > 0 { _ = engine.inputNode }
        machine.host.failNextLink(with: .refused("a test"))
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.localizedDescription == "A test.")
        machine.runtime.drain()
        #expect(machine.runtime.state.streams.isEmpty)
        try engine.start()
        #expect(engine.isRunning)
        engine.stop()
        #expect(machine.runtime.state.streams.isEmpty)
    }

    @Test func outputDisconnectedWhileRunning_restsWithTheEngine() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, _) = try start(machine, throughOutput: true)
        engine.disconnectNodeInput(engine.outputNode)
        machine.advance(frames: 4800)
        #expect(engine.isRunning)
        engine.pause()
        machine.advance(frames: 480)
        #expect(machine.runtime.state.streams.allSatisfy { !$0.playWhenReady })
        try engine.start()
        let count = heard.entries.count
        machine.advance(frames: 9600)
        #expect(heard.entries.count > count)
        #expect(machine.runtime.state.streams.map(\.playWhenReady) == [true, false])
    }

    /// Of several microphones the last one that came, beside all outputs.
    @Test func multiRoute_capturesTheLastInput_besideAllOutputs() throws {
        let machine = try AppMachine.recordingARamp(category: .multiRoute, devices: [.builtInMic, .hdmi, .usbAudio])
        let engine = machine.engine()
        #expect(engine.inputNode.inputFormat(forBus: 0).channelCount == 2)
        #expect(engine.outputNode.outputFormat(forBus: 0).channelCount == 10)
        let heard = machine.tap(engine.inputNode)
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(heard.samples == [ramp(start, 4800), ramp(start, 4800).map { -$0 }])
        // The lost microphone takes an output with it.
        let changes = EngineChanges(of: engine, .input)
        machine.unplug(.usbAudio)
        #expect(changes.history.entries == ["running false, 1 at 48000"])
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.last?.format == [48_000, 1])
    }

    @Test func engine_thatIsGone_leavesNoStream() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        weak var last: AVAudioEngine?
        do {
            let (engine, _, _) = try start(machine, throughOutput: true)
            last = engine
        }
        #expect(last == nil)
        #expect(machine.runtime.state.streams.isEmpty)
        machine.advance(frames: 480)
    }

    @Test func pause_keepsTheStreams_andStartGoesOn() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let (engine, heard, _) = try start(machine, throughOutput: true)
        engine.pause()
        #expect(!engine.isRunning)
        machine.advance(frames: 9600)
        let count = heard.entries.count
        #expect(machine.runtime.state.streams.count == 2)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.count > count)
    }
}
