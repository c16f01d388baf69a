import CAudioTypes
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What an engine captures, on the simulated host: by taps, and through the output.
@Suite struct EngineInputTests {
    // MARK: Formats

    @Test func inputFormat_isTheRoutesInput_andNoneWhereTheCategoryRecordsNothing() throws {
        let machine = try AppMachine.recordingARamp()
        let engine = machine.engine()
        let input = engine.inputNode
        func format() -> [Double] {
            let format = input.inputFormat(forBus: 0)
            #expect(format == input.outputFormat(forBus: 0))
            return [format.sampleRate, Double(format.channelCount)]
        }
        #expect(format() == [0, 0])
        try machine.session.setCategory(.record)
        #expect(format() == [48_000, 1])
        machine.plug(.usbAudio)
        #expect(format() == [48_000, 2])
        machine.unplug(.usbAudio)
        machine.host.setSampleRate(of: AppMachine.microphone, to: 16_000)
        machine.runtime.drain()
        #expect(format() == [16_000, 1])
        machine.unplug(.builtInMic)
        #expect(format() == [0, 0])
        #expect(input.inputFormat(forBus: 1).channelCount == 0)
        try machine.session.setCategory(.playback)
        #expect(format() == [0, 0])
    }

    // MARK: Taps

    @Test func tap_onTheInput_hearsEveryFrame_withoutAnOutput() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode)
        try engine.start()
        #expect(engine.isRunning)
        #expect(machine.runtime.state.streams.map(\.policy.direction) == [.input])
        #expect(machine.runtime.state.activation.isActive)
        #expect(engine.inputNode.lastRenderTime == nil)
        let start = machine.host.frame
        machine.advance(frames: 480 * 31)
        #expect(heard.entries.map(\.frames) == [4800, 4800, 4800])
        #expect(heard.entries.map(\.sampleTime) == [0, 4800, 9600])
        #expect(heard.entries.map { ($0.hostSeconds * 1000).rounded() } == [0, 100, 200])
        #expect(heard.entries.map(\.format) == [[48_000, 1], [48_000, 1], [48_000, 1]])
        #expect(heard.samples == [ramp(start, 14_400)])
        #expect(heard.entries.allSatisfy { !$0.isMainThread })
        #expect(engine.inputNode.lastRenderTime?.sampleTime == Int64(13_920))
        #expect(engine.inputNode.presentationLatency > 0)
        engine.stop()
        #expect(machine.runtime.state.streams.isEmpty)
        #expect(engine.inputNode.lastRenderTime == nil)
    }

    // Behaviour 94: the input's frames, spread over the mixer's channels, at the mixer's volume
    @Test func tapOnUnconnectedMixerHears() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        let mixer = AVAudioMixerNode()
        engine.attach(mixer)
        engine.connect(engine.inputNode, to: mixer, format: engine.inputNode.outputFormat(forBus: 0))
        // What leaves a mixer that leads nowhere has 44.1 kHz.
        let heard = machine.tap(mixer, format: .stereo)
        try engine.start()
        #expect(machine.runtime.state.streams.map(\.policy.direction) == [.input])
        let start = machine.host.frame
        machine.advance(frames: 480 * 21)
        #expect(heard.samples == [ramp(start, 9600), ramp(start, 9600)])
        mixer.outputVolume = 0.5
        let quiet = machine.host.frame
        machine.advance(frames: 480 * 21)
        #expect(heard.samples[0].suffix(4800).allSatisfy { $0 <= 0.5 * Float(machine.host.frame) / 65536 })
        #expect(heard.samples[0].last.map { $0 >= 0.5 * Float(quiet) / 65536 } == true)
        // Where it leads to the output, that clock is heard.
        engine.connect(mixer, to: engine.mainMixerNode, format: nil)
        let count = heard.entries.count
        machine.advance(frames: 480 * 31)
        #expect(heard.entries.count > count)
    }

    /// What a voice recorder asks for: another rate and one channel.
    @Test func tapOnUnconnectedMixer_withAFormatOfItsOwn_isConverted() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let mixer = AVAudioMixerNode()
        engine.attach(mixer)
        engine.connect(engine.inputNode, to: mixer, format: nil)
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 16_000, channels: 1))
        let heard = machine.tap(mixer, frames: 1600, format: format)
        try engine.start()
        machine.advance(frames: 48_000)
        #expect(heard.entries.count >= 8)
        #expect(heard.entries.allSatisfy { $0.format == [16_000, 1] })
        #expect(heard.samples[0].contains { $0 > 0.5 })
    }

    @Test func tap_onTheInput_comesAndGoes_andSurvivesAStop() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let first = machine.tap(engine.inputNode)
        try engine.start()
        machine.advance(frames: 9600)
        engine.inputNode.removeTap(onBus: 0)
        let count = first.entries.count
        machine.advance(frames: 9600)
        #expect(count == 1)
        #expect(first.entries.count == count)
        let second = machine.tap(engine.inputNode)
        engine.stop()
        machine.advance(frames: 9600)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(second.samples.map { Array($0.suffix(4800)) } == [ramp(start, 4800)])
    }

    /// A format from before the route changed is converted, and nil follows the device.
    @Test func tapSurvivesRateChange() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let stale = engine.inputNode.outputFormat(forBus: 0)
        try machine.session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
        machine.host.setInput(of: SimulatedDevice.bluetoothHFP.uid + "/input") { _, _ in 0.5 }
        machine.plug(.bluetoothHFP)
        for (format, expected) in [(AVAudioFormat?.none, [16_000.0, 1]), (stale, [48_000, 1])] {
            let heard = machine.tap(engine.inputNode, format: format)
            try engine.start()
            machine.advance(frames: 48_000)
            engine.stop()
            engine.inputNode.removeTap(onBus: 0)
            let last = try #require(heard.entries.last)
            #expect(last.format == expected)
            // The filter has settled: the level is the microphone's.
            #expect(last.channels.allSatisfy { abs($0[$0.count / 2] - 0.5) < 0.001 })
        }
    }

    @Test func tap_onAnInputThatIsNotThere_hearsItWhenItComes() throws {
        let machine = try AppMachine.recordingARamp(category: .record, devices: [.builtInSpeaker])
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode, format: engine.inputNode.inputFormat(forBus: 0))
        #expect(throws: NSError.self) { try engine.start() }
        machine.plug(.builtInMic)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(heard.entries.map(\.format) == [[48_000, 1]])
    }

    // MARK: Starting

    @Test(
        arguments: [
            (AVAudioSession.Category.playback, AVAudioSession.ErrorCode.incompatibleCategory),
            (.soloAmbient, .incompatibleCategory), (.record, .resourceNotAvailable),
            (.playAndRecord, .resourceNotAvailable),
        ])
    func start_withoutAnInput_throwsWhy(
        _ category: AVAudioSession.Category, _ code: AVAudioSession.ErrorCode
    ) throws {
        let machine = try AppMachine.recordingARamp(category: category, devices: [.builtInSpeaker])
        let engine = machine.engine()
        _ = engine.inputNode
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == code.rawValue)
        #expect(!engine.isRunning)
        #expect(!machine.runtime.state.activation.isActive)
        #expect(machine.runtime.state.streams.isEmpty)
    }

    // MARK: Through the output

    /// Each frame is heard once, unchanged: in the cycle that captured it, or in the next where the output's cycle comes first.
    @Test(arguments: [false, true])
    func input_onTheOutputsClock_isHeardInItsCycleOrTheNext(_ comesLate: Bool) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.host.setInputsComeLate(comesLate)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 48_000)
        let heard = machine.heard(on: AppMachine.speaker, since: start)
        let delay = comesLate ? 480 : 0
        #expect(heard[0] == silence(delay) + ramp(start, 48_000 - delay))
        #expect(heard[0] == heard[1])
    }

    /// The order changes in any cycle: what is heard is the input in one of the two places or a fade, and in the end whole.
    @Test func input_whoseOrderChanges_isHeardWholeAgain() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        var state: UInt64 = 38
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            machine.host.setInputsComeLate(state >> 63 == 0)
            machine.advance(frames: 480)
        }
        let start = machine.host.frame
        for isLate in [true, false, true, false] {
            machine.host.setInputsComeLate(isLate)
            machine.advance(frames: 480)
        }
        #expect(machine.heard(on: AppMachine.speaker, since: start)[0] == ramp(start - 480, 4 * 480))
    }

    /// The clocks come together and part while the engine runs.
    @Test func input_whoseClockChanges_isHeardByTheShortWayAndTheLong() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        let input = try #require(engine.inputNode.core.source as? InputNodeController)
        try engine.start()
        machine.advance(frames: 9600)
        for isApart in [true, false, true, false] {
            machine.host.setInputsHaveOwnClock(isApart)
            machine.advance(frames: 9600)
            #expect(input.sharesCycles == !isApart)
            let later = machine.host.frame
            machine.advance(frames: 4800)
            let heard = machine.heard(on: AppMachine.speaker, since: later)[0]
            let delay = later - Int((heard[0] * 65536).rounded())
            #expect(heard == ramp(later - delay, 4800))
            // None; or the lead and a block, and as much again as cycles pass before the streams count as apart.
            #expect(isApart ? (1920...3840).contains(delay) : delay == 0)
        }
        engine.stop()
    }

    /// The first frames wait behind the lead, and from then on each is heard once, unchanged.
    @Test func input_onAClockOfItsOwn_isHeardFrameForFrame() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.host.setInputsHaveOwnClock(true)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 48_000)
        let heard = machine.heard(on: AppMachine.speaker, since: start)
        // A cycle until the first frames are there, 30 ms and a block.
        let delay = 480 + 1440 + 480
        #expect(Array(heard[0].prefix(delay)) == silence(delay))
        #expect(Array(heard[0].dropFirst(delay)) == ramp(start, 48_000 - delay))
        #expect(heard[0] == heard[1])
        engine.inputNode.volume = 0.5
        machine.advance(frames: 4800)
        let later = machine.host.frame
        machine.advance(frames: 480)
        #expect(
            machine.heard(on: AppMachine.speaker, since: later)[0]
                == ramp(later - delay, 480).map { $0 * 0.5 })
        #expect(engine.isRunning)
    }

    @Test func input_afterAPause_isHeardFromThenOn() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        machine.advance(frames: 9600)
        engine.pause()
        machine.advance(frames: 9600)
        try engine.start()
        let again = machine.host.frame
        machine.advance(frames: 9600)
        let heard = machine.heard(on: AppMachine.speaker, since: again)[0]
        // Nothing that had waited since before the pause, and the sound comes in within 5 ms.
        #expect(Array(heard.dropFirst(240)) == ramp(again + 240, 9600 - 240))
        #expect(zip(heard, ramp(again, 240)).allSatisfy { $0 <= $1 })
    }

    @Test func input_ofAnotherRate_isConvertedForTheOutput() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.host.setSampleRate(of: AppMachine.microphone, to: 16_000)
        machine.host.setInput(of: AppMachine.microphone) { _, _ in 0.25 }
        machine.runtime.drain()
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: engine.inputNode.outputFormat(forBus: 0))
        try engine.start()
        machine.advance(frames: 24_000)
        let later = machine.host.frame
        machine.advance(frames: 24_000)
        let heard = machine.heard(on: AppMachine.speaker, since: later)[0]
        // The filter has settled, and no frame is missing.
        #expect(heard.count == 24_000)
        #expect(heard.allSatisfy { abs($0 - 0.25) < 0.001 })
    }

    @Test func connection_inAnotherFormatThanTheDevices_throws() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        for format in [AVAudioFormat.stereo, .standard(1, rate: 44_100)] {
            let error = #expect(throws: NSError.self) {
                try engine.connectNode(engine.inputNode, to: engine.mainMixerNode, format: format)
            }
            #expect(error?.code == Int(kAudioUnitErr_FormatNotSupported))
        }
        try engine.connectNode(engine.inputNode, to: engine.mainMixerNode, format: .mono)
    }

    @Test func input_atSeveralMixers_hasAVolumeAtEach() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.host.setInput(of: AppMachine.microphone) { _, _ in 0.5 }
        let engine = machine.engine()
        let input = engine.inputNode
        let (near, far) = (AVAudioMixerNode(), AVAudioMixerNode())
        for mixer in [near, far] {
            engine.attach(mixer)
            engine.connect(mixer, to: engine.mainMixerNode, format: .stereo)
        }
        engine.connect(
            input, to: [AVAudioConnectionPoint(node: near, bus: 0), AVAudioConnectionPoint(node: far, bus: 0)],
            fromBus: 0, format: nil)
        input.pan = -1
        input.destination(forMixer: far, bus: 0)?.pan = 1
        input.destination(forMixer: far, bus: 0)?.volume = 0.25
        try engine.start()
        machine.advance(frames: 9600)
        let later = machine.host.frame
        machine.advance(frames: 1)
        #expect(machine.heard(on: AppMachine.speaker, since: later) == [[0.5], [0.125]])
    }

    @Test func output_connectedToAnEngineThatListens_isHeardAtOnce() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        let heard = machine.tap(engine.inputNode)
        try engine.start()
        machine.advance(frames: 4800)
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .stereo)
        #expect(machine.runtime.state.streams.map(\.policy.direction) == [.input, .output])
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480), ramp(1, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 9600)
        #expect(Array(machine.heard(on: AppMachine.speaker, since: start)[0].prefix(480)) == ramp(1, 480))
        #expect(heard.entries.map(\.frames) == [4800, 4800])
        engine.stop()
        #expect(machine.runtime.state.streams.isEmpty)
        // Where there is no output it goes on listening.
        engine.disconnectNodeInput(engine.outputNode)
        try machine.session.setCategory(.record)
        try engine.start()
        engine.connect(engine.mainMixerNode, to: engine.outputNode, format: nil)
        #expect(engine.isRunning)
        #expect(machine.runtime.state.streams.map(\.policy.direction) == [.input])
    }

    @Test func recordCategory_withTheMainMixerConnected_listensAndIsSilent() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        let heard = machine.tap(engine.inputNode)
        try engine.start()
        machine.advance(frames: 9600)
        #expect(engine.isRunning)
        #expect(heard.entries.map(\.frames) == [4800])
        #expect(machine.runtime.state.streams.map(\.policy.direction) == [.input])
        engine.stop()
        // Where something may sound, it does.
        try machine.session.setCategory(.playAndRecord)
        try engine.start()
        #expect(machine.runtime.state.streams.count == 2)
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(on: AppMachine.speaker, since: start)[0].contains { $0 != 0 })
        engine.stop()
    }
}
