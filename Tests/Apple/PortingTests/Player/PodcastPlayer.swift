import AVFoundation

/// Plays an episode at a speed that the listener chooses.
///
/// The imports and the calls are those of an app for iOS, unchanged.
final class PodcastPlayer {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let speedControl = AVAudioUnitTimePitch()
    private let file: AVAudioFile
    private var seekFrame: AVAudioFramePosition = 0

    var onEnd: (@Sendable () -> Void)?

    var speed: Float {
        get { speedControl.rate }
        set { speedControl.rate = newValue }
    }

    /// Seconds into the episode.
    var currentTime: TimeInterval {
        guard let nodeTime = player.lastRenderTime, let playerTime = player.playerTime(forNodeTime: nodeTime) else {
            return Double(seekFrame) / file.processingFormat.sampleRate
        }
        return Double(seekFrame + playerTime.sampleTime) / file.processingFormat.sampleRate
    }

    init(url: URL) throws {
        file = try AVAudioFile(forReading: url)
        engine.attach(player)
        engine.attach(speedControl)
        engine.connect(player, to: speedControl, format: file.processingFormat)
        engine.connect(speedControl, to: engine.mainMixerNode, format: file.processingFormat)
        speedControl.bypass = false
        speedControl.overlap = 8
        engine.prepare()
        try engine.start()
    }

    func play() {
        schedule()
        player.play()
    }

    func seek(to seconds: TimeInterval) {
        player.stop()
        seekFrame = AVAudioFramePosition(seconds * file.processingFormat.sampleRate)
        play()
    }

    private func schedule() {
        let onEnd = onEnd
        player.scheduleSegment(
            file, startingFrame: seekFrame, frameCount: AVAudioFrameCount(file.length - seekFrame), at: nil,
            completionCallbackType: .dataPlayedBack
        ) { _ in onEnd?() }
    }
}
