import OpenAVFAudio
import Testing

/// What an engine says about itself.
@Suite struct EngineModeTests {
    @Test func manualRendering_saysWhatItWasGiven() throws {
        let engine = AVAudioEngine()
        let player = AVAudioPlayerNode()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 480)
        #expect(engine.isInManualRenderingMode && engine.manualRenderingMode == .realtime)
        #expect(engine.manualRenderingMaximumFrameCount == 480)
        engine.prepare()
        #expect(!engine.isRunning)
        try engine.start()
        #expect(engine.isRunning)
        engine.stop()
    }

    @Test func destination_namesTheInputOfItsMixer() throws {
        let engine = AVAudioEngine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        let destination = try #require(player.destination(forMixer: engine.mainMixerNode, bus: 0))
        #expect(destination.connectionPoint.node === engine.mainMixerNode)
        #expect(destination.connectionPoint.bus == 0)
    }
}
