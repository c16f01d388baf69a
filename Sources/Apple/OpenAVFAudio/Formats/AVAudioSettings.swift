import Foundation
internal import OpenAudioSession

// The keys of the settings dictionaries of AVAudioFormat and AVAudioFile. Values are numbers (Int, UInt32, Double, Bool
// or NSNumber) unless a key says otherwise.
//
// Source: SDK header AVAudioSettings.h; the keys' texts are their names, as code that stores them relies on.

/// An `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// In hertz.
public let AVSampleRateKey = "AVSampleRateKey"
/// An integer of at least 1.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// Bits per sample of linear PCM: 8, 16, 24 or 32; 32 or 64 for floats.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// A Bool; the file type may require one of the two.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// A Bool: floats, nominal ±1, or signed integers.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Without effect in files, which are always interleaved.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// An `AudioFileTypeID`, which overrides the path's extension.
public let AVAudioFileTypeKey = "AVAudioFileTypeKey"
/// An `AudioChannelLayout` as `Data`.
public let AVChannelLayoutKey = "AVChannelLayoutKey"
/// The raw value of an `AVAudioQuality`, for an encoder with variable bit rate.
public let AVEncoderAudioQualityKey = "AVEncoderQualityKey"
/// The bits per sample of a lossless encoder: 16 or 24.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
/// Of all channels, in bits per second; for AAC only: other encoders use the quality.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// A constant such as ``AVSampleRateConverterAlgorithm_Mastering``.
///
/// Without effect in settings: set `AVAudioConverter.sampleRateConverterAlgorithm`.
public let AVSampleRateConverterAlgorithmKey = "AVSampleRateConverterAlgorithmKey"
/// The default; see `AVAudioConverter.sampleRateConverterAlgorithm`.
public let AVSampleRateConverterAlgorithm_Normal = "AVSampleRateConverterAlgorithm_Normal"
/// A longer filter; see `AVAudioConverter.sampleRateConverterAlgorithm`.
public let AVSampleRateConverterAlgorithm_Mastering = "AVSampleRateConverterAlgorithm_Mastering"
/// Apple's algorithm without pre-echo; here the same as ``AVSampleRateConverterAlgorithm_Normal``.
public let AVSampleRateConverterAlgorithm_MinimumPhase = "AVSampleRateConverterAlgorithm_MinimumPhase"

/// A settings dictionary, read.
package struct AudioSettings {
    private let settings: [String: Any]

    package init(_ settings: [String: Any]) { self.settings = settings }

    package var formatID: AudioFormatID? { integer(AVFormatIDKey).flatMap { AudioFormatID(exactly: $0) } }
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
    var encoderBitRate: Int? { integer(AVEncoderBitRateKey) }
    var encoderBitDepth: Int? { integer(AVEncoderBitDepthHintKey) }
    package var channelLayout: AVAudioChannelLayout? {
        (settings[AVChannelLayoutKey] as? Data).flatMap(AVAudioChannelLayout.init(data:))
    }

    /// The format that these settings describe; nil where they do not say enough or make none.
    package var streamDescription: AudioStreamBasicDescription? {
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
