import CSndfile

/// What the chunks of a WAV or AIFF file say of its sound, and which of the file's bytes that is.
///
/// Recorders leave lengths open, count them in 32 bits, or write a byte order where libsndfile does not look. These files are
/// read as the chunks say, by libsndfile's mode for raw samples (docs/decisions/0066-who-reads-a-file.md).
/// Source: RIFF MCI (Microsoft, IBM, 1991); EBU Tech 3306 (RF64); ITU-R BS.2088 (BW64); Audio Interchange File Format AIFF-C
/// (Apple, 1991); QuickTime File Format Specification, "siDecompressionParam atom".
struct ChunkHeader {
    /// How a sample is stored that is not compressed over several of them.
    struct SampleForm: Equatable {
        /// libsndfile's word, without the byte order.
        let code: Int
        let byteCount: Int
        var isBigEndian: Bool
    }

    /// libsndfile's word for the container.
    let container: Int
    let channelCount: Int
    let sampleRate: Int
    /// Nil: the samples are compressed.
    let form: SampleForm?
    /// Of WAVE: the number of its coding.
    let tag: Int
    /// Of WAVE: bits of the channels' places; 0: none are given.
    let channelMask: UInt64
    /// The bytes of the sound that are there.
    let data: Range<Int64>
    /// The bytes of the sound, as the header says; nil: it leaves that open.
    let announcedByteCount: Int64?

    /// 0x55 is MP3, 0x50 MP2.
    var isMPEG: Bool { [0x50, 0x55].contains(tag) }
    var frameByteCount: Int64? { form.map { Int64($0.byteCount * channelCount) } }
    var frameCount: Int64? { frameByteCount.map { Int64(data.count) / $0 } }

    /// libsndfile's words for the whole.
    var format: Int {
        guard let form else { return container }
        let order =
            (container == SF_FORMAT_AIFF) == form.isBigEndian
            ? 0 : form.isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE
        return container | form.code | order
    }

