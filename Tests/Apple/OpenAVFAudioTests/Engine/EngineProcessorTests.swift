import CRealtime
import EngineCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A unit in the render cycle, as effects and plug-ins are: where it may be, and what its engine does for it.
@Suite struct EngineProcessorTests {
    /// Doubles what it gets.
    private final class Doubler: ProcessorUnit {
        let shapes = History<ProcessorShape>()
        let refusedChannels: Int?

        init(refusedChannels: Int? = nil) { self.refusedChannels = refusedChannels }

        /// It takes no other number of channels than it gives, as most units.
        func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
            let isEven = shape.inputs.allSatisfy { $0.channels.count == shape.output.channels.count }
            guard !isEven || shape.output.channels.count == refusedChannels else { return }
            throw .timeEffectFormat(effect: title, shape.output, channels: 1...1, highestRate: 48_000)
        }

        func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
            shapes.append(shape)
            return Processor()
        }

        private final class Processor: UnitProcessor {
            let latencyFrames = 96
            let processor = oav_processor(
                process: { _, process in
                    let process = process.pointee
                    for channel in 0..<Int(process.output.channel_count) {
                        for frame in 0..<Int(process.frames) {
                            process.output.channels[channel][frame] = 2 * process.inputs[0].channels[channel][frame]
                        }
                    }
                }, reset: nil, context: nil, quiet_frames: 0)
        }
    }

    /// What an app sees of it.
    private final class Unit: AVAudioNode {
        init(_ unit: any ProcessorUnit) {
            super.init(core: NodeController(.hosted(unit), name: "doubler"))
        }
    }

    private func rendered(_ engine: AVAudioEngine, _ frames: UInt32) throws -> [Float] {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: frames))
        #expect(try engine.renderOffline(frames, to: buffer) == .success)
        return buffer.channels[0]
    }

    @Test func unitBehindAMixer_processesWhatIsMixed() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, mixer, doubler) = (AVAudioPlayerNode(), AVAudioMixerNode(), Doubler())
        let unit = Unit(doubler)
        for node in [player, mixer, unit] { engine.attach(node) }
        engine.connect(player, to: mixer, format: .mono)
        engine.connect(mixer, to: unit, format: .mono)
        engine.connect(unit, to: engine.mainMixerNode, format: .mono)
        #expect(unit.numberOfInputs == 1)
        #expect(unit.latency == 0)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 480)
        try engine.start()
        #expect(doubler.shapes.entries.map(\.maximumFrames) == [480])
        #expect(unit.latency == 0.002)
        #expect(player.outputPresentationLatency == 0.002)
        #expect(unit.outputPresentationLatency == 0)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 960)]))
        player.play()
        #expect(try rendered(engine, 480) == ramp(1, 480).map { 2 * $0 })
        // An edit elsewhere makes no other one.
        engine.attach(AVAudioMixerNode())
        mixer.outputVolume = 1
        #expect(try rendered(engine, 480) == ramp(481, 480).map { 2 * $0 })
        #expect(doubler.shapes.entries.count == 1)
        // Another shape does, once the unit takes it: between the two calls it is silent.
        engine.connect(mixer, to: unit, format: .stereo)
        #expect(doubler.shapes.entries.count == 1)
        engine.connect(unit, to: engine.mainMixerNode, format: .stereo)
        #expect(doubler.shapes.entries.map(\.output.channels.count) == [1, 2])
    }

    @Test func unitThatIsSilent_asItTakesNoSuchShape_isWhyTheEngineDoesNotStart() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, unit) = (AVAudioPlayerNode(), Unit(Doubler()))
        engine.attach(player)
        engine.attach(unit)
        engine.connect(player, to: unit, format: .stereo)
        engine.connect(unit, to: engine.mainMixerNode, format: .mono)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 480)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error.map { OSStatus($0.code) } == kAudioUnitErr_FormatNotSupported)
        #expect(!engine.isRunning)
        engine.connect(unit, to: engine.mainMixerNode, format: .stereo)
        try engine.start()
        #expect(engine.isRunning)
    }

    @Test func unitThatRefusesAShape_isNotConnected() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, unit) = (AVAudioPlayerNode(), Unit(Doubler(refusedChannels: 2)))
        engine.attach(player)
        engine.attach(unit)
        let error = #expect(throws: NSError.self) {
            try engine.connectNode(unit, to: engine.mainMixerNode, format: .stereo)
            try engine.connectNode(player, to: unit, format: .stereo)
        }
        #expect(error.map { OSStatus($0.code) } == kAudioUnitErr_FormatNotSupported)
        #expect(engine.inputConnectionPoint(for: unit, inputBus: 0) == nil)
    }
}
