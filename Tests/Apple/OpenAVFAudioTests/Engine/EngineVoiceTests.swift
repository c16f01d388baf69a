import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Voice processing as apps use it, on the simulated host: the microphone hears the speaker through a room.
@Suite struct EngineVoiceTests {
    private let machine: AppMachine
    private let engine: AVAudioEngine

    init() throws {
        machine = try AppMachine(devices: [.builtInSpeaker, .builtInMic])
        try machine.session.setCategory(.playAndRecord, mode: .videoChat)
        engine = machine.engine()
    }

    /// What a person says near the microphone, and what comes back of what the speaker plays.
    private final class Room: Sendable {
        private let air: Mutex<[Float]>
        private let paths: [(frames: Int, gain: Float)]

        init(near: [Float] = [], seconds: Double, paths: [(frames: Int, gain: Float)] = []) {
            self.paths = paths
            var random = Seeded(seed: 4)
            var sound = (0..<Int(seconds * 48_000)).map { _ in Float.random(in: -1e-4...1e-4, using: &random) }
            for frame in 0..<min(near.count, sound.count) { sound[frame] += near[frame] }
            air = Mutex(sound)
        }

        var hasEcho: Bool { !paths.isEmpty }

        func signal(from start: Int) -> InputSignal {
            { [self] frame, _ in air.withLock { $0.indices.contains(frame - start) ? $0[frame - start] : 0 } }
        }

        /// - Parameter first: of the played frames, since the room's begin.
        func add(_ played: [Float], at first: Int) {
            air.withLock { air in
                for path in paths {
                    for (index, sample) in played.enumerated() {
                        let frame = first + index + path.frames
                        if air.indices.contains(frame) { air[frame] += sample * path.gain }
                    }
                }
            }
        }
    }

    /// Runs until the room's sound is over.
    private func run(_ room: Room, seconds: Double) {
        let start = machine.host.frame
        machine.host.setInput(of: AppMachine.microphone, room.signal(from: start))
        var played = start
        while machine.host.frame < start + Int(seconds * 48_000) {
            machine.advance(frames: 480)
            guard room.hasEcho else { continue }
            let new = machine.heard(on: AppMachine.speaker, since: played)[0]
            room.add(new, at: played - start)
            played += new.count
        }
    }

    @Test func voiceProcessing_takesTheEchoOfThePlayerOut() throws {
        try engine.inputNode.setVoiceProcessingEnabled(true)
        #expect(engine.inputNode.isVoiceProcessingEnabled && engine.outputNode.isVoiceProcessingEnabled)
        let heard = machine.tap(engine.inputNode)
        let (_, player) = try machine.engineWithPlayer(format: .mono, on: engine)
        let speech = EchoRoom.speech(seconds: 5, seed: 7)
        player.scheduleBuffer(AVAudioPCMBuffer([speech]))
        player.play()
        let paths: [(frames: Int, gain: Float)] = [(1440, 0.25), (1700, 0.1), (2400, -0.05), (3600, 0.02)]
        let room = Room(seconds: 4, paths: paths)
        run(room, seconds: 4)
        var echo = [Float](repeating: 0, count: 48_000)
        // One channel of two plays; both are added for the canceller.
        for path in paths {
            for frame in echo.indices { echo[frame] += speech[frame + 3 * 48_000 - path.frames] * path.gain }
        }
        let samples = heard.samples[0]
        #expect(samples.count > 180_000)
        let loss = EchoRoom.decibels(echo) - EchoRoom.decibels(samples[(3 * 48_000)...])
        #expect(loss > 40, "\(loss) dB")
        #expect(engine.inputNode.presentationLatency >= 0.01)
    }