    /// - Returns: nil for other files, and for a header that lacks a part.
    init?(_ file: borrowing RegularFile) {
        let start = file.bytes(at: 0, count: 12)
        guard start.count == 12 else { return nil }
        switch (start.text(at: 0), start.text(at: 8)) {
        case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): self.init(wave: file, bigEndian: false)
        case ("RIFX", "WAVE"): self.init(wave: file, bigEndian: true)
        case ("FORM", "AIFF"), ("FORM", "AIFC"): self.init(aiff: file)
        default: return nil
        }
    }

    // MARK: WAVE

    private init?(wave file: borrowing RegularFile, bigEndian: Bool) {
        var (format, sizes): ([UInt8], [UInt8]) = ([], [])
        let data = file.firstChunk(bigEndian: bigEndian, among: Self.chunkLimit) { chunk in
            if chunk.name == "ds64" { sizes = file.bytes(at: chunk.offset, count: 16) }
            if chunk.name == "fmt ", format.isEmpty {
                format = file.bytes(at: chunk.offset, count: Int(min(chunk.byteCount, 40)))
            }
            return chunk.name == "data"
        }
        guard let data, format.count >= 14 else { return nil }
        func number(_ offset: Int, _ bytes: Int) -> Int {
            offset + bytes <= format.count
                ? Int(format.integer(at: offset, bytes: bytes, bigEndian: bigEndian)) : 0
        }
        let isExtensible = number(0, 2) == 0xFFFE
        let isKnown = isExtensible && format.count == 40 && format[26...].elementsEqual(Self.waveIdentifier)
        tag = isExtensible ? (isKnown ? number(24, 2) : 0) : number(0, 2)
        channelMask = isExtensible ? UInt64(number(20, 4)) : 0
        (container, channelCount, sampleRate) = (SF_FORMAT_WAV, number(2, 2), number(4, 4))
        form = Self.form(
            tag: tag, bits: number(14, 2), blockBytes: number(12, 2), channels: channelCount, bigEndian: bigEndian)
        let long = sizes.count == 16 ? Int64(exactly: sizes.integer(at: 8, bytes: 8, bigEndian: false)) : nil
        let announced = data.byteCount == 0xFFFF_FFFF ? long ?? data.byteCount : data.byteCount
        (self.data, announcedByteCount) = Self.extent(
            of: file, from: data.offset, announced: announced, bigEndian: bigEndian)
    }

    /// The last 14 bytes of the identifier of a coding that has a number.
    private static let waveIdentifier: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

    private static func form(tag: Int, bits: Int, blockBytes: Int, channels: Int, bigEndian: Bool) -> SampleForm? {
        guard (1...1024).contains(channels) else { return nil }
        // The block says that 24 bits are stored in 32.
        let bytes = (17...24).contains(bits) && blockBytes == 4 * channels ? 4 : (bits + 7) / 8
        let code: Int? =
            switch (tag, bytes) {
            case (1, 1): SF_FORMAT_PCM_U8
            case (1, 2): SF_FORMAT_PCM_16
            case (1, 3): SF_FORMAT_PCM_24
            case (1, 4): SF_FORMAT_PCM_32
            case (3, 4): SF_FORMAT_FLOAT
            case (3, 8): SF_FORMAT_DOUBLE
            case (6, 1): SF_FORMAT_ALAW
            case (7, 1): SF_FORMAT_ULAW
            default: nil
            }
        return code.map { SampleForm(code: $0, byteCount: bytes, isBigEndian: bigEndian) }
    }

    // MARK: AIFF

    private init?(aiff file: borrowing RegularFile) {
        var (common, isLittleEndian): ([UInt8], Bool) = ([], false)
        var sound: IFFChunk?
        _ = file.firstChunk(bigEndian: true, among: Self.chunkLimit) { chunk in
            switch chunk.name {
            case "COMM" where common.isEmpty:
                common = file.bytes(at: chunk.offset, count: Int(min(chunk.byteCount, 22)))
            case "wave":
                isLittleEndian = Self.isLittleEndian(
                    file.bytes(at: chunk.offset, count: Int(min(chunk.byteCount, 4096))))
            case "SSND" where sound == nil: sound = chunk
            default: break
            }
            return sound != nil && !common.isEmpty
        }
        guard let sound, common.count >= 18, let rate = Self.rate(common[8..<18]) else { return nil }
        let bits = Int(common.integer(at: 6, bytes: 2, bigEndian: true))
        (container, tag, channelMask, sampleRate) = (SF_FORMAT_AIFF, 0, 0, rate)
        channelCount = Int(common.integer(at: 0, bytes: 2, bigEndian: true))
        form = Self.form(
            kind: common.count == 22 ? common.text(at: 18) : "NONE", bits: bits, channels: channelCount,
            isLittleEndian: isLittleEndian)
        // An offset and a block size of four bytes each stand before the sound.
        let inner = file.bytes(at: sound.offset, count: 4)
        let skipped = inner.count == 4 ? Int64(inner.integer(at: 0, bytes: 4, bigEndian: true)) : 0
        let length = sound.byteCount >= 8 ? sound.byteCount - 8 : 0
        guard skipped <= length || length == 0 else { return nil }
        (data, announcedByteCount) = Self.extent(
            of: file, from: sound.offset + 8 + skipped, announced: length == 0 ? 0 : length - skipped, bigEndian: true)
    }

    private static func form(kind: String, bits: Int, channels: Int, isLittleEndian: Bool) -> SampleForm? {
        guard (1...1024).contains(channels) else { return nil }
        let integers = [SF_FORMAT_PCM_S8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32]
        func integer(_ bytes: Int, little: Bool = false) -> SampleForm? {
            guard (1...4).contains(bytes) else { return nil }
            return SampleForm(code: integers[bytes - 1], byteCount: bytes, isBigEndian: !little)
        }
        // The name counts, not the bits: programs leave 16 there.
        return switch kind {
        case "NONE", "twos": integer((bits + 7) / 8)
        case "sowt": integer((bits + 7) / 8, little: true)
        case "raw ": SampleForm(code: SF_FORMAT_PCM_U8, byteCount: 1, isBigEndian: true)
        case "in24": integer(3, little: isLittleEndian)
        case "in32": integer(4, little: isLittleEndian)
        case "42ni": integer(3, little: true)
        case "23ni": integer(4, little: true)
        case "fl32", "FL32": SampleForm(code: SF_FORMAT_FLOAT, byteCount: 4, isBigEndian: !isLittleEndian)
        case "fl64", "FL64": SampleForm(code: SF_FORMAT_DOUBLE, byteCount: 8, isBigEndian: !isLittleEndian)
        case "ulaw", "ULAW": SampleForm(code: SF_FORMAT_ULAW, byteCount: 1, isBigEndian: true)
        case "alaw", "ALAW": SampleForm(code: SF_FORMAT_ALAW, byteCount: 1, isBigEndian: true)
        default: nil
        }
    }

    /// In the chunk "wave" are atoms of QuickTime; one of them has the byte order.
    private static func isLittleEndian(_ atoms: [UInt8]) -> Bool {
        var rest = ByteReader(atoms[...])
        while let length = rest.number(4), length >= 8, let name = rest.take(4), let contents = rest.take(length - 8) {
            if name.elementsEqual("enda".utf8) { return contents.count == 2 && contents.last == 1 }
        }
        return false
    }

    /// An 80-bit float, in hertz; nil for what is no rate.
    private static func rate(_ bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes)
        let exponent = Int(bytes.integer(at: 0, bytes: 2, bigEndian: true)) - 16_383
        guard (0..<31).contains(exponent) else { return nil }
        return Int(bytes.integer(at: 2, bytes: 8, bigEndian: true) >> UInt64(63 - exponent))
    }

    // MARK: The bytes

    /// Which bytes a length of 32 bits means.
    ///
    /// - Returns: the bytes that are there, and how many the header announces; nil where it leaves that open.
    private static func extent(
        of file: borrowing RegularFile, from offset: Int64, announced: Int64, bigEndian: Bool
    ) -> (Range<Int64>, Int64?) {
        let there = max(0, file.byteCount - offset)
        func bytes(_ count: Int64) -> Range<Int64> { offset..<offset + count }
        guard announced <= there else {
            return (bytes(there), AnnouncedData.standsForUnknown(announced) ? nil : announced)
        }
        // Above 4 GB, 32 bits keep the remainder.
        let whole = announced + ((there - announced) >> 32) << 32
        let isLong = whole > announced
        if !isLong && announced > 0 && !AnnouncedData.standsForUnknown(announced) {
            return (bytes(announced), announced)
        }
        // What follows the sound of an honest file is other chunks.
        if file.hasOnlyChunks(from: offset + whole, bigEndian: bigEndian) { return (bytes(whole), whole) }
        if isLong && announced > 0 && !AnnouncedData.standsForUnknown(announced) {
            return (bytes(announced), announced)
        }
        return (bytes(there), nil)
    }

    /// Enough for any honest file; a damaged one must not keep the walk busy.
    private static let chunkLimit = 4096
}
