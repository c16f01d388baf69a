import Foundation
import RuntimeTestSupport
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Environments as apps use them: rendered by hand, and on the simulated host.
@Suite struct EngineSpaceTests {
    private let bench: EnvironmentBench
    private var engine: AVAudioEngine { bench.engine }
    private var environment: AVAudioEnvironmentNode { bench.environment }
    private var player: AVAudioPlayerNode { bench.player }

    init() throws { bench = try EnvironmentBench() }

    private func startByHand() throws { try bench.startByHand() }
    private func render(blocks: Int = 6) throws -> [Float] { try bench.render(blocks: blocks) }

    private func expect(_ heard: [Float], _ left: Double, _ right: Double) {
        #expect(heard.count == 2)
        #expect(abs(Double(heard.first ?? 9) - left) < 1e-4 && abs(Double(heard.last ?? 9) - right) < 1e-4, "\(heard)")
    }

    /// Starts with the source 4 in front of the listener, whose sound is 0.125 divided between both channels.
    private func startAhead() throws {
        player.position = AVAudioMake3DPoint(0, 0, -4)
        try startByHand()
        let half = 0.125 / 2.0.squareRoot()
        expect(try render(), half, half)
    }

    @Test func source_onTheRight_isHeardThere_quieterWithItsDistance() throws {
        player.position = AVAudioMake3DPoint(2, 0, 0)
        try startByHand()
        expect(try render(), 0, 0.25)
    }

    @Test func source_thatMovesAheadWhilePlaying_isHeardOnBothSides() throws {
        player.position = AVAudioMake3DPoint(2, 0, 0)
        try startByHand()
        expect(try render(), 0, 0.25)
        player.position = AVAudio3DPoint(x: 0, y: 0, z: -4)
        let half = 0.125 / 2.0.squareRoot()
        expect(try render(), half, half)
    }

    @Test func position_isReadAsItWasSet() {
        player.position = AVAudio3DPoint(x: 1, y: 2, z: -4)
        #expect((player.position.x, player.position.y, player.position.z) == (1, 2, -4))
    }

    @Test func listener_thatComesNearerAndTurnsRight_hearsTheSourceOnTheLeft() throws {
        try startAhead()
        environment.listenerPosition = AVAudioMake3DPoint(0, 0, -3)
        environment.listenerAngularOrientation = AVAudioMake3DAngularOrientation(90, 0, 0)
        expect(try render(), 0.5, 0)
    }

    @Test func angles_areReadAsVectors() {
        environment.listenerAngularOrientation = AVAudioMake3DAngularOrientation(90, 0, 0)
        #expect(abs(environment.listenerVectorOrientation.forward.x - 1) < 1e-6)
    }

    @Test func listener_thatComesNearerAndLooksLeft_hearsTheSourceOnTheRight() throws {
        try startAhead()
        environment.listenerPosition = AVAudioMake3DPoint(0, 0, -3)
        environment.listenerVectorOrientation = AVAudioMake3DVectorOrientation(
            AVAudioMake3DVector(-1, 0, 0), AVAudio3DVector(x: 0, y: 1, z: 0))
        expect(try render(), 0, 0.5)
    }

    @Test func vectors_areReadAsAngles() {
        environment.listenerAngularOrientation = AVAudioMake3DAngularOrientation(90, 0, 0)
        environment.listenerVectorOrientation = AVAudioMake3DVectorOrientation(
            AVAudioMake3DVector(-1, 0, 0), AVAudio3DVector(x: 0, y: 1, z: 0))
        #expect(abs(environment.listenerAngularOrientation.yaw + 90) < 0.01)
    }

    @Test func volumes_ofTheEnvironmentAndTheSource_multiply() throws {
        player.position = AVAudioMake3DPoint(1, 0, 0)
        try startByHand()
        expect(try render(), 0, 0.5)
        environment.outputVolume = 0.5
        player.volume = 0.5
        expect(try render(), 0, 0.125)
    }

