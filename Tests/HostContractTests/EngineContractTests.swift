import AudioModel
import Foundation
import Synchronization
import Testing

@testable import OpenAVFAudio

/// What an engine does on the session's route, on the simulated host and on a private PipeWire.
@Suite("Engine contract", .serialized)
struct EngineContractTests {
    private func startEngine(in world: any World) throws -> (AVAudioEngine, AVAudioPlayerNode) {
        let engine = AVAudioSession.$taskSession.withValue(world.session) { AVAudioEngine() }
        let player = AVAudioPlayerNode()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800))
        buffer.frameLength = 4800
        for channel in 0..<2 {
            buffer.floatChannelData?[channel].update(repeating: 0.5, count: 4800)
        }
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.start()
        player.scheduleBuffer(buffer, at: nil, options: .loops)
        player.play()
        return (engine, player)
    }

    @Test(arguments: WorldKind.allCases)
    func engine_isHeardAtItsLevel_andFollowsItsMixer(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let (engine, _) = try startEngine(in: world)
            try await world.untilHeard(on: .speaker)
            // Samples pass unchanged, whatever the server does with them in Float32.
            #expect(try await world.level(on: .speaker) == 0.5)
            engine.mainMixerNode.outputVolume = 0.5
            try await world.run(seconds: 0.2)
            #expect(try await world.level(on: .speaker) == 0.25)
            engine.pause()
            try await world.run(seconds: 0.3)
            try await world.mark()
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try engine.start()
            try await world.untilHeard(on: .speaker)
            engine.stop()
            #expect(world.process.state.streams.isEmpty)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func engine_whoseDeviceLeaves_stopsAndIsStartedAgainOnTheNext(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let (engine, _) = try startEngine(in: world)
            try await world.untilHeard(on: .headphones)
            let changes = Changes(of: engine)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 1)
            try await world.run(seconds: 0.3)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try engine.start()
            try await world.untilHeard(on: .speaker)
            #expect(changes.count == 1)
        }
    }

    /// Counts an engine's configuration changes.
    private final class Changes {
        private final class Counter: Sendable {
            private let stored = Atomic<Int>(0)
            var value: Int { stored.load(ordering: .acquiring) }
            func add() { stored.add(1, ordering: .acquiringAndReleasing) }
        }

        private let history = Counter()
        private let token: any NSObjectProtocol

        var count: Int { history.value }

        init(of engine: AVAudioEngine) {
            token = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { [history] _ in history.add() }
        }

        deinit { NotificationCenter.default.removeObserver(token) }
    }
}
