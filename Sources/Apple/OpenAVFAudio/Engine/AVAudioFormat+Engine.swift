internal import AudioModel
package import EngineCore
internal import OpenAudioSession

extension AVAudioFormat {
    /// What a node's bus has before anything is connected: stereo at 44 100 Hz.
    static let engineDefault: AVAudioFormat = {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            programmerError("stereo at 44 100 Hz is a format")
        }
        return format
    }()

    /// No rate and no channels: there is no such device.
    package static let noDevice = AVAudioFormat(.pcm(0, 0, bits: 32, isFloat: true, isInterleaved: false), layout: nil)

    /// The standard format with these channels.
    package convenience init(_ format: StreamFormat) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: format.sampleRate, interleaved: false,
            channelLayout: AVAudioChannelLayout(places: format.channels))
    }
}

extension StreamFormat {
    init(_ format: AVAudioFormat) { self.init(sampleRate: format.sampleRate, channels: format.places) }
}
