import Foundation
import OpenAVFAudioTestKit
import SessionRuntime
import TestAudio
import TestSupport
import Testing
import Threading

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// 64 threads at once with 10 240 public calls; the thread lane (dev/test --lane thread) looks for data races in them.
@Suite struct ManyThreadsTests {
    private static let threads = 64
    private static let callsPerThread = 160
    private static let turns = 640

    private struct Objects: @unchecked Sendable {
        // @unchecked: the classes allow every call on any thread.
        let session: AVAudioSession
        let player: AVAudioPlayer
        let recorder: AVAudioRecorder
        let engine: AVAudioEngine
        let node: AVAudioPlayerNode
        let buffer: AVAudioPCMBuffer
    }

    private typealias Call = @Sendable (Objects, inout Seeded) throws -> Void

    private static let sessionCalls: [Call] = [
        { objects, random in
            let categories: [AVAudioSession.Category] = [.playback, .playAndRecord, .ambient, .record, .multiRoute]
            try objects.session.setCategory(categories.randomElement(using: &random)!)
        },
        { objects, random in try objects.session.setActive(Bool.random(using: &random)) },
        { objects, random in try objects.session.setMode([.default, .spokenAudio].randomElement(using: &random)!) },
        { objects, _ in _ = objects.session.currentRoute.description },
        { objects, _ in try objects.session.setPreferredInput(objects.session.availableInputs?.first) },
        { objects, random in
            try objects.session.overrideOutputAudioPort([.none, .speaker].randomElement(using: &random)!)
        },
        { objects, random in try objects.session.setInputGain(Float.random(in: 0...1, using: &random)) },
        { objects, _ in _ = (objects.session.outputVolume, objects.session.inputGain, objects.session.sampleRate) },
        { objects, random in try objects.session.setOutputMuted(Bool.random(using: &random)) },
        { objects, _ in _ = (objects.session.inputLatency, objects.session.ioBufferDuration) },
        { objects, random in
            try objects.session.setPreferredIOBufferDuration(Double.random(in: 0.005...0.02, using: &random))
        },
        { objects, _ in try objects.session.setOutputDataSource(objects.session.outputDataSources?.last) },
        { objects, _ in _ = (objects.session.isOtherAudioPlaying, objects.session.promptStyle) },
        { objects, _ in
            let observation = objects.session.observe(\.outputVolume, options: [.initial, .new]) { _, _ in }
            observation.invalidate()
        },
        { objects, random in try AVAudioApplication.shared.setInputMuted(Bool.random(using: &random)) },
    ]

    private final class Listener: Sendable {
        func hear(_ notification: Notification) { _ = notification.name }
    }

    private static let objectCalls: [Call] = [
        { objects, _ in
            let listener = Listener()
            NotificationCenter.default.addObserver(
                listener, selector: Selector(Listener.hear), name: AVAudioSession.routeChangeNotification,
                object: objects.session)
            NotificationCenter.default.removeObserver(listener)
        },
        { objects, _ in objects.player.play() },
        { objects, _ in objects.player.pause() },
        { objects, random in objects.player.volume = Float.random(in: 0...1, using: &random) },
        { objects, random in objects.player.currentTime = Double.random(in: 0...1, using: &random) },
        { objects, _ in _ = (objects.player.isPlaying, objects.player.currentTime, objects.player.deviceCurrentTime) },
        { objects, _ in objects.recorder.record() },
        { objects, _ in objects.recorder.pause() },
        { objects, _ in _ = (objects.recorder.isRecording, objects.recorder.currentTime) },
        { objects, _ in try objects.engine.start() },
        { objects, _ in objects.engine.pause() },
        { objects, _ in objects.node.scheduleBuffer(objects.buffer, completionHandler: nil) },
        { objects, _ in if objects.engine.isRunning { _ = objects.node.lastRenderTime } },
        { objects, random in objects.engine.mainMixerNode.outputVolume = Float.random(in: 0...1, using: &random) },
    ]

    @Test func publicCalls_ofManyThreads_race_nowhere() async throws {
        let directory = try TemporaryDirectory()
        try await AudioSimulator.run(.laptop) { machine in
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playAndRecord)
            let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 480))
            buffer.frameLength = 480
            let engine = AVAudioEngine()
            let node = AVAudioPlayerNode()
            engine.attach(node)
            engine.connect(node, to: engine.mainMixerNode, format: format)
            let objects = Objects(
                session: session,
                player: try AVAudioPlayer(
                    contentsOf: URL(fileURLWithPath: TestFile.write(.ramp, seconds: 2, in: directory))),
                recorder: try AVAudioRecorder(
                    url: URL(fileURLWithPath: directory.path + "/threads.wav"),
                    settings: [AVFormatIDKey: kAudioFormatLinearPCM]),
                engine: engine, node: node, buffer: buffer)
            let seed = UInt64.random(in: 0 ... .max)
            let made = Monitor(0)
            // The hand on the plugs, and time: a turn for every few calls.
            let hand = TestThread {
                for turn in 0..<Self.turns {
                    made.wait { $0 < turn * Self.threads * Self.callsPerThread / Self.turns }
                    machine.plug(.headphonesInJack)
                    machine.setVolume(of: .headphonesInJack, to: 0.5)
                    machine.advance(bySeconds: 0.05)
                    machine.unplug(.headphonesInJack)
                    machine.receiveCall()
                    machine.endCall()
                }
            }
            let callers = (0..<Self.threads).map { number -> @Sendable () -> Void in
                {
                    AVAudioSession.$taskSession.withValue(session) {
                        var random = Seeded(seed: seed &+ UInt64(number))
                        let calls = Self.sessionCalls + Self.objectCalls
                        for _ in 0..<Self.callsPerThread {
                            // Refusals belong to it: another thread sets another category meanwhile.
                            try? calls.randomElement(using: &random)!(objects, &random)
                            made.update { $0 += 1 }
                        }
                    }
                }
            }
            await together(callers)
            hand.join()
            #expect(made.withLock { $0 } == 10_240, "seed \(seed)")
            engine.stop()
            objects.recorder.stop()
            machine.settle()
            #expect(session.runtime.state.isConnected, "seed \(seed)")
        }
    }
}
