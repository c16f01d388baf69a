extension AudioStreamBasicDescription {
    /// One of the named PCM formats; `.otherFormat` has no width.
    package static func pcm(
        _ format: AVAudioCommonFormat, rate: Double, channels: UInt32, isInterleaved: Bool
    ) -> AudioStreamBasicDescription {
        switch format {
        case .pcmFormatFloat32: pcm(rate, channels, bits: 32, isFloat: true, isInterleaved: isInterleaved)
        case .pcmFormatFloat64: pcm(rate, channels, bits: 64, isFloat: true, isInterleaved: isInterleaved)
        case .pcmFormatInt16: pcm(rate, channels, bits: 16, isFloat: false, isInterleaved: isInterleaved)
        case .pcmFormatInt32: pcm(rate, channels, bits: 32, isFloat: false, isInterleaved: isInterleaved)
        case .otherFormat: pcm(rate, channels, bits: 0, isFloat: false, isInterleaved: isInterleaved)
        }
    }

    /// Packed linear PCM.
    ///
    /// - Parameter bits: per sample, a multiple of 8.
    package static func pcm(
        _ rate: Double, _ channels: UInt32, bits: UInt32, isFloat: Bool, isBigEndian: Bool? = nil, isInterleaved: Bool
    ) -> AudioStreamBasicDescription {
        var flags = kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
        if isBigEndian ?? (kAudioFormatFlagsNativeEndian != 0) { flags |= kAudioFormatFlagIsBigEndian }
        if !isInterleaved { flags |= kAudioFormatFlagIsNonInterleaved }
        let bytes = bits / 8 &* (isInterleaved ? channels : 1)
        return AudioStreamBasicDescription(
            mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags, mBytesPerPacket: bytes,
            mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: channels, mBitsPerChannel: bits, mReserved: 0
        )
    }

    /// Whether both say the same.
    package func isSame(as other: AudioStreamBasicDescription) -> Bool {
        mSampleRate == other.mSampleRate && mFormatID == other.mFormatID && mFormatFlags == other.mFormatFlags
            && mBytesPerPacket == other.mBytesPerPacket && mFramesPerPacket == other.mFramesPerPacket
            && mBytesPerFrame == other.mBytesPerFrame && mChannelsPerFrame == other.mChannelsPerFrame
            && mBitsPerChannel == other.mBitsPerChannel
    }

    /// "Float32", "Int24 big-endian", or a compressed format's four characters.
    package var codingName: String {
        guard mFormatID == kAudioFormatLinearPCM else {
            let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mFormatID >> UInt32($0)) }
            return "'" + String(decoding: characters.map { (32..<127).contains($0) ? $0 : 63 }, as: UTF8.self) + "'"
        }
        let kind =
            mFormatFlags & kAudioFormatFlagIsFloat != 0
            ? "Float" : mFormatFlags & kAudioFormatFlagIsSignedInteger != 0 ? "Int" : "UInt"
        let order = (mFormatFlags & kAudioFormatFlagIsBigEndian) == kAudioFormatFlagsNativeEndian
        let isBigEndian = mFormatFlags & kAudioFormatFlagIsBigEndian != 0
        return "\(kind)\(mBitsPerChannel)" + (order ? "" : isBigEndian ? " big-endian" : " little-endian")
    }
}
