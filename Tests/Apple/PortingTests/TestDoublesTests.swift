import AVFoundation
import OpenAVFAudioTestKit
import Testing

@Suite struct TestDoublesTests {
    @Test func spyPlayer_hearsWhatTheAppSchedules() throws {
        let spy = SpyPlayerNode()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 480))
        buffer.frameLength = 480
        let player: AVAudioPlayerNode = spy
        player.play()
        var isDone = false
        // The short form ends in the one that is overridden.
        player.scheduleBuffer(buffer) { isDone = true }
        #expect(player.isPlaying)
        #expect(spy.scheduled == [480])
        #expect(isDone)
    }

    @Test func mockEngine_withATestMixer_isAttachedWhateverItSays() {
        let (engine, mixer) = (MockEngine(), TestMixerNode())
        engine.attach(mixer)
        engine.attach(mixer)
        #expect(mixer.engine == nil)
        #expect(engine.attachedNodes == [mixer])
        mixer.installTap(onBus: 0, bufferSize: 1024, format: nil) { _, _ in }
        #expect(mixer.taps == [0])
        engine.detach(mixer)
        #expect(engine.attachedNodes.isEmpty)
    }

    @Test func sineNode_isHeard() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let engine = AVAudioEngine()
            let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
            let sine = SineNode(format: format, hertz: 1000)
            engine.attach(sine)
            engine.connect(sine, to: engine.mainMixerNode, format: format)
            engine.outputNode.auAudioUnit.maximumFramesToRender = 4096
            try engine.start()
            phone.advance(bySeconds: 0.5)
            engine.stop()
            let heard = phone.samples(of: .builtInSpeaker)[0]
            #expect(abs((heard.max() ?? 0) - 0.5) < 0.001)
            #expect(phone.violations == [])
        }
    }

    @Test func placeholders_doNothing() {
        let jukebox = Jukebox()
        #expect(!jukebox.player.play())
        #expect(!jukebox.recorder.record())
        #expect(SilentPlayer().play())
        #expect(SilentPlayer().duration == 42)
    }
}
