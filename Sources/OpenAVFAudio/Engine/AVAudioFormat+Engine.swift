import AudioModel
import CAudioTypes
import EngineCore

extension AVAudioFormat {
    /// What a node's bus has before anything is connected: stereo at 44 100 Hz.
    static let engineDefault: AVAudioFormat = {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            preconditionFailure("stereo at 44 100 Hz is a format")
        }
        return format
    }()

    /// No rate and no channels: there is no such device.
    static let noDevice: AVAudioFormat = {
        var description = AudioStreamBasicDescription()
        description.mFormatID = kAudioFormatLinearPCM
        description.mFormatFlags = kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved
        description.mBitsPerChannel = 32
        description.mBytesPerFrame = 4
        description.mBytesPerPacket = 4
        description.mFramesPerPacket = 1
        return AVAudioFormat(description, layout: nil)
    }()

    /// The standard format with these channels.
    convenience init(_ format: StreamFormat) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: format.sampleRate, interleaved: false,
            channelLayout: AVAudioChannelLayout(places: format.channels))
    }
}

extension StreamFormat {
    init(_ format: AVAudioFormat) { self.init(sampleRate: format.sampleRate, channels: format.places) }
}
