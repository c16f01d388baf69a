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
/// In bits per second.
///
/// Without effect: the encoders of libsndfile use the quality.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// A constant such as ``AVSampleRateConverterAlgorithm_Mastering``.
///
/// Without effect: libsoxr has one algorithm.
public let AVSampleRateConverterAlgorithmKey = "AVSampleRateConverterAlgorithmKey"
/// Apple's default algorithm; without effect, libsoxr has one algorithm.
public let AVSampleRateConverterAlgorithm_Normal = "AVSampleRateConverterAlgorithm_Normal"
/// Apple's slow algorithm; without effect, libsoxr has one algorithm.
public let AVSampleRateConverterAlgorithm_Mastering = "AVSampleRateConverterAlgorithm_Mastering"
/// Apple's algorithm without pre-echo; without effect, libsoxr has one algorithm.
public let AVSampleRateConverterAlgorithm_MinimumPhase = "AVSampleRateConverterAlgorithm_MinimumPhase"
