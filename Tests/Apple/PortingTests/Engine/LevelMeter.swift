import AVFoundation

/// Plays buffers and shows their level: a player, and a tap on the main mixer.
///
/// The imports and the calls are those of an app for iOS, unchanged.
final class LevelMeter {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let lock = NSLock()
    private var peak: Float = 0

    var level: Float { lock.withLock { peak } }
    var isRunning: Bool { engine.isRunning }

    func start() throws {
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        let format = engine.mainMixerNode.outputFormat(forBus: 0)
        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1024, format: format) { [weak self] buffer, _ in
            guard let self, let channels = buffer.floatChannelData else { return }
            var peak: Float = 0
            for channel in 0..<Int(buffer.format.channelCount) {
                for frame in 0..<Int(buffer.frameLength) { peak = max(peak, abs(channels[channel][frame])) }
            }
            self.lock.withLock { self.peak = peak }
        }
        engine.prepare()
        try engine.start()
    }

    func play(_ buffer: AVAudioPCMBuffer, loops: Bool = false) {
        player.scheduleBuffer(buffer, at: nil, options: loops ? .loops : [], completionHandler: nil)
        player.play()
    }

    func stop() {
        player.stop()
        engine.mainMixerNode.removeTap(onBus: 0)
        engine.stop()
    }
}
