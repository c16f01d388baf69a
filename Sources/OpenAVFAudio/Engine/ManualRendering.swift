/// What an engine renders by hand.
struct ManualRendering {
    var mode: AVAudioEngineManualRenderingMode
    var format: AVAudioFormat
    var maximumFrames: AVAudioFrameCount
    /// Frames rendered so far.
    var sampleTime: AVAudioFramePosition = 0
}
