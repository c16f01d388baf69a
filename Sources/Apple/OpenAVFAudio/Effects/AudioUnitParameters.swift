// The parameters of the effects, by Apple's ids: the addresses in a unit's `parameterTree`, and what `AudioUnitSetParameter` takes.
//
// Source: SDK headers AudioUnitParameters.h, AUComponent.h. Where Apple ends a range at half the sample rate, it ends at 24000 Hz here.

// MARK: Kinds of effects

/// "nbeq".
public let kAudioUnitSubType_NBandEQ: UInt32 = 0x6e62_6571
/// "dely".
public let kAudioUnitSubType_Delay: UInt32 = 0x6465_6c79
/// "rvb2".
public let kAudioUnitSubType_Reverb2: UInt32 = 0x7276_6232
/// "dist".
public let kAudioUnitSubType_Distortion: UInt32 = 0x6469_7374
/// "dcmp".
public let kAudioUnitSubType_DynamicsProcessor: UInt32 = 0x6463_6d70
/// "lmtr".
public let kAudioUnitSubType_PeakLimiter: UInt32 = 0x6c6d_7472
/// "lpas".
public let kAudioUnitSubType_LowPassFilter: UInt32 = 0x6c70_6173
/// "hpas".
public let kAudioUnitSubType_HighPassFilter: UInt32 = 0x6870_6173
/// "bpas".
public let kAudioUnitSubType_BandPassFilter: UInt32 = 0x6270_6173
/// "lshf".
public let kAudioUnitSubType_LowShelfFilter: UInt32 = 0x6c73_6866
/// "hshf".
public let kAudioUnitSubType_HighShelfFilter: UInt32 = 0x6873_6866
/// "pmeq".
public let kAudioUnitSubType_ParametricEQ: UInt32 = 0x706d_6571

// MARK: Parameters of the time pitch and of the varispeed.

/// The speed, 1/32 to 32, 1 by default.
public let kNewTimePitchParam_Rate: AudioUnitParameterID = 0
/// Cents, -2400 to 2400, 0 by default (where Apple's description of a pitch effect says 1).
public let kNewTimePitchParam_Pitch: AudioUnitParameterID = 1
/// 3 to 32, 8 by default.
public let kNewTimePitchParam_Overlap: AudioUnitParameterID = 4
/// The speed, 0.25 to 4, 1 by default.
public let kVarispeedParam_PlaybackRate: AudioUnitParameterID = 0

// MARK: Parameters of the matrix mixer.

/// Linear, 0 to 1000, 0 by default: what sounds is the product of four.
///
/// - Of an input or output channel: scope Input or Output; the element counts channels from 0, those of the inputs from bus 0 on.
/// - From an input channel to an output channel: scope Global; the element is the input shifted left by 16 bits, and the output.
/// - Of the whole: scope Global; the element is 0xFFFFFFFF.
///
/// A change slides for 5 ms.
public let kMatrixMixerParam_Volume: AudioUnitParameterID = 0

// MARK: Parameters of the band pass.

/// Hertz, 20 to 24000, 5000 by default.
public let kBandpassParam_CenterFrequency: AudioUnitParameterID = 0
/// Cents, 100 to 12000, 600 by default.
public let kBandpassParam_Bandwidth: AudioUnitParameterID = 1

// MARK: Parameters of the high pass.

/// Hertz, 10 to 24000, 6900 by default.
public let kHipassParam_CutoffFrequency: AudioUnitParameterID = 0
/// Decibels at the cutoff, -20 to 40, 0 by default.
public let kHipassParam_Resonance: AudioUnitParameterID = 1

// MARK: Parameters of the low pass.

/// Hertz, 10 to 24000, 6900 by default.
public let kLowPassParam_CutoffFrequency: AudioUnitParameterID = 0
/// Decibels at the cutoff, -20 to 40, 0 by default.
public let kLowPassParam_Resonance: AudioUnitParameterID = 1

// MARK: Parameters of the high shelf.

/// Hertz, 10000 to 24000, 10000 by default.
public let kHighShelfParam_CutOffFrequency: AudioUnitParameterID = 0
/// Decibels, -40 to 40, 0 by default.
public let kHighShelfParam_Gain: AudioUnitParameterID = 1