    @Test func distanceAttenuation_followsItsModel() throws {
        let parameters = environment.distanceAttenuationParameters
        #expect(parameters.distanceAttenuationModel == .inverse && parameters.maximumDistance == 100_000)
        #expect(parameters.referenceDistance == 1 && parameters.rolloffFactor == 1)
        player.position = AVAudioMake3DPoint(6, 0, 0)
        try startByHand()
        (parameters.referenceDistance, parameters.rolloffFactor) = (2, 2)
        expect(try render(), 0, 0.5 * 2 / (2 + 2 * 4))
        parameters.distanceAttenuationModel = .exponential
        expect(try render(), 0, 0.5 / 9)
        (parameters.distanceAttenuationModel, parameters.maximumDistance) = (.linear, 18)
        expect(try render(), 0, 0.25)
    }

    @Test func obstructionAndOcclusion_areAdded() throws {
        player.position = AVAudioMake3DPoint(1, 0, 0)
        player.obstruction = -10
        player.occlusion = -10
        player.reverbBlend = 0.5
        player.rate = 2
        #expect(player.obstruction == -10 && player.occlusion == -10 && player.reverbBlend == 0.5 && player.rate == 2)
        try startByHand()
        expect(try render(), 0, 0.05)
        player.occlusion = 7
        player.obstruction = -1000
        #expect(player.occlusion == 0 && player.obstruction == -100)
    }

    @Test func reverbParameters_sendAShareOfEachSourceIntoTheRoom() throws {
        let room: AVAudioEnvironmentReverbParameters = environment.reverbParameters
        #expect(!room.enable && room.level == 0 && room.filterParameters.bypass)
        player.position = AVAudioMake3DPoint(1, 0, 0)
        player.reverbBlend = 1
        try startByHand()
        expect(try render(), 0, 0.5)
        room.enable = true
        // A level that stays: what the room makes of it is as loud after a while.
        let whole = try render(blocks: 300)
        #expect(abs(whole[0]) > 0.01 && abs(whole[1]) > 0.01, "the room is on both sides: \(whole)")
        room.level = -20
        let quiet = try render(blocks: 60)
        #expect(zip(whole, quiet).allSatisfy { abs($0 * 0.1 - $1) < 0.002 }, "\(whole), \(quiet)")
        room.filterParameters.filterType = .highPass
        room.filterParameters.bypass = false
        expect(try render(blocks: 60).map { abs($0) < 0.002 ? 0 : $0 }, 0, 0)
        room.filterParameters.bypass = true
        room.level = 100
        #expect(room.level == 20)
        room.level = 0
        player.reverbBlend = 0.5
        _ = try render(blocks: 300)
        player.stop()
        #expect(try render(blocks: 2).contains { abs($0) > 0.001 }, "a tail")
        room.loadFactoryReverbPreset(.smallRoom)
        room.enable = false
        _ = try render(blocks: 100)
        expect(try render(), 0, 0)
    }

    /// Another environment's destination has a share of its own.
    @Test func reverbBlend_ofADestination_isItsOwn() throws {
        environment.reverbParameters.enable = true
        player.position = AVAudioMake3DPoint(1, 0, 0)
        let destination = try #require(player.destination(forMixer: environment, bus: 0))
        destination.reverbBlend = 1
        #expect(destination.reverbBlend == 1 && player.reverbBlend == 0)
        try startByHand()
        let heard = try render(blocks: 300)
        #expect(abs(heard[0]) > 0.01, "only the room is on the left: \(heard)")
    }

