import AudioModel
import Foundation
import Synchronization
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// What an engine does on the session's route, on the simulated host and on a private PipeWire: the behaviours of
/// docs/behaviours.md by name, and what an engine adds to them.
@Suite("Engine contract", .serialized)
struct EngineContractTests {
    @Test(arguments: WorldKind.allCases)
    func engine_isHeardAtItsLevel_andFollowsItsMixer(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let (engine, _) = try world.startEngine(looping: .level(0.5))
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
            #expect(world.runtime.state.streams.isEmpty)
        }
    }

    // Behaviour 84
    @Test(arguments: WorldKind.allCases)
    func configurationChangeOnlyForFormats(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let (engine, player) = try world.startEngine(looping: .level(0.5))
            try await world.untilHeard(on: .headphones)
            let changes = ConfigurationChanges(of: engine)
            try await world.setDefaultOutput(.speaker)
            try await world.untilHeard(on: .speaker)
            try await world.settle()
            #expect(engine.isRunning && player.isPlaying)
            #expect(changes.count == 0)
        }
    }

    // Behaviour 117, and what 83 says where the formats are equal: an app that watches only its engine
    @Test(arguments: WorldKind.allCases)
    func engineWithoutInputStopsWhenItsOutputLeaves(_ kind: WorldKind) async throws {
        for category in [AVAudioSession.Category.soloAmbient, .playback] {
            try await withWorld(kind, plugged: [.speaker, .headphones], category: category) { world in
                let (engine, player) = try world.startEngine(looping: .level(0.5))
                try await world.untilHeard(on: .headphones)
                let states = Mutex<[Bool]>([])
                let held = HeldEngine(engine: engine)
                let token = NotificationCenter.default.addObserver(
                    forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
                ) { _ in
                    let wasRunning = held.engine.isRunning
                    let isStarted = (try? held.engine.start()) != nil
                    states.withLock { $0 += [wasRunning, isStarted] }
                }
                defer { NotificationCenter.default.removeObserver(token) }
                try await world.mark()
                try await world.unplug(.headphones)
                try await world.settle()
                #expect(states.withLock { $0 } == [false, true], "\(category)")
                #expect(engine.isRunning && !player.isPlaying, "\(category)")
                try await world.run(seconds: 1)
                #expect(try await world.loudFrames(on: .speaker) == 0, "\(category)")
                player.play()
                try await world.untilHeard(on: .speaker)
                #expect(states.withLock { $0.count } == 2, "\(category)")
            }
        }
    }

    /// Behaviour 117, in an app that does not look: its play button works, and nothing else sounds.
    @Test(arguments: WorldKind.allCases)
    func playAfterALoss_soundsWithoutAStart(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones]) { world in
            let (engine, player) = try world.startEngine(looping: .level(0.5))
            try await world.untilHeard(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.settle()
            #expect(!engine.isRunning && !player.isPlaying)
            try await world.run(seconds: 0.3)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            player.play()
            try await world.untilHeard(on: .speaker)
            #expect(engine.isRunning)
        }
    }

    // Behaviour 83: an app that starts its engine in the handler, as emulators do
    @Test(arguments: WorldKind.allCases)
    func restartInConfigurationChangeIsSilentAfterUnplug(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .interface]) { world in
            let (engine, player) = try world.startEngine(looping: .level(0.5))
            try await world.untilHeard(on: .interface)
            let started = Mutex(0)
            let held = HeldEngine(engine: engine)
            let token = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { _ in
                if (try? held.engine.start()) != nil { started.withLock { $0 += 1 } }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try await world.mark()
            try await world.unplug(.interface)
            try await world.settle()
            #expect(started.withLock { $0 } == 1)
            #expect(engine.isRunning && !player.isPlaying)
            try await world.run(seconds: 1)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            player.play()
            try await world.untilHeard(on: .speaker)
        }
    }

    // Behaviour 66: by the channel count and by the rate.
    @Test(arguments: WorldKind.allCases)
    func engineStopsOnFormatChange(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones]) { world in
            let (engine, player) = try world.startEngine(looping: NumberedLoop.buffer())
            try await world.untilHeard(on: .headphones)
            let changes = ConfigurationChanges(of: engine)
            try await world.plug(.interface)
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 1)
            #expect(engine.outputChannels == 6)
            #expect(engine.attachedNodes == [player, engine.mainMixerNode, engine.outputNode])
            #expect(engine.outputConnectionPoints(for: player, outputBus: 0).first?.node === engine.mainMixerNode)
            try await world.expectHeard([-1, -1, -1, -1, -1, -1], on: [.headphones, .interface])
            try engine.start()
            // The player goes on by itself.
            try await world.expectHeard([0, 1, -1, -1, -1, -1], on: [.headphones, .interface])
            try await world.changeSampleRate(to: 44_100)
            // The server tells of one device after the other; the first one's rate is the output's.
            try await world.app.wait(for: "the new rate") { $0.route.outputs.first?.sampleRate == 44_100 }
            try await world.settle()
            #expect(!engine.isRunning)
            #expect(changes.count == 2)
            #expect(engine.outputNode.outputFormat(forBus: 0).sampleRate == 44_100)
            try engine.start()
            try await world.untilHeard(on: .headphones)
            #expect(changes.count == 2)
        }
    }

    // Behaviour 67
    @Test(arguments: WorldKind.allCases)
    func handlerMayReleaseEngine(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.headphones]) { world in
            let held = Mutex<HeldEngine?>(nil)
            weak var last: AVAudioEngine?
            try {
                let (engine, _) = try world.startEngine(looping: .level(0.5))
                last = engine
                held.withLock { $0 = HeldEngine(engine: engine) }
            }()
            let token = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: last, queue: nil
            ) { _ in held.withLock { $0 = nil } }
            defer { NotificationCenter.default.removeObserver(token) }
            try await world.untilHeard(on: .headphones)
            #expect(last != nil)
            try await world.plug(.interface)
            try await world.settle()
            // The handler had the last reference, and nothing hangs.
            #expect(last == nil)
            #expect(world.runtime.state.streams.isEmpty)
            #expect(try await world.loudFramesAfterFades(on: .headphones) == 0)
        }
    }

    /// `@unchecked Sendable`: used under a lock only.
    private struct HeldEngine: @unchecked Sendable {
        let engine: AVAudioEngine
    }

    // Behaviour 68
    @Test(arguments: WorldKind.allCases)
    func tapSurvivesRateChange(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones]) { world in
            let (engine, _) = try world.startEngine(looping: .level(0.5))
            try await world.untilHeard(on: .headphones)
            let mixer = engine.mainMixerNode
            let stale = mixer.outputFormat(forBus: 0)
            #expect(stale.sampleRate == 48_000)
            try await world.changeSampleRate(to: 16_000)
            try await world.journal.wait(
                for: .routeChange(.routeConfigurationChange, previous: [.headphones], current: [.headphones]))
            try await world.settle()
            #expect(mixer.outputFormat(forBus: 0).sampleRate == 16_000)
            try engine.start()
            for (format, rate) in [(AVAudioFormat?.none, 16_000.0), (stale, 48_000)] {
                let buffers = Mutex<[TapBuffer]>([])
                mixer.installTap(onBus: 0, bufferSize: 4800, format: format) { buffer, _ in
                    let middle = Int(buffer.frameLength) / 2
                    let heard = TapBuffer(
                        rate: buffer.format.sampleRate,
                        middle: (0..<Int(buffer.format.channelCount)).compactMap {
                            buffer.floatChannelData?[$0][middle]
                        })
                    buffers.withLock { $0.append(heard) }
                }
                for _ in 0..<100 where buffers.withLock({ $0.count < 3 }) { try await world.run(seconds: 0.1) }
                mixer.removeTap(onBus: 0)
                let last = try #require(buffers.withLock { $0.last })
                #expect(last.rate == rate)
                // The converter's filter has settled: the level is the player's.
                #expect(last.middle.count == 2)
                #expect(last.middle.allSatisfy { abs($0 - 0.5) < 0.001 }, "\(last)")
            }
        }
    }

    private struct TapBuffer {
        var rate: Double
        /// Of each channel, halfway through.
        var middle: [Float]
    }

    // Behaviour 71, the engine's part
    @Test(arguments: WorldKind.allCases)
    func speakerOnlyWhenAlone(_ kind: WorldKind) async throws {
        try await withMultiRoute(kind, plugged: [.speaker, .headphones]) { world in
            let (engine, player) = try world.startEngine(looping: NumberedLoop.buffer())
            let changes = ConfigurationChanges(of: engine)
            #expect(engine.outputChannels == 2)
            try await world.expectHeard([-1, -1, 0, 1], on: [.speaker, .headphones])
            try await world.unplug(.headphones)
            try await world.settle()
            #expect(changes.count == 1)
            try await world.expectHeard([-1, -1], on: [.speaker])
            player.play()
            try await world.expectHeard([0, 1], on: [.speaker])
        }
    }
}