// MARK: Parameters of the low shelf.

/// Hertz, 10 to 200, 80 by default.
public let kAULowShelfParam_CutoffFrequency: AudioUnitParameterID = 0
/// Decibels, -40 to 40, 0 by default.
public let kAULowShelfParam_Gain: AudioUnitParameterID = 1

// MARK: Parameters of the parametric equalizer.

/// Hertz, 20 to 24000, 2000 by default.
public let kParametricEQParam_CenterFreq: AudioUnitParameterID = 0
/// Frequency over bandwidth, 0.1 to 20, 1 by default.
public let kParametricEQParam_Q: AudioUnitParameterID = 1
/// Decibels, -20 to 20, 0 by default.
public let kParametricEQParam_Gain: AudioUnitParameterID = 2

// MARK: Parameters of the peak limiter.

/// Seconds, 0.001 to 0.03, 0.012 by default.
public let kLimiterParam_AttackTime: AudioUnitParameterID = 0
/// Seconds, 0.001 to 0.06, 0.024 by default.
public let kLimiterParam_DecayTime: AudioUnitParameterID = 1
/// Decibels, -40 to 40, 0 by default.
public let kLimiterParam_PreGain: AudioUnitParameterID = 2

// MARK: Parameters of the dynamics processor.

/// Decibels, -40 to 20, -20 by default.
public let kDynamicsProcessorParam_Threshold: AudioUnitParameterID = 0
/// Decibels above the threshold that the output approaches, 0.1 to 40, 5 by default.
public let kDynamicsProcessorParam_HeadRoom: AudioUnitParameterID = 1
/// 1 to 50, 2 by default.
public let kDynamicsProcessorParam_ExpansionRatio: AudioUnitParameterID = 2
/// Decibels, -100 to 0, -100 by default.
public let kDynamicsProcessorParam_ExpansionThreshold: AudioUnitParameterID = 3
/// Seconds, 0.0001 to 0.2, 0.001 by default.
public let kDynamicsProcessorParam_AttackTime: AudioUnitParameterID = 4
/// Seconds, 0.01 to 3, 0.05 by default.
public let kDynamicsProcessorParam_ReleaseTime: AudioUnitParameterID = 5
/// Decibels, -40 to 40, 0 by default.
public let kDynamicsProcessorParam_OverallGain: AudioUnitParameterID = 6
/// The older name of ``kDynamicsProcessorParam_OverallGain``.
public let kDynamicsProcessorParam_MasterGain: AudioUnitParameterID = 6
/// Decibels that are added now; read only.
public let kDynamicsProcessorParam_CompressionAmount: AudioUnitParameterID = 1000
/// Decibels of the last block's input; read only.
public let kDynamicsProcessorParam_InputAmplitude: AudioUnitParameterID = 2000
/// Decibels of the last block's output; read only.
public let kDynamicsProcessorParam_OutputAmplitude: AudioUnitParameterID = 3000

// MARK: Parameters of the distortion.

/// Milliseconds, 0.1 to 500, 0.1 by default.
public let kDistortionParam_Delay: AudioUnitParameterID = 0
/// Each echo is e to the minus this of the one before; 0.1 to 50, 1 by default.
public let kDistortionParam_Decay: AudioUnitParameterID = 1
/// Percent, 50 by default.
public let kDistortionParam_DelayMix: AudioUnitParameterID = 2
/// Percent, 50 by default.
public let kDistortionParam_Decimation: AudioUnitParameterID = 3
/// Percent, 0 by default.
public let kDistortionParam_Rounding: AudioUnitParameterID = 4
/// Percent, 50 by default.
public let kDistortionParam_DecimationMix: AudioUnitParameterID = 5
/// 0 to 1, 1 by default.
public let kDistortionParam_LinearTerm: AudioUnitParameterID = 6
/// 0 to 20, 0 by default.
public let kDistortionParam_SquaredTerm: AudioUnitParameterID = 7
/// 0 to 20, 0 by default.
public let kDistortionParam_CubicTerm: AudioUnitParameterID = 8
/// Percent, 50 by default.
public let kDistortionParam_PolynomialMix: AudioUnitParameterID = 9
/// Hertz, 0.5 to 8000, 100 by default.
public let kDistortionParam_RingModFreq1: AudioUnitParameterID = 10
/// Hertz, 0.5 to 8000, 100 by default.
public let kDistortionParam_RingModFreq2: AudioUnitParameterID = 11
/// Percent of the second modulator, 50 by default.
public let kDistortionParam_RingModBalance: AudioUnitParameterID = 12
/// Percent, 0 by default.
public let kDistortionParam_RingModMix: AudioUnitParameterID = 13
/// Decibels before all parts, -80 to 20, -6 by default.
public let kDistortionParam_SoftClipGain: AudioUnitParameterID = 14
/// Percent, 50 by default.
public let kDistortionParam_FinalMix: AudioUnitParameterID = 15