    /// A second source on the next bus, with settings of its connection alone.
    @Test func destination_hasAPlaceOfItsOwn() throws {
        player.position = AVAudioMake3DPoint(1, 0, 0)
        #expect(environment.nextAvailableInputBus == 1)
        let destination = try #require(player.destination(forMixer: environment, bus: 0))
        destination.position = AVAudioMake3DPoint(-1, 0, 0)
        #expect(player.position.x == 1 && destination.position.x == -1)
        try startByHand()
        expect(try render(), 0.5, 0)
        destination.sourceMode = .bypass
        destination.renderingAlgorithm = .stereoPassThrough
        destination.pointSourceInHeadMode = .bypass
        #expect(destination.sourceMode == .bypass && destination.renderingAlgorithm == .stereoPassThrough)
        #expect(destination.pointSourceInHeadMode == .bypass)
        expect(try render(), 0.5, 0.5)
        #expect(player.sourceMode == .spatializeIfMono && player.renderingAlgorithm == .equalPowerPanning)
    }

    /// The near ear is louder, and both ears hear a source ahead alike: needs libmysofa, else both tests of it are of panning.
    @Test func head_hearsTheNearSideLouder() throws {
        let algorithms = environment.applicableRenderingAlgorithms.map(\.intValue)
        #expect(algorithms.first == 0 && algorithms.contains(5) && algorithms.last == 7)
        player.renderingAlgorithm = .HRTF
        player.position = AVAudioMake3DPoint(-1, 0, 0)
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 1024)
        try engine.start()
        player.play()
        player.scheduleBuffer(AVAudioPCMBuffer([EchoRoom.speech(seconds: 2, seed: 3)]))
        func levels() throws -> [Double] {
            var heard: [[Float]] = [[], []]
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 1024))
            for _ in 0..<30 {
                _ = try engine.renderOffline(1024, to: buffer)
                for (index, channel) in buffer.channels.enumerated() { heard[index] += channel }
            }
            return heard.map { EchoRoom.decibels($0) }
        }
        var level = try levels()
        #expect(level[0] > level[1] + 5)
        player.position = AVAudioMake3DPoint(0, 0, -1)
        _ = try levels()
        level = try levels()
        #expect(abs(level[0] - level[1]) < 1)
    }

    @Test func environment_onTheSimulatedHost_sounds_andItsValuesAreApples() throws {
        player.position = AVAudioMake3DPoint(3, 0, 0)
        environment.distanceAttenuationParameters.rolloffFactor = 0
        try engine.start()
        player.play()
        player.scheduleBuffer(AVAudioPCMBuffer([[Float](repeating: 0.5, count: 9600)]))
        bench.machine.advance(frames: 9600)
        let heard = bench.machine.heard()
        #expect(heard[1].max().map { abs($0 - 0.5) < 1e-4 } == true)
        #expect(heard[0].allSatisfy { abs($0) < 1e-4 })
        #expect(environment.outputType == .auto)
        environment.outputType = .headphones
        #expect(environment.outputType == .headphones)
        typealias Output = AVAudioEnvironmentOutputType
        #expect([Output.auto, .headphones, .builtInSpeakers, .externalSpeakers].map(\.rawValue) == [0, 1, 2, 3])
        typealias Model = AVAudioEnvironmentDistanceAttenuationModel
        #expect([Model.exponential, .inverse, .linear].map(\.rawValue) == [1, 2, 3])
        typealias Algorithm = AVAudio3DMixingRenderingAlgorithm
        let algorithms: [Algorithm] = [
            .equalPowerPanning, .sphericalHead, .HRTF, .soundField, .stereoPassThrough, .HRTFHQ, .auto,
        ]
        #expect(algorithms.map(\.rawValue) == [0, 1, 2, 3, 5, 6, 7])
        typealias Mode = AVAudio3DMixingSourceMode
        #expect([Mode.spatializeIfMono, .bypass, .pointSource, .ambienceBed].map(\.rawValue) == [0, 1, 2, 3])
        typealias Head = AVAudio3DMixingPointSourceInHeadMode
        #expect([Head.mono, .bypass].map(\.rawValue) == [0, 1])
        #expect(AVAudio3DVectorOrientation().up.y == 0 && AVAudio3DAngularOrientation().roll == 0)
        #expect(AVAudio3DAngularOrientation(yaw: 1, pitch: 2, roll: 3).pitch == 2)
        #expect((environment.volume, environment.pan) == (1, 0))
    }
}
