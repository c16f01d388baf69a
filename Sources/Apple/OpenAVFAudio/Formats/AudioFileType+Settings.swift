import AudioFiles
import AudioModel
import Foundation
internal import OpenAudioSession

extension AudioFileType {
    /// The file that settings and a path's extension ask for.
    ///
    /// - Throws: `NSError` with `kAudioFileUnsupportedFileTypeError` for a kind of file that is not written here, and
    ///   with `kAudioFileUnsupportedDataFormatError` for a coding that such a file cannot hold.
    init(_ settings: AudioSettings, url: URL) throws {
        let ending = url.pathExtension.lowercased()
        let found = settings.fileType.map(Self.container(fileType:)) ?? Self.container(ofExtension: ending)
        guard let container = found else {
            let asked = settings.fileType == nil ? "the extension \".\(ending)\"" : "AVAudioFileTypeKey"
            throw NSError.audio(
                kAudioFileUnsupportedFileTypeError,
                """
                "\(url.lastPathComponent)" cannot be written: \(asked) does not name a supported file type. Use \
                \(Self.writtenExtensions).
                """)
        }
        let formatID = settings.formatID ?? Self.usual(container, ending: ending)
        guard let coding = Self.coding(formatID, in: container, settings) else {
            throw NSError.audio(
                kAudioFileUnsupportedDataFormatError,
                """
                "\(url.lastPathComponent)" cannot be written: such a file does not hold \
                \(Self.words(formatID, settings)). Linear PCM goes into .wav, .caf, .aiff and .au, Apple Lossless into \
                .m4a, AAC into .m4a and .aac, FLAC into .flac, Opus into .opus, MP3 into .mp3.
                """)
        }
        let isPCM = formatID == kAudioFormatLinearPCM
        self.init(container: container, coding: coding, isBigEndian: isPCM ? settings.isBigEndian : nil)
    }

    /// The quality for encoders, 0...1, from `AVAudioQuality`'s 0...127; for AAC from the bit rate, where that is set.
    func quality(_ settings: AudioSettings, channelCount: Int) -> Double? {
        if coding == .aac, let bitRate = settings.encoderBitRate {
            return Self.aacQuality(bitRate: bitRate, channelCount: channelCount)
        }
        return settings.encoderQuality.map { Double(min(max($0, 0), 127)) / 127 }
    }

    /// Ogg Vorbis has no name in Core Audio; this is the one that other programs use.
    private static let vorbisID: AudioFormatID = 0x766F_7262

    private static func container(fileType: AudioFileTypeID) -> Container? {
        switch fileType {
        case kAudioFileWAVEType: .wav
        case kAudioFileRF64Type: .rf64
        case kAudioFileAIFFType, kAudioFileAIFCType: .aiff
        case kAudioFileCAFType: .caf
        case kAudioFileNextType: .au
        case kAudioFileFLACType: .flac
        case kAudioFileMP3Type: .mpeg
        case kAudioFileMPEG4Type, kAudioFileM4AType, kAudioFileM4BType: .mpeg4
        case kAudioFileAAC_ADTSType: .adts
        default: nil
        }
    }

    private static func usual(_ container: Container, ending: String) -> AudioFormatID {
        switch container {
        case .flac: kAudioFormatFLAC
        case .ogg: ending == "opus" ? kAudioFormatOpus : vorbisID
        case .mpeg: kAudioFormatMPEGLayer3
        case .mpeg4, .adts: kAudioFormatMPEG4AAC
        case .wav, .rf64, .wave64, .aiff, .caf, .au, .other: kAudioFormatLinearPCM
        }
    }

