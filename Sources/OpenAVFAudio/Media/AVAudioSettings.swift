// The keys of the settings dictionaries of AVAudioFormat and AVAudioFile. Values are numbers (Int, UInt32, Double, Bool
// or NSNumber) unless a key says otherwise.
//
// Source: SDK header AVAudioSettings.h; the keys' texts are their names, as code that stores them relies on.

/// An `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// In hertz.
public let AVSampleRateKey = "AVSampleRateKey"
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// Bits per sample of linear PCM: 8, 16, 24 or 32; 32 or 64 for floats.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Of no effect in files: they are always interleaved.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// An `AudioFileTypeID`, where the path's extension should not decide.
public let AVAudioFileTypeKey = "AVAudioFileTypeKey"
/// An `AudioChannelLayout` as `Data`.
public let AVChannelLayoutKey = "AVChannelLayoutKey"
/// An `AVAudioQuality`'s raw value: how much an encoder of variable bit rate keeps.
public let AVEncoderAudioQualityKey = "AVEncoderQualityKey"
/// The bits per sample that a lossless encoder keeps: 16 or 24.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
/// In bits per second.
///
/// Of no effect: the encoders of libsndfile go by quality.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
