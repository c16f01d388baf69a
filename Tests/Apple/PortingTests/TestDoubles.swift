import AVFoundation

// What the tests of iOS apps put in place of audio classes, with the overrides that they use.

final class SpyPlayerNode: AVAudioPlayerNode {
    private(set) var scheduled: [AVAudioFrameCount] = []
    private(set) var isToldToPlay = false

    override var isPlaying: Bool { isToldToPlay }
    override func play() { isToldToPlay = true }
    override func stop() { isToldToPlay = false }
    override func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduled.append(buffer.frameLength)
        completionHandler?()
    }
}

final class TestMixerNode: AVAudioMixerNode {
    private(set) var taps: [AVAudioNodeBus] = []
    var fakeEngine: AVAudioEngine?

    override var engine: AVAudioEngine? { fakeEngine }
    override func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        taps.append(bus)
    }
    override func removeTap(onBus bus: AVAudioNodeBus) { taps.removeAll { $0 == bus } }
}

final class MockEngine: AVAudioEngine {
    private(set) var connections = 0
    var fakeIsRunning = false

    override var isRunning: Bool { fakeIsRunning }
    override func start() throws { fakeIsRunning = true }
    override func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        connections += 1
        super.connect(node1, to: node2, format: format)
    }
}

final class SilentPlayer: AVAudioPlayer {
    required init(contentsOf url: URL) throws { try super.init(contentsOf: url) }
    override init() { super.init() }
    override var duration: TimeInterval { 42 }
    override func play() -> Bool { true }
}

final class SineNode: AVAudioSourceNode {
    init(format: AVAudioFormat, hertz: Float) {
        var phase: Float = 0
        let step = 2 * Float.pi * hertz / Float(format.sampleRate)
        super.init(format: format) { _, _, frames, buffers in
            for frame in 0..<Int(frames) {
                for buffer in UnsafeMutableAudioBufferListPointer(buffers) {
                    buffer.mData?.assumingMemoryBound(to: Float.self)[frame] = 0.5 * sinf(phase)
                }
                phase += step
            }
            return noErr
        }
    }
}

/// A placeholder until there is something to play.
struct Jukebox {
    var player = AVAudioPlayer()
    var recorder = AVAudioRecorder()
}