    private static func coding(
        _ formatID: AudioFormatID, in container: Container, _ settings: AudioSettings
    ) -> Coding? {
        let isForPCM = ![.flac, .ogg, .mpeg, .mpeg4, .adts].contains(container)
        switch formatID {
        case kAudioFormatLinearPCM where isForPCM:
            let isFloat = settings.isFloat ?? false
            let bits = settings.bitDepth ?? (isFloat ? 32 : 16)
            guard (isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits) else { return nil }
            return isFloat ? .float(bits: bits) : .integer(bits: bits)
        case kAudioFormatFLAC where container == .flac: return .integer(bits: settings.encoderBitDepth ?? 16)
        case kAudioFormatMPEG4AAC where [.mpeg4, .adts].contains(container): return .aac
        case kAudioFormatAppleLossless where container == .mpeg4:
            return .appleLossless(bits: (settings.encoderBitDepth ?? 16) > 16 ? 24 : 16)
        case vorbisID where container == .ogg: return .vorbis
        case kAudioFormatOpus where container == .ogg: return .opus
        case kAudioFormatMPEGLayer3 where container == .mpeg: return .mp3
        case kAudioFormatULaw where isForPCM: return .muLaw
        case kAudioFormatALaw where isForPCM: return .aLaw
        default: return nil
        }
    }

    private static func words(_ formatID: AudioFormatID, _ settings: AudioSettings) -> String {
        var format = AudioStreamBasicDescription()
        format.mFormatID = formatID
        guard formatID == kAudioFormatLinearPCM else { return format.codingName }
        return "linear PCM of \(settings.bitDepth.map { "\($0)" } ?? "the usual") bits"
    }

    /// The format of what is stored, for `AVAudioFile.fileFormat`.
    func format(sampleRate: Double, places: [ChannelLabel]) -> AVAudioFormat {
        let channels = UInt32(places.count)
        var stored = AudioStreamBasicDescription()
        switch coding {
        case .integer(let bits) where container != .flac:
            stored = .pcm(
                sampleRate, channels, bits: UInt32(bits), isFloat: false, isBigEndian: hasBigEndianSamples,
                isInterleaved: true)
            // The 8-bit samples of WAV files are unsigned; one byte has no order.
            if bits == 8 {
                stored.mFormatFlags &= ~kAudioFormatFlagIsBigEndian
                if [.wav, .rf64, .wave64].contains(container) {
                    stored.mFormatFlags &= ~kAudioFormatFlagIsSignedInteger
                }
            }
        case .float(let bits):
            stored = .pcm(
                sampleRate, channels, bits: UInt32(bits), isFloat: true, isBigEndian: hasBigEndianSamples,
                isInterleaved: true)
        case .integer(let bits): stored = .lossless(kAudioFormatFLAC, bits: bits)
        case .appleLossless(let bits): stored = .lossless(kAudioFormatAppleLossless, bits: bits)
        case .vorbis: stored.mFormatID = Self.vorbisID
        case .opus: stored.mFormatID = kAudioFormatOpus
        case .mp3: stored.mFormatID = kAudioFormatMPEGLayer3
        case .muLaw: stored.mFormatID = kAudioFormatULaw
        case .aLaw: stored.mFormatID = kAudioFormatALaw
        case .aac: stored.mFormatID = kAudioFormatMPEG4AAC
        case .other: break
        }
        stored.mSampleRate = sampleRate
        stored.mChannelsPerFrame = channels
        return AVAudioFormat(stored, layout: channels > 2 ? AVAudioChannelLayout(places: places) : nil)
    }

    private var hasBigEndianSamples: Bool { isBigEndian ?? hasBigEndianDefault }
}

extension AudioStreamBasicDescription {
    /// FLAC and Apple Lossless name the width of what they were made from in their flags: 1, 2, 3, 4 for 16, 20, 24, 32.
    fileprivate static func lossless(_ formatID: AudioFormatID, bits: Int) -> AudioStreamBasicDescription {
        var format = AudioStreamBasicDescription()
        format.mFormatID = formatID
        format.setSourceBits(bits)
        return format
    }

    private static let sourceBits: [AudioFormatFlags: Int] = [1: 16, 2: 20, 3: 24, 4: 32]

    /// Of FLAC and Apple Lossless: the width of what they were made from; nil where it is not said.
    var sourceBits: Int? {
        guard mFormatID == kAudioFormatFLAC || mFormatID == kAudioFormatAppleLossless else { return nil }
        return Self.sourceBits[mFormatFlags]
    }

    mutating func setSourceBits(_ bits: Int) {
        mFormatFlags = Self.sourceBits.first { $0.value == bits }?.key ?? 0
    }
}