    /// Heard in its own cycle as without voice processing, or in the next where the output's cycle comes first.
    @Test(arguments: [false, true], [300, 480])
    func input_thatIsHeard_comesABlockLater(comesLate: Bool, cycleFrames: Int) throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        machine.host.setInputsComeLate(comesLate)
        let engine = machine.engine()
        try engine.inputNode.setVoiceProcessingEnabled(true)
        engine.inputNode.isVoiceProcessingBypassed = true
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        try engine.start()
        let start = machine.host.frame
        for _ in 0..<100 { machine.advance(frames: cycleFrames) }
        let delay = 480 + (comesLate ? cycleFrames : 0)
        let heard = machine.heard(on: AppMachine.speaker, since: start)
        #expect(heard[0] == silence(delay) + ramp(start, 100 * cycleFrames - delay))
        #expect(heard[0] == heard[1])
    }

    /// What the speaker plays is in part what the microphone has heard.
    @Test func echo_isTakenOut_whileTheInputIsHeard() throws {
        try engine.inputNode.setVoiceProcessingEnabled(true)
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        let heard = machine.tap(engine.inputNode)
        let (_, player) = try machine.engineWithPlayer(format: .mono, on: engine)
        let speech = EchoRoom.speech(seconds: 5, seed: 7)
        player.scheduleBuffer(AVAudioPCMBuffer([speech]))
        player.play()
        run(Room(seconds: 4, paths: [(1440, 0.25), (1700, 0.1), (2400, -0.05)]), seconds: 4)
        let played = EchoRoom.decibels(speech[(3 * 48_000)..<(4 * 48_000)])
        let loss = played - EchoRoom.decibels(heard.samples[0][(3 * 48_000)...])
        #expect(loss > 50, "\(loss) dB")
    }

    @Test func bypassed_theEchoStays_andMuted_nothingIsHeard() throws {
        try engine.outputNode.setVoiceProcessingEnabled(true)
        let input = engine.inputNode
        #expect(input.isVoiceProcessingAGCEnabled && !input.isVoiceProcessingBypassed)
        #expect(!input.isVoiceProcessingInputMuted)
        input.isVoiceProcessingBypassed = true
        input.isVoiceProcessingAGCEnabled = false
        #expect(input.isVoiceProcessingBypassed && !input.isVoiceProcessingAGCEnabled)
        let heard = machine.tap(input)
        try engine.start()
        run(Room(near: [Float](repeating: 0.25, count: 24_000), seconds: 0.5), seconds: 0.5)
        #expect(heard.samples[0].suffix(4800).allSatisfy { abs($0 - 0.25) < 0.001 })
        input.isVoiceProcessingInputMuted = true
        #expect(input.isVoiceProcessingInputMuted)
        run(Room(near: [Float](repeating: 0.25, count: 24_000), seconds: 0.5), seconds: 0.5)
        #expect(heard.samples[0].suffix(4800).allSatisfy { $0 == 0 })
    }

    @Test func speechWhileMuted_isTold_onceWithItsEnd() throws {
        let input = engine.inputNode
        #expect(!input.setMutedSpeechActivityEventListener { _ in })
        try input.setVoiceProcessingEnabled(true)
        let events = History<AVAudioVoiceProcessingSpeechActivityEvent>()
        #expect(input.setMutedSpeechActivityEventListener { events.append($0) })
        try engine.start()
        run(Room(near: EchoRoom.speech(seconds: 1, seed: 5, pitch: 200), seconds: 2), seconds: 2)
        #expect(events.entries == [])
        input.isVoiceProcessingInputMuted = true
        run(Room(near: EchoRoom.speech(seconds: 1, seed: 5, pitch: 200), seconds: 2), seconds: 2)
        #expect(events.entries == [.started, .ended])
        #expect(input.setMutedSpeechActivityEventListener(nil))
        run(Room(near: EchoRoom.speech(seconds: 1, seed: 5, pitch: 200), seconds: 2), seconds: 2)
        #expect(events.entries == [.started, .ended])
    }

    @Test func voiceProcessing_isSwitchedWhileStoppedOnly_andNotInManualRendering() throws {
        let input = engine.inputNode
        try engine.start()
        var error = #expect(throws: NSError.self) { try input.setVoiceProcessingEnabled(true) }
        #expect(error?.localizedDescription.contains("stop the engine first") == true)
        engine.stop()
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 512)
        error = #expect(throws: NSError.self) { try input.setVoiceProcessingEnabled(true) }
        #expect(error?.localizedDescription.contains("disableManualRenderingMode()") == true)
        #expect(!input.isVoiceProcessingEnabled)
        engine.disableManualRenderingMode()
        engine.prepare()
        try input.setVoiceProcessingEnabled(true)
        #expect(machine.runtime.state.streams.isEmpty)
        try engine.start()
        #expect(throws: NSError.self) { try input.setVoiceProcessingEnabled(false) }
        engine.stop()
        try engine.outputNode.setVoiceProcessingEnabled(false)
        #expect(!input.isVoiceProcessingEnabled && !input.isVoiceProcessingAGCEnabled)
        input.isVoiceProcessingInputMuted = true
        #expect(!input.isVoiceProcessingInputMuted)
    }

    /// The claims' part of it is in `OtherAudioContractTests`.
    @Test func engineWithVoiceProcessing_ducksOthers_whileItRuns() throws {
        try machine.session.setCategory(.playAndRecord, mode: .default, options: .mixWithOthers)
        try engine.inputNode.setVoiceProcessingEnabled(true)
        let state = { [machine] in
            machine.runtime.drain()
            return machine.runtime.state
        }
        try engine.start()
        #expect(state().isDuckingOthers)
        #expect(machine.session.mode == .voiceChat)
        #expect(machine.session.categoryOptions == [.mixWithOthers, .allowBluetoothHFP])
        engine.stop()
        #expect(!state().isDuckingOthers)
        try engine.inputNode.setVoiceProcessingEnabled(false)
        _ = machine.tap(engine.inputNode)
        try engine.start()
        #expect(!state().isDuckingOthers)
        engine.stop()
    }

    @Test func duckingConfiguration_isKept() {
        let input = engine.inputNode
        var configuration = input.voiceProcessingOtherAudioDuckingConfiguration
        #expect(!configuration.enableAdvancedDucking.boolValue && configuration.duckingLevel == .default)
        configuration = .init(enableAdvancedDucking: true, duckingLevel: .max)
        input.voiceProcessingOtherAudioDuckingConfiguration = configuration
        #expect(input.voiceProcessingOtherAudioDuckingConfiguration.enableAdvancedDucking.boolValue)
        #expect(input.voiceProcessingOtherAudioDuckingConfiguration.duckingLevel == .max)
        typealias Level = AVAudioVoiceProcessingOtherAudioDuckingConfiguration.Level
        #expect([Level.default, .min, .mid, .max].map(\.rawValue) == [0, 10, 20, 30])
        typealias Event = AVAudioVoiceProcessingSpeechActivityEvent
        #expect([Event.started, .ended].map(\.rawValue) == [0, 1])
    }

    /// Without a call of the app's to the engine.
    @Test func preferredEchoCancelledInput_cleansTheNextStart() throws {
        try machine.session.setCategory(.playAndRecord, mode: .default)
        #expect(machine.session.isEchoCancelledInputAvailable && !machine.session.isEchoCancelledInputEnabled)
        try machine.session.setPrefersEchoCancelledInput(true)
        #expect(machine.session.isEchoCancelledInputEnabled)
        _ = engine.inputNode
        let (_, player) = try machine.engineWithPlayer(format: .mono, on: engine)
        let heard = machine.tap(engine.inputNode)
        player.scheduleBuffer(AVAudioPCMBuffer([EchoRoom.speech(seconds: 4, seed: 7)]))
        player.play()
        run(Room(seconds: 3.5, paths: [(1440, 0.5)]), seconds: 3.5)
        #expect(!engine.inputNode.isVoiceProcessingEnabled)
        #expect(EchoRoom.decibels(heard.samples[0].suffix(48_000)) < -60)
        try machine.session.setCategory(.playAndRecord, mode: .videoChat)
        #expect(!machine.session.isEchoCancelledInputEnabled)
    }
}
