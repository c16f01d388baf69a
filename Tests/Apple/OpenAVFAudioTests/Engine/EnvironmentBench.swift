import Foundation
import RuntimeTestSupport
import Testing

@testable import OpenAVFAudio

/// An engine with a mono player in an environment in front of its main mixer.
struct EnvironmentBench {
    let engine: AVAudioEngine
    let machine: AppMachine
    let environment = AVAudioEnvironmentNode()
    let player = AVAudioPlayerNode()

    init() throws {
        machine = try AppMachine(devices: [.builtInSpeaker, .wiredHeadphones])
        engine = machine.engine()
        engine.attach(environment)
        engine.attach(player)
        engine.connect(player, to: environment, format: .mono)
        engine.connect(environment, to: engine.mainMixerNode, format: .stereo)
    }

    /// In manual rendering; the player has a constant sound of 0.5 without end.
    func startByHand() throws {
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 1024)
        try engine.start()
        play(player, 0.5)
    }

    func play(_ player: AVAudioPlayerNode, _ level: Float) {
        player.play()
        player.scheduleBuffer(
            AVAudioPCMBuffer([[Float](repeating: level, count: 48_000)]), at: nil, options: .loops)
    }

    /// The last frame of each channel after so many blocks of 1024 frames: a change has arrived by the sixth, to 1e-5 of its way.
    func render(blocks: Int = 6) throws -> [Float] { try renderAll(blocks: blocks).compactMap(\.last) }

    /// [channel][frame].
    func renderAll(blocks: Int) throws -> [[Float]] {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 1024))
        var channels: [[Float]] = [[], []]
        for _ in 0..<blocks {
            #expect(try engine.renderOffline(1024, to: buffer) == .success)
            for (index, channel) in buffer.channels.enumerated() { channels[index] += channel }
        }
        return channels
    }
}
