import Foundation
import PipeWireRig
import Synchronization
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Voice processing on a private PipeWire, whose microphone hears what the speaker plays, 60 ms later.
@Suite("Engine voice contract", .serialized)
struct EngineVoiceContractTests {
    private final class Recording: Sendable {
        private let stored = Mutex<[Float]>([])
        var samples: [Float] { stored.withLock { $0 } }

        init(_ node: AVAudioNode) {
            node.installTap(onBus: 0, bufferSize: 4800, format: nil) { [weak self] buffer, _ in
                guard let channel = buffer.floatChannelData?[0] else { return }
                let frames = UnsafeBufferPointer(start: channel, count: Int(buffer.frameLength))
                self?.stored.withLock { $0 += frames }
            }
        }
    }

    private static let echo = "echo"

    private func withEcho(_ body: (PipeWireWorld) async throws -> Void) async throws {
        try await withWorld(.pipeWire, plugged: [.speaker], category: .playAndRecord) { world in
            let world = try #require(world as? PipeWireWorld)
            let speaker = WorldDevice.speaker.rawValue
            let loopback = try world.server.spawn([
                "pw-loopback", "--delay=0.06", "--channels=1",
                "--capture-props={ stream.capture.sink = true target.object = \"\(speaker)\" node.target = \"\(speaker)\" }",
                "--playback-props={ media.class = Audio/Source node.name = \(Self.echo) priority.session = 3000 }",
            ])
            defer { loopback.terminate() }
            try world.server.waitUntilDefaultSource(is: Self.echo)
            for _ in 0..<100 where world.runtime.state.route.inputs.isEmpty { try await world.run(seconds: 0.05) }
            try await body(world)
        }
    }

    /// Seconds 3 to 6 of what the tap heard, in decibels.
    ///
    /// - Parameter isHeard: the speaker plays the input, too.
    private func level(in world: PipeWireWorld, isProcessed: Bool, isHeard: Bool = false) async throws -> Double {
        let engine = AVAudioSession.$taskSession.withValue(world.session) { AVAudioEngine() }
        if isProcessed { try engine.inputNode.setVoiceProcessingEnabled(true) }
        if isHeard { engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil) }
        let player = AVAudioPlayerNode()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        let recording = Recording(engine.inputNode)
        try engine.start()
        #expect(world.session.mode == (isProcessed ? .voiceChat : .default))
        let speech = EchoRoom.speech(seconds: 8, seed: 7)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(speech.count)))
        buffer.frameLength = buffer.frameCapacity
        for (frame, sample) in speech.enumerated() { buffer.floatChannelData?[0][frame] = sample }
        player.play()
        player.scheduleBuffer(buffer, completionHandler: nil)
        for _ in 0..<400 where recording.samples.count < 6 * 48_000 { try await world.run(seconds: 0.05) }
        if isHeard {
            let input = try #require(engine.inputNode.core.source as? InputNodeController)
            try await world.until { input.sharesCycles }
        }
        engine.stop()
        let samples = recording.samples
        try #require(samples.count >= 6 * 48_000)
        return EchoRoom.decibels(samples[(3 * 48_000)..<(6 * 48_000)])
    }

    /// Where the input is heard, its cycles come before the output's (decision 101): what is played is one cycle older.
    @Test(arguments: [false, true])
    func voiceProcessing_takesTheEchoOut(isHeard: Bool) async throws {
        try await withEcho { world in
            let before = try await level(in: world, isProcessed: false)
            let after = try await level(in: world, isProcessed: true, isHeard: isHeard)
            // A machine that is busy loses cycles, and the canceller learns again: half of what it does on the simulated host.
            #expect(before > -40, "\(before)")
            #expect(before - after > 20, "\(before) dB became \(after) dB")
        }
    }
}
