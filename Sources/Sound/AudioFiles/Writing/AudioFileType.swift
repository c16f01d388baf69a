import CSndfile

/// A container and what is in it: all kinds of sound file that can be written, and what one that was opened is.
package struct AudioFileType: Hashable, Sendable {
    package enum Container: Hashable, Sendable {
        case wav, rf64, wave64, aiff, caf, au, flac, ogg, mpeg
        /// By FFmpeg.
        case mpeg4, adts
        /// Other containers: readable only.
        case other
    }

    package enum Coding: Hashable, Sendable {
        /// Linear PCM, also within FLAC.
        ///
        /// 8-bit samples have the sign that the container wants.
        case integer(bits: Int)
        case float(bits: Int)
        case appleLossless(bits: Int)
        case vorbis, opus, mp3, muLaw, aLaw
        /// By FFmpeg.
        case aac
        /// Other codings: readable only.
        case other
    }

    package var container: Container
    package var coding: Coding
    /// Nil is the container's own order.
    package var isBigEndian: Bool?

    package init(container: Container, coding: Coding, isBigEndian: Bool? = nil) {
        self.container = container
        self.coding = coding
        self.isBigEndian = isBigEndian
    }

    /// What libsndfile found.
    init(code: Int) {
        container = Self.containers.first { $0.code == code & SF_FORMAT_TYPEMASK }?.container ?? .other
        coding = Self.codings.first { $0.code == code & SF_FORMAT_SUBMASK }?.coding ?? .other
        isBigEndian =
            switch code & SF_FORMAT_ENDMASK {
            case SF_ENDIAN_BIG: true
            case SF_ENDIAN_LITTLE, SF_ENDIAN_CPU: false
            default: hasBigEndianDefault
            }
    }

    /// The container's own byte order.
    package var hasBigEndianDefault: Bool { [.aiff, .au, .caf].contains(container) }

    /// libsndfile's word for it; nil for what it cannot write.
    ///
    /// - Parameter channelCount: WAV files of more than two channels need the header that has a channel mask.
    func code(channelCount: Int) -> Int32? {
        guard container != .other, coding != .other,
            let container = Self.containers.first(where: { $0.container == container })?.code,
            let coding = Self.codings.first(where: { $0.coding == coding })?.code
        else { return nil }
        let hasMask = container == SF_FORMAT_WAV && channelCount > 2
        let isUnsigned = coding == SF_FORMAT_PCM_S8 && [.wav, .rf64, .wave64].contains(self.container)
        let order =
            switch isBigEndian {
            // The only order, which libsndfile does not want named.
            case true where hasBigEndianDefault: SF_ENDIAN_FILE
            case true?: SF_ENDIAN_BIG
            case false where hasBigEndianDefault: SF_ENDIAN_LITTLE
            case false?, nil: SF_ENDIAN_FILE
            }
        return Int32((hasMask ? SF_FORMAT_WAVEX : container) | (isUnsigned ? SF_FORMAT_PCM_U8 : coding) | order)
    }

    /// Whether such a file can be written with so many channels at this rate, in hertz.
    package func isWritable(sampleRate: Int, channelCount: Int) -> Bool {
        if isWrittenByLibav {
            guard coding == .aac else { return [1, 2].contains(channelCount) && (1...384_000).contains(sampleRate) }
            return [1, 2, 6].contains(channelCount) && Self.aacRates.contains(sampleRate)
        }
        // libsndfile writes Apple Lossless when it closes the file: a killed process would lose all of it, and a full disk ends
        // the process (1.2.0).
        if case .appleLossless = coding { return false }
        guard let code = code(channelCount: channelCount) else { return false }
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(clamping: channelCount)
        info.format = code
        // sf_format_check does not look at the rates that an encoder is limited to.
        let rates =
            switch coding {
            case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
            case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
            case .integer, .float, .appleLossless, .vorbis, .muLaw, .aLaw, .aac, .other: [sampleRate]
            }
        return rates.contains(sampleRate) && sf_format_check(&info) != 0
    }

    /// Such a file in words: "CAF, 24 bit".
    package var name: String {
        switch (container, coding) {
        case (.mpeg4, .aac): "AAC (MPEG-4)"
        case (.adts, .aac): "AAC (ADTS)"
        case (.mpeg4, .appleLossless(let bits)): "Apple Lossless, \(bits) bit (MPEG-4)"
        default: Self.name(of: Int(code(channelCount: 1) ?? 0))
        }
    }

    /// The bits of a step that the file keeps; nil for floats and for codings that lose more than the last bits.
    package var bitDepth: Int? {
        switch coding {
        case .integer(let bits), .appleLossless(let bits): bits
        case .float, .vorbis, .opus, .mp3, .muLaw, .aLaw, .aac, .other: nil
        }
    }
}

