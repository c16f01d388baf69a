import Foundation

/// A settings dictionary, read.
struct AudioSettings {
    private let settings: [String: Any]

    init(_ settings: [String: Any]) { self.settings = settings }

    var formatID: AudioFormatID? { integer(AVFormatIDKey).flatMap { AudioFormatID(exactly: $0) } }
    /// In hertz.
    var sampleRate: Double? { number(AVSampleRateKey)?.doubleValue }
    var channelCount: UInt32? { integer(AVNumberOfChannelsKey).flatMap { UInt32(exactly: $0) } }
    var bitDepth: Int? { integer(AVLinearPCMBitDepthKey) }
    var isFloat: Bool? { number(AVLinearPCMIsFloatKey)?.boolValue }
    var isBigEndian: Bool? { number(AVLinearPCMIsBigEndianKey)?.boolValue }
    var isNonInterleaved: Bool? { number(AVLinearPCMIsNonInterleaved)?.boolValue }
    var fileType: UInt32? { integer(AVAudioFileTypeKey).flatMap { UInt32(exactly: $0) } }
    var encoderQuality: Int? { integer(AVEncoderAudioQualityKey) }
    /// Of all channels, in bits a second.
    func encoderBitRate(channelCount: Int) -> Int? {
        integer(AVEncoderBitRateKey)
    }
    var encoderBitDepth: Int? { integer(AVEncoderBitDepthHintKey) }
    var channelLayout: AVAudioChannelLayout? {
        (settings[AVChannelLayoutKey] as? Data).flatMap(AVAudioChannelLayout.init(data:))
    }

    /// The format that these settings describe; nil where they do not say enough or make none.
    var streamDescription: AudioStreamBasicDescription? {
        guard let formatID, let sampleRate, let channels = channelCount ?? channelLayout?.channelCount else {
            return nil
        }
        guard formatID == kAudioFormatLinearPCM else {
            var format = AudioStreamBasicDescription()
            format.mSampleRate = sampleRate
            format.mFormatID = formatID
            format.mChannelsPerFrame = channels
            if formatID == kAudioFormatFLAC || formatID == kAudioFormatAppleLossless, let encoderBitDepth {
                format.setSourceBits(encoderBitDepth)
            }
            return format
        }
        let isFloat = isFloat ?? false
        let bits = bitDepth ?? (isFloat ? 32 : 16)
        guard (isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits), channels <= 0xFFFF else { return nil }
        return .pcm(
            sampleRate, channels, bits: UInt32(bits), isFloat: isFloat, isBigEndian: isBigEndian,
            isInterleaved: !(isNonInterleaved ?? false))
    }

    static func dictionary(for format: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) -> [String: Any] {
        // NSNumber: `as? Int`, `as? UInt32`, `as? Double` and `as? NSNumber` all succeed then, as on Apple's platforms.
        var settings: [String: Any] = [
            AVFormatIDKey: NSNumber(value: format.mFormatID),
            AVSampleRateKey: NSNumber(value: format.mSampleRate),
            AVNumberOfChannelsKey: NSNumber(value: format.mChannelsPerFrame),
        ]
        if format.mFormatID == kAudioFormatLinearPCM {
            func flag(_ flag: AudioFormatFlags) -> NSNumber { NSNumber(value: format.mFormatFlags & flag != 0) }
            settings[AVLinearPCMBitDepthKey] = NSNumber(value: format.mBitsPerChannel)
            settings[AVLinearPCMIsFloatKey] = flag(kAudioFormatFlagIsFloat)
            settings[AVLinearPCMIsBigEndianKey] = flag(kAudioFormatFlagIsBigEndian)
            settings[AVLinearPCMIsNonInterleaved] = flag(kAudioFormatFlagIsNonInterleaved)
        }
        if let bits = format.sourceBits { settings[AVEncoderBitDepthHintKey] = NSNumber(value: bits) }
        if let layout { settings[AVChannelLayoutKey] = layout.data }
        return settings
    }

    private func number(_ key: String) -> NSNumber? { settings[key] as? NSNumber }

    /// Nil also where the value is no whole number.
    private func integer(_ key: String) -> Int? {
        guard let value = number(key)?.doubleValue else { return nil }
        return Int(exactly: value)
    }
}