// MARK: Parameters of the delay.

/// Percent, 50 by default.
public let kDelayParam_WetDryMix: AudioUnitParameterID = 0
/// Seconds, 0 to 2, 1 by default.
public let kDelayParam_DelayTime: AudioUnitParameterID = 1
/// Percent, -100 to 100, 50 by default.
public let kDelayParam_Feedback: AudioUnitParameterID = 2
/// Hertz, 10 to 24000, 15000 by default.
public let kDelayParam_LopassCutoff: AudioUnitParameterID = 3

// MARK: Parameters of the N-band equalizer; those of a band follow from its number, from 0 on, added to these.

/// Decibels, -96 to 24, 0 by default; of the whole.
public let kAUNBandEQParam_GlobalGain: AudioUnitParameterID = 0
/// 1 by default.
public let kAUNBandEQParam_BypassBand: AudioUnitParameterID = 1000
/// A ``kAUNBandEQFilterType_Parametric`` …, 0 by default.
public let kAUNBandEQParam_FilterType: AudioUnitParameterID = 2000
/// Hertz, 20 to 24000, 1000 by default.
public let kAUNBandEQParam_Frequency: AudioUnitParameterID = 3000
/// Decibels, -96 to 24, 0 by default.
public let kAUNBandEQParam_Gain: AudioUnitParameterID = 4000
/// Octaves, 0.05 to 5, 0.5 by default.
public let kAUNBandEQParam_Bandwidth: AudioUnitParameterID = 5000

// MARK: Parameters of the reverb.

/// Percent, 100 by default.
public let kReverb2Param_DryWetMix: AudioUnitParameterID = 0
/// Decibels, -20 to 20, 0 by default.
public let kReverb2Param_Gain: AudioUnitParameterID = 1
/// Seconds of the shortest line, 0.0001 to 1, 0.008 by default.
public let kReverb2Param_MinDelayTime: AudioUnitParameterID = 2
/// Seconds of the longest line, 0.0001 to 1, 0.05 by default.
public let kReverb2Param_MaxDelayTime: AudioUnitParameterID = 3
/// Seconds, 0.001 to 20, 1 by default.
public let kReverb2Param_DecayTimeAt0Hz: AudioUnitParameterID = 4
/// Seconds, 0.001 to 20, 0.5 by default.
public let kReverb2Param_DecayTimeAtNyquist: AudioUnitParameterID = 5
/// Another room for each number, 1 to 1000, 1 by default.
public let kReverb2Param_RandomizeReflections: AudioUnitParameterID = 6

// MARK: Filter types of the N-band equalizer

/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_Parametric: Int = 0
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_2ndOrderButterworthLowPass: Int = 1
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_2ndOrderButterworthHighPass: Int = 2
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_ResonantLowPass: Int = 3
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_ResonantHighPass: Int = 4
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_BandPass: Int = 5
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_BandStop: Int = 6
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_LowShelf: Int = 7
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_HighShelf: Int = 8
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_ResonantLowShelf: Int = 9
/// As the `AVAudioUnitEQFilterType` of the same number.
public let kAUNBandEQFilterType_ResonantHighShelf: Int = 10
/// How many there are.
public let kNumAUNBandEQFilterTypes: Int = 11
