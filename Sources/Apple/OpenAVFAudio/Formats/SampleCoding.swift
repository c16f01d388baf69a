/// How one sample of linear PCM is stored, and the way to Float64 (nominal ±1) and back.
///
/// Integers of up to 32 bits, Float32 and Float64 come through Float64 unchanged. What has to be made coarser is rounded
/// to the nearest step, ties to even, and clipped at full scale; NaN becomes 0 in integers.
package enum SampleCoding: Hashable, Sendable {
    case float32, float64
    case int16, int32
    /// Signed, of 1...4 bytes.
    case bytes(Int, isBigEndian: Bool)

    /// - Returns: nil for what is not linear PCM, and for layouts that are not read here: unsigned integers, samples
    ///   with room around them, floats of the other byte order.
    package init?(_ format: AudioStreamBasicDescription) {
        guard format.mFormatID == kAudioFormatLinearPCM, format.mChannelsPerFrame > 0 else { return nil }
        let flags = format.mFormatFlags
        let isInterleaved = flags & kAudioFormatFlagIsNonInterleaved == 0
        let samplesPerFrame = isInterleaved ? format.mChannelsPerFrame : 1
        guard format.mBytesPerFrame.isMultiple(of: samplesPerFrame) else { return nil }
        let bytes = format.mBytesPerFrame / samplesPerFrame
        guard format.mBitsPerChannel == UInt64(bytes) * 8 else { return nil }
        let isBigEndian = flags & kAudioFormatFlagIsBigEndian != 0
        let isNative = isBigEndian == (kAudioFormatFlagsNativeEndian != 0)
        let isFloat = flags & kAudioFormatFlagIsFloat != 0
        let isSigned = flags & kAudioFormatFlagIsSignedInteger != 0
        switch (isFloat, bytes) {
        case (true, 4) where isNative: self = .float32
        case (true, 8) where isNative: self = .float64
        case (false, 2) where isNative && isSigned: self = .int16
        case (false, 4) where isNative && isSigned: self = .int32
        case (false, 1...4) where isSigned: self = .bytes(Int(bytes), isBigEndian: isBigEndian)
        default: return nil
        }
    }

    package var byteCount: Int {
        switch self {
        case .float32, .int32: 4
        case .float64: 8
        case .int16: 2
        case .bytes(let count, _): count
        }
    }

    /// The bits of an integer; nil for floats.
    package var integerBits: Int? {
        switch self {
        case .float32, .float64: nil
        case .int16, .int32, .bytes: byteCount * 8
        }
    }

    /// Reads `count` samples, `spacing` samples apart, into every `step`th place of `output`.
    package func decode(
        _ source: UnsafeRawPointer, spacing: Int, count: Int, into output: UnsafeMutablePointer<Double>, step: Int
    ) {
        let stride = spacing * byteCount
        switch self {
        case .float32:
            for i in 0..<count {
                output[i * step] = Double(source.loadUnaligned(fromByteOffset: i * stride, as: Float.self))
            }
        case .float64:
            for i in 0..<count { output[i * step] = source.loadUnaligned(fromByteOffset: i * stride, as: Double.self) }
        case .int16:
            for i in 0..<count {
                output[i * step] = Double(source.loadUnaligned(fromByteOffset: i * stride, as: Int16.self)) / 0x1p15
            }
        case .int32:
            for i in 0..<count {
                output[i * step] = Double(source.loadUnaligned(fromByteOffset: i * stride, as: Int32.self)) / 0x1p31
            }
        case .bytes(let bytes, let isBigEndian):
            for i in 0..<count {
                var value: UInt32 = 0
                for byte in 0..<bytes {
                    let part = UInt32(source.load(fromByteOffset: i * stride + byte, as: UInt8.self))
                    // Aligned at the top, so that the sign bit is the word's own.
                    value |= part << UInt32(8 * (isBigEndian ? 3 - byte : 4 - bytes + byte))
                }
                output[i * step] = Double(Int32(bitPattern: value)) / 0x1p31
            }
        }
    }

    /// Writes every `step`th of the samples at `source` to places `spacing` samples apart.
    package func encode(
        _ source: UnsafePointer<Double>, step: Int, count: Int, into output: UnsafeMutableRawPointer, spacing: Int
    ) {
        let stride = spacing * byteCount
        switch self {
        case .float32:
            for i in 0..<count {
                output.storeBytes(of: Float(source[i * step]), toByteOffset: i * stride, as: Float.self)
            }
        case .float64:
            for i in 0..<count { output.storeBytes(of: source[i * step], toByteOffset: i * stride, as: Double.self) }
        case .int16:
            for i in 0..<count {
                let value = Int16(Self.step(source[i * step], bits: 16))
                output.storeBytes(of: value, toByteOffset: i * stride, as: Int16.self)
            }
        case .int32:
            for i in 0..<count {
                output.storeBytes(of: Self.step(source[i * step], bits: 32), toByteOffset: i * stride, as: Int32.self)
            }
        case .bytes(let bytes, let isBigEndian):
            for i in 0..<count {
                let value = UInt32(bitPattern: Self.step(source[i * step], bits: bytes * 8))
                for byte in 0..<bytes {
                    let shift = UInt32(8 * (isBigEndian ? bytes - 1 - byte : byte))
                    output.storeBytes(
                        of: UInt8(truncatingIfNeeded: value >> shift), toByteOffset: i * stride + byte, as: UInt8.self)
                }
            }
        }
    }

    /// The nearest step of a signed integer of so many bits.
    private static func step(_ sample: Double, bits: Int) -> Int32 {
        let fullScale = Double(UInt32(1) << UInt32(bits - 1))
        let scaled = (sample * fullScale).rounded(.toNearestOrEven)
        // Written so that NaN takes neither branch's comparison and ends as 0.
        guard scaled > -fullScale else { return scaled <= -fullScale ? Int32(-fullScale) : 0 }
        return Int32(min(scaled, fullScale - 1))
    }
}