// MARK: libsndfile's words

extension AudioFileType {
    /// libsndfile's word for each container, and the container's name for people; of several words, the first is written.
    private static let containers: [(container: Container, code: Int, name: String)] = [
        (.wav, SF_FORMAT_WAV, "WAV"), (.wav, SF_FORMAT_WAVEX, "WAV"), (.rf64, SF_FORMAT_RF64, "RF64"),
        (.wave64, SF_FORMAT_W64, "Wave64"), (.aiff, SF_FORMAT_AIFF, "AIFF"), (.caf, SF_FORMAT_CAF, "CAF"),
        (.au, SF_FORMAT_AU, "AU"), (.flac, SF_FORMAT_FLAC, "FLAC"), (.ogg, SF_FORMAT_OGG, "Ogg"),
        (.mpeg, SF_FORMAT_MPEG, "MPEG"),
    ]

    /// As `containers`; without a name, libsndfile's own is used.
    private static let codings: [(coding: Coding, code: Int, name: String?)] = [
        (.integer(bits: 8), SF_FORMAT_PCM_S8, "8 bit"), (.integer(bits: 8), SF_FORMAT_PCM_U8, "8 bit"),
        (.integer(bits: 16), SF_FORMAT_PCM_16, "16 bit"), (.integer(bits: 24), SF_FORMAT_PCM_24, "24 bit"),
        (.integer(bits: 32), SF_FORMAT_PCM_32, "32 bit"), (.float(bits: 32), SF_FORMAT_FLOAT, "32 bit float"),
        (.float(bits: 64), SF_FORMAT_DOUBLE, "64 bit float"),
        (.appleLossless(bits: 16), SF_FORMAT_ALAC_16, "Apple Lossless, 16 bit"),
        (.appleLossless(bits: 20), SF_FORMAT_ALAC_20, "Apple Lossless, 20 bit"),
        (.appleLossless(bits: 24), SF_FORMAT_ALAC_24, "Apple Lossless, 24 bit"),
        (.appleLossless(bits: 32), SF_FORMAT_ALAC_32, "Apple Lossless, 32 bit"),
        (.vorbis, SF_FORMAT_VORBIS, "Ogg Vorbis"), (.opus, SF_FORMAT_OPUS, "Ogg Opus"),
        (.mp3, SF_FORMAT_MPEG_LAYER_III, "MP3"), (.other, SF_FORMAT_MPEG_LAYER_I, "MP1"),
        (.other, SF_FORMAT_MPEG_LAYER_II, "MP2"), (.muLaw, SF_FORMAT_ULAW, nil), (.aLaw, SF_FORMAT_ALAW, nil),
    ]

    /// The name of libsndfile's format word for people: "FLAC, 16 bit", "Ogg Opus".
    static func name(of format: Int) -> String {
        let container = format & SF_FORMAT_TYPEMASK
        let known = codings.first { $0.code == format & SF_FORMAT_SUBMASK }
        // These have one container only, and people know them by one name.
        if let known, let name = known.name, [.vorbis, .opus, .mp3, .other].contains(known.coding) { return name }
        let containerName =
            containers.first { $0.code == container }?.name ?? libraryName(container) ?? "Sound file"
        guard let codingName = known?.name ?? libraryName(format & SF_FORMAT_SUBMASK) else { return containerName }
        return "\(containerName), \(codingName)"
    }

    private static func libraryName(_ part: Int) -> String? {
        var info = SF_FORMAT_INFO()
        info.format = Int32(truncatingIfNeeded: part)
        let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
        guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = info.name else { return nil }
        return String(cString: name)
    }
}
