import CLibav

/// Writes AAC and Apple Lossless by FFmpeg's libraries.
///
/// One thread at a time; writing waits for the disk.
final class LibavEncoder {
    /// Why an encoder does not begin a file, in words: what is missing or not possible.
    struct Refusal: Error {
        let words: String
        /// FFmpeg is not there.
        let isMissing: Bool
    }

    private let encoder: OpaquePointer
    private let channelCount: Int
    private var scratch: [Double] = []

    /// - Parameters:
    ///   - descriptor: of the file; stays the caller's.
    ///   - quality: 0...1.
    /// - Throws: in words, what is missing or not possible.
    init(
        descriptor: Int32, type: AudioFileType, sampleRate: Int, channelCount: Int, quality: Double?, title: String?,
        artist: String?
    ) throws(Refusal) {
        self.channelCount = channelCount
        var text = [CChar](repeating: 0, count: 300)
        let bits = Int32(type.bitDepth ?? 0)
        let bitRate = Int64(AudioFileType.aacBitRate(quality: quality) * channelCount)
        let opened = (type.coding == .aac ? "aac" : "alac").withCString { codec in
            (type.container == .adts ? "adts" : "ipod").withCString { container in
                (title ?? "").withCString { titleText in
                    (artist ?? "").withCString { artistText in
                        var settings = oav_encoder_settings(
                            sample_rate: Int32(clamping: sampleRate), channels: Int32(clamping: channelCount),
                            codec: codec, container: container, bits: bits, bit_rate: bitRate,
                            title: title == nil ? nil : titleText, artist: artist == nil ? nil : artistText)
                        return oav_encoder_open(descriptor, &settings, &text, text.count)
                    }
                }
            }
        }
        guard let opened else {
            throw Refusal(words: String(characters: text), isMissing: !oav_libav_is_available(&text, text.count))
        }
        encoder = opened
    }

    /// Appends whole frames.
    ///
    /// - Returns: whether all was written.
    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: samples.lazy.map(Double.init))
        return scratch.withUnsafeBufferPointer { write($0) }
    }

    func write(_ samples: UnsafeBufferPointer<Double>) -> Bool {
        guard let base = samples.baseAddress else { return true }
        return oav_encoder_write(encoder, base, Int64(samples.count / channelCount))
    }

    /// To be called once, and last.
    ///
    /// - Returns: whether the file is complete.
    func close() -> Bool { oav_encoder_close(encoder) }
}

extension AudioFileType {
    /// Of a channel, in bits a second: 24 000 to 160 000 for qualities of 0...1.
    static func aacBitRate(quality: Double?) -> Int {
        Int(min(max(24_000 + 136_000 * (quality ?? defaultAACQuality), 8_000), 288_000).rounded())
    }

    /// 128 000 bits a second: at 64 000, blocks of a tone of 440 Hz have an error of -2 dB, at 96 000 of -32 dB, and from
    /// 112 000 (stereo) or 128 000 (mono) on of -63 dB (FFmpeg 5.1).
    private static let defaultAACQuality = aacQuality(bitRate: 128_000, channelCount: 1)

    /// The quality of an AAC file of so many bits a second; not only 0...1.
    package static func aacQuality(bitRate: Int, channelCount: Int) -> Double {
        (Double(bitRate) / Double(max(channelCount, 1)) - 24_000) / 136_000
    }

    /// Whether FFmpeg writes it.
    var isWrittenByLibav: Bool {
        switch (container, coding) {
        case (.mpeg4, .aac), (.adts, .aac): true
        case (.mpeg4, .appleLossless(let bits)): [16, 24].contains(bits)
        default: false
        }
    }

    /// Rates in hertz of AAC.
    ///
    /// Source: ISO/IEC 14496-3, table 1.18.
    static let aacRates = [
        7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
    ]
}
