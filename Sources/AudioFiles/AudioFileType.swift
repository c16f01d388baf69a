import CSndfile

/// A container and what is in it: all kinds of sound file that can be written, and what one that was opened is.
package struct AudioFileType: Hashable, Sendable {
    package enum Container: Hashable, Sendable {
        case wav, rf64, wave64, aiff, caf, au, flac, ogg, mpeg
        /// libsndfile's other containers: readable only.
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
        /// libsndfile's other codings: readable only.
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
        container =
            switch code & Int(SF_FORMAT_TYPEMASK) {
            case Int(SF_FORMAT_WAV), Int(SF_FORMAT_WAVEX): .wav
            case Int(SF_FORMAT_RF64): .rf64
            case Int(SF_FORMAT_W64): .wave64
            case Int(SF_FORMAT_AIFF): .aiff
            case Int(SF_FORMAT_CAF): .caf
            case Int(SF_FORMAT_AU): .au
            case Int(SF_FORMAT_FLAC): .flac
            case Int(SF_FORMAT_OGG): .ogg
            case Int(SF_FORMAT_MPEG): .mpeg
            default: .other
            }
        coding =
            switch code & Int(SF_FORMAT_SUBMASK) {
            case Int(SF_FORMAT_PCM_S8), Int(SF_FORMAT_PCM_U8): .integer(bits: 8)
            case Int(SF_FORMAT_PCM_16): .integer(bits: 16)
            case Int(SF_FORMAT_PCM_24): .integer(bits: 24)
            case Int(SF_FORMAT_PCM_32): .integer(bits: 32)
            case Int(SF_FORMAT_FLOAT): .float(bits: 32)
            case Int(SF_FORMAT_DOUBLE): .float(bits: 64)
            case Int(SF_FORMAT_ALAC_16): .appleLossless(bits: 16)
            case Int(SF_FORMAT_ALAC_20): .appleLossless(bits: 20)
            case Int(SF_FORMAT_ALAC_24): .appleLossless(bits: 24)
            case Int(SF_FORMAT_ALAC_32): .appleLossless(bits: 32)
            case Int(SF_FORMAT_VORBIS): .vorbis
            case Int(SF_FORMAT_OPUS): .opus
            case Int(SF_FORMAT_MPEG_LAYER_III): .mp3
            case Int(SF_FORMAT_ULAW): .muLaw
            case Int(SF_FORMAT_ALAW): .aLaw
            default: .other
            }
        let hasBigEndianDefault = container == .aiff || container == .au || container == .caf
        isBigEndian =
            switch code & Int(SF_FORMAT_ENDMASK) {
            case Int(SF_ENDIAN_BIG): true
            case Int(SF_ENDIAN_LITTLE), Int(SF_ENDIAN_CPU): false
            default: hasBigEndianDefault
            }
    }

    /// libsndfile's word for it; nil for what it cannot write.
    ///
    /// - Parameter channelCount: more than two channels in a WAV file need the header that says which is which.
    func code(channelCount: Int) -> Int32? {
        guard let container = containerCode(channelCount), let coding = codingCode else { return nil }
        let order =
            switch isBigEndian {
            // The only order, which libsndfile does not want named.
            case true where [.aiff, .au, .caf].contains(self.container): SF_ENDIAN_FILE
            case true?: SF_ENDIAN_BIG
            case false where [.aiff, .au, .caf].contains(self.container): SF_ENDIAN_LITTLE
            case false?, nil: SF_ENDIAN_FILE
            }
        return Int32(container | coding | Int(order))
    }

    /// Whether such a file can be written with so many channels at this rate, in hertz.
    package func isWritable(sampleRate: Int, channelCount: Int) -> Bool {
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
            case .integer, .float, .appleLossless, .vorbis, .muLaw, .aLaw, .other: [sampleRate]
            }
        return rates.contains(sampleRate) && sf_format_check(&info) != 0
    }

    /// Such a file in words: "CAF, 24 bit".
    package var name: String { FormatName.name(of: Int(code(channelCount: 1) ?? 0)) }

    private func containerCode(_ channelCount: Int) -> Int? {
        switch container {
        case .wav: Int(channelCount > 2 ? SF_FORMAT_WAVEX : SF_FORMAT_WAV)
        case .rf64: Int(SF_FORMAT_RF64)
        case .wave64: Int(SF_FORMAT_W64)
        case .aiff: Int(SF_FORMAT_AIFF)
        case .caf: Int(SF_FORMAT_CAF)
        case .au: Int(SF_FORMAT_AU)
        case .flac: Int(SF_FORMAT_FLAC)
        case .ogg: Int(SF_FORMAT_OGG)
        case .mpeg: Int(SF_FORMAT_MPEG)
        case .other: nil
        }
    }

    private var codingCode: Int? {
        let isUnsigned = [.wav, .rf64, .wave64].contains(container)
        return switch coding {
        case .integer(8): Int(isUnsigned ? SF_FORMAT_PCM_U8 : SF_FORMAT_PCM_S8)
        case .integer(16): Int(SF_FORMAT_PCM_16)
        case .integer(24): Int(SF_FORMAT_PCM_24)
        case .integer(32): Int(SF_FORMAT_PCM_32)
        case .float(32): Int(SF_FORMAT_FLOAT)
        case .float(64): Int(SF_FORMAT_DOUBLE)
        case .appleLossless(16): Int(SF_FORMAT_ALAC_16)
        case .appleLossless(20): Int(SF_FORMAT_ALAC_20)
        case .appleLossless(24): Int(SF_FORMAT_ALAC_24)
        case .appleLossless(32): Int(SF_FORMAT_ALAC_32)
        case .vorbis: Int(SF_FORMAT_VORBIS)
        case .opus: Int(SF_FORMAT_OPUS)
        case .mp3: Int(SF_FORMAT_MPEG_LAYER_III)
        case .muLaw: Int(SF_FORMAT_ULAW)
        case .aLaw: Int(SF_FORMAT_ALAW)
        case .integer, .float, .appleLossless, .other: nil
        }
    }

    /// The bits of a step that the file keeps; nil for floats and for codings that lose more than the last bits.
    package var bitDepth: Int? {
        switch coding {
        case .integer(let bits), .appleLossless(let bits): bits
        case .float, .vorbis, .opus, .mp3, .muLaw, .aLaw, .other: nil
        }
    }
}
