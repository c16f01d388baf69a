import Testing

@testable import OpenAVFAudio

/// The constants of Apple's effects.
@Suite struct EffectConstantTests {
    @Test func subTypesOfEffects_areFourLetters() {
        let rows: [(UInt32, String)] = [
            (kAudioUnitSubType_NBandEQ, "nbeq"),
            (kAudioUnitSubType_Delay, "dely"),
            (kAudioUnitSubType_Reverb2, "rvb2"),
            (kAudioUnitSubType_Distortion, "dist"),
            (kAudioUnitSubType_DynamicsProcessor, "dcmp"),
            (kAudioUnitSubType_PeakLimiter, "lmtr"),
            (kAudioUnitSubType_LowPassFilter, "lpas"),
            (kAudioUnitSubType_HighPassFilter, "hpas"),
            (kAudioUnitSubType_BandPassFilter, "bpas"),
            (kAudioUnitSubType_LowShelfFilter, "lshf"),
            (kAudioUnitSubType_HighShelfFilter, "hshf"),
            (kAudioUnitSubType_ParametricEQ, "pmeq"),
        ]
        for (value, letters) in rows { #expect(value == letters.utf8.reduce(0) { $0 << 8 | UInt32($1) }) }
        #expect(Set(rows.map(\.0)).count == 12)
    }

    @Test func parameterIDs_areApplesNumbers() {
        let rows: [(AudioUnitParameterID, AudioUnitParameterID)] = [
            (kBandpassParam_CenterFrequency, 0),
            (kBandpassParam_Bandwidth, 1),
            (kHipassParam_CutoffFrequency, 0),
            (kHipassParam_Resonance, 1),
            (kLowPassParam_CutoffFrequency, 0),
            (kLowPassParam_Resonance, 1),
            (kHighShelfParam_CutOffFrequency, 0),
            (kHighShelfParam_Gain, 1),
            (kAULowShelfParam_CutoffFrequency, 0),
            (kAULowShelfParam_Gain, 1),
            (kParametricEQParam_CenterFreq, 0),
            (kParametricEQParam_Q, 1),
            (kParametricEQParam_Gain, 2),
            (kLimiterParam_AttackTime, 0),
            (kLimiterParam_DecayTime, 1),
            (kLimiterParam_PreGain, 2),
            (kDynamicsProcessorParam_Threshold, 0),
            (kDynamicsProcessorParam_HeadRoom, 1),
            (kDynamicsProcessorParam_ExpansionRatio, 2),
            (kDynamicsProcessorParam_ExpansionThreshold, 3),
            (kDynamicsProcessorParam_AttackTime, 4),
            (kDynamicsProcessorParam_ReleaseTime, 5),
            (kDynamicsProcessorParam_OverallGain, 6),
            (kDynamicsProcessorParam_MasterGain, 6),
            (kDynamicsProcessorParam_CompressionAmount, 1000),
            (kDynamicsProcessorParam_InputAmplitude, 2000),
            (kDynamicsProcessorParam_OutputAmplitude, 3000),
            (kDistortionParam_Delay, 0),
            (kDistortionParam_Decay, 1),
            (kDistortionParam_DelayMix, 2),
            (kDistortionParam_Decimation, 3),
            (kDistortionParam_Rounding, 4),
            (kDistortionParam_DecimationMix, 5),
            (kDistortionParam_LinearTerm, 6),
            (kDistortionParam_SquaredTerm, 7),
            (kDistortionParam_CubicTerm, 8),
            (kDistortionParam_PolynomialMix, 9),
            (kDistortionParam_RingModFreq1, 10),
            (kDistortionParam_RingModFreq2, 11),
            (kDistortionParam_RingModBalance, 12),
            (kDistortionParam_RingModMix, 13),
            (kDistortionParam_SoftClipGain, 14),
            (kDistortionParam_FinalMix, 15),
            (kDelayParam_WetDryMix, 0),
            (kDelayParam_DelayTime, 1),
            (kDelayParam_Feedback, 2),
            (kDelayParam_LopassCutoff, 3),
            (kAUNBandEQParam_GlobalGain, 0),
            (kAUNBandEQParam_BypassBand, 1000),
            (kAUNBandEQParam_FilterType, 2000),
            (kAUNBandEQParam_Frequency, 3000),
            (kAUNBandEQParam_Gain, 4000),
            (kAUNBandEQParam_Bandwidth, 5000),
            (kReverb2Param_DryWetMix, 0),
            (kReverb2Param_Gain, 1),
            (kReverb2Param_MinDelayTime, 2),
            (kReverb2Param_MaxDelayTime, 3),
            (kReverb2Param_DecayTimeAt0Hz, 4),
            (kReverb2Param_DecayTimeAtNyquist, 5),
            (kReverb2Param_RandomizeReflections, 6),
        ]
        for (constant, number) in rows { #expect(constant == number) }
        let types = [
            kAUNBandEQFilterType_Parametric,
            kAUNBandEQFilterType_2ndOrderButterworthLowPass,
            kAUNBandEQFilterType_2ndOrderButterworthHighPass,
            kAUNBandEQFilterType_ResonantLowPass,
            kAUNBandEQFilterType_ResonantHighPass,
            kAUNBandEQFilterType_BandPass,
            kAUNBandEQFilterType_BandStop,
            kAUNBandEQFilterType_LowShelf,
            kAUNBandEQFilterType_HighShelf,
            kAUNBandEQFilterType_ResonantLowShelf,
            kAUNBandEQFilterType_ResonantHighShelf,
        ]
        #expect(types == Array(0..<kNumAUNBandEQFilterTypes))
    }
}
