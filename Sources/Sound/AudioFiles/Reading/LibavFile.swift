internal import AudioModel
package import CLibav

/// Where the bytes of a sound come from that is no file.
///
/// One thread at a time.
package protocol SoundOrigin: AnyObject {
    /// Why the last bytes did not come, and what to do about it, as the end of a sentence; nil: they came, or there are no more.
    var failure: String? { get }
}

/// One open sound that FFmpeg's libraries decode.
///
/// One thread at a time.
package final class LibavFile: ExactSoundDecoder {
    package let path: String
    package let type: AudioFileType
    package let sampleRate: Int
    package let channelCount: Int
    package let frameCount: Int64?
    package let isFrameCountExact: Bool

    private let source: Source
    private let decoder: OpaquePointer
    private let description: oav_decoder_info
    private let tags: TrackTags
    private var scratch: [Double] = []

    /// Where the bytes come from.
    private enum Source: ~Copyable {
        case file(RegularFile)
        case origin(any SoundOrigin)
    }

    /// The kinds of file that libsndfile does not know, as their first bytes tell.
    enum Kind: String {
        case mpeg4 = "an MPEG-4 file (M4A)"
        case adts = "an AAC file (ADTS)"
        case matroska = "a Matroska or WebM file"
        case windowsMedia = "a Windows Media file"
        case wavPack = "a WavPack file"
        case monkeysAudio = "a Monkey's Audio file"
        case trueAudio = "a True Audio file"
        case musepack = "a Musepack file"
        case amr = "an AMR file"
        case ac3 = "an AC-3 file"
        case dsf = "a DSF file (DSD)"
        case dsdiff = "a DSDIFF file (DSD)"

        /// How many bytes tell the kind.
        static let startCount = 12

        init?(start: [UInt8]) {
            if start.dropFirst(4).starts(with: Array("ftyp".utf8)) {
                self = .mpeg4
            } else if start.count > 1, start[0] == 0xFF, start[1] & 0xF6 == 0xF0 {
                // A sync word and layer 0, which MPEG audio does not have; libsndfile would look for an MP3 in it.
                self = .adts
            } else if let known = Self.beginnings.first(where: { start.starts(with: $0.bytes) }) {
                self = known.kind
            } else {
                return nil
            }
        }

        /// FFmpeg's name of the only demuxer for it; nil where there are several, or the first bytes prove little.
        var demuxer: String? {
            switch self {
            case .mpeg4: "mov"
            case .matroska: "matroska"
            case .windowsMedia: "asf"
            case .wavPack: "wv"
            case .monkeysAudio: "ape"
            case .trueAudio: "tta"
            case .amr: "amr"
            case .dsf: "dsf"
            case .dsdiff: "iff"
            case .adts, .musepack, .ac3: nil
            }
        }

        private static let beginnings: [(bytes: [UInt8], kind: Kind)] = [
            ([0x1A, 0x45, 0xDF, 0xA3], .matroska), ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .windowsMedia),
            (Array("wvpk".utf8), .wavPack), (Array("MAC ".utf8), .monkeysAudio), (Array("TTA1".utf8), .trueAudio),
            (Array("MPCK".utf8), .musepack), (Array("MP+".utf8), .musepack), (Array("#!AMR".utf8), .amr),
            ([0x0B, 0x77], .ac3), (Array("DSD ".utf8), .dsf), (Array("FRM8".utf8), .dsdiff),
        ]
    }

    /// - Parameters:
    ///   - path: what messages call the file.
    ///   - kind: of the file.
    /// - Throws: `notAudio`; the message names the missing package where FFmpeg is not there.
    convenience init(_ file: consuming RegularFile, path: String, kind: Kind) throws(AudioFileError) {
        var info = oav_decoder_info()
        var problem = OAV_DECODER_OK
        var text = [CChar](repeating: 0, count: 300)
        guard
            let decoder = oav_decoder_open(
                file.descriptor, file.start, file.byteCount, kind.demuxer, &info, &problem, &text, text.count)
        else {
            throw Self.refusal(
                path, kind, isMissing: problem == OAV_DECODER_MISSING,
                String(characters: text))
        }
        try self.init(decoder, info, .file(file), path: path)
    }

    /// A file that libsndfile does not read, or not whole.
    ///
    /// - Parameter demuxer: FFmpeg's name of the only one that may read it; nil: FFmpeg looks for one.
    /// - Returns: nil where FFmpeg is missing or does not know the file either.
    static func open(_ file: consuming RegularFile, path: String, demuxer: String?) -> LibavFile? {
        var info = oav_decoder_info()
        var problem = OAV_DECODER_OK
        var text = [CChar](repeating: 0, count: 300)
        guard
            let decoder = oav_decoder_open(
                file.descriptor, file.start, file.byteCount, demuxer, &info, &problem, &text, text.count)
        else { return nil }
        return try? LibavFile(decoder, info, .file(file), path: path)
    }

    /// Why FFmpeg's libraries cannot be used, and how to install them; nil where they can.
    package static var remedy: String? {
        var text = [CChar](repeating: 0, count: 300)
        return oav_libav_is_available(&text, text.count) ? nil : withRemedy(String(characters: text).printable)
    }

    /// What `decoder` reads from elsewhere than a file; `read` and `seek` wait for it.
    ///
    /// - Parameters:
    ///   - decoder: closed with the object.
    ///   - origin: what it reads from, kept as long.
    ///   - name: what messages call it.
    /// - Throws: `notAudio` where it cannot be played.
    package convenience init(
        _ decoder: OpaquePointer, _ info: oav_decoder_info, from origin: any SoundOrigin, named name: String
    ) throws(AudioFileError) {
        try self.init(decoder, info, .origin(origin), path: name)
    }

    /// - Parameter decoder: closed with the object.
    private init(
        _ decoder: OpaquePointer, _ info: oav_decoder_info, _ source: consuming Source, path: String
    ) throws(AudioFileError) {
        self.path = path
        self.source = source
        self.decoder = decoder
        description = info
        tags = TrackTags(libav: decoder)
        sampleRate = Int(info.sample_rate)
        channelCount = Int(info.channels)
        frameCount = info.frames >= 0 && info.frames <= SoundFile.longest ? info.frames : nil
        isFrameCountExact = info.frames_are_exact
        type = AudioFileType(
            codec: Self.text(of: info.codec), container: Self.text(of: info.container), bits: Int(info.bits))
        guard AudioFileReader.supportedSampleRates.contains(Double(sampleRate)),
            AudioFileReader.supportedChannelCounts.contains(channelCount)
        else {
            throw AudioFileError(
                .notAudio,
                "\(path.quoted) gives \(channelCount) channels at \(sampleRate) Hz, which cannot be played. Its header may "
                    + "be damaged; get a good copy or convert it.")
        }
    }

    deinit { oav_decoder_close(decoder) }

    /// - Parameter reason: why FFmpeg's libraries cannot be used.
    package static func withRemedy(_ reason: String) -> String {
        "\(reason). Install them: \(SystemPackage.installCommand(.ffmpeg))"
    }

    private static func refusal(_ path: String, _ kind: Kind, isMissing: Bool, _ text: String) -> AudioFileError {
        isMissing
            ? AudioFileError(
                .notAudio, "\(path.quoted) is \(kind.rawValue), which needs FFmpeg: \(withRemedy(text.printable))")
            : AudioFileError(
                .notAudio,
                "\(path.quoted) begins like \(kind.rawValue) but cannot be decoded: \(text.printable). It may be damaged, incomplete "
                    + "or encrypted; get a good copy, or convert it to FLAC or WAV.")
    }

    package var position: Int64 { oav_decoder_position(decoder) }

    package func info(frameCount: Int64) -> AudioFileInfo {
        AudioFileInfo(
            path: path, formatName: formatName, sampleRate: Double(sampleRate), channels: channels,
            frameCount: frameCount, tags: tags)
    }

    private var originFailure: String? {
        switch source {
        case .file: nil
        case .origin(let origin): origin.failure
        }
    }

    private var formatName: String {
        if type.isWrittenByLibav { return type.name }
        let codec = Self.text(of: description.codec)
        let name =
            switch codec {
            case "aac": "AAC"
            case "alac": "Apple Lossless, \(description.bits) bit"
            case "wmav1", "wmav2", "wmapro", "wmalossless": "Windows Media Audio"
            case "opus": "Opus"
            case "vorbis": "Vorbis"
            default: codec.uppercased()
            }
        return switch type.container {
        case .mpeg4: "\(name) (MPEG-4)"
        case .adts: "\(name) (ADTS)"
        default: name
        }
    }

    private var channels: [ChannelLabel] {
        let mask = description.channel_mask
        guard channelCount > 1, mask.nonzeroBitCount == channelCount, let places = ChannelLayout.labels(mask: mask)
        else {
            return ChannelLabel.standard(count: channelCount)
        }
        return places
    }

    package func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        let wanted = min(output.count / channelCount, 4096)
        if scratch.count < wanted * channelCount { scratch = [Double](repeating: 0, count: wanted * channelCount) }
        var got = 0
        try scratch.withUnsafeMutableBufferPointer { (scratch) throws(AudioFileError) in
            got = try read(into: UnsafeMutableBufferPointer(rebasing: scratch[..<(wanted * channelCount)]))
            for index in 0..<(got * channelCount) {
                let sample = Float(scratch[index])
                output[index] = sample.magnitude <= SoundFile.loudest ? sample : 0
            }
        }
        return got
    }

    func read(into output: UnsafeMutableBufferPointer<Double>) throws(AudioFileError) -> Int {
        guard let base = output.baseAddress, output.count >= channelCount else { return 0 }
        let got = oav_decoder_read(decoder, base, Int64(output.count / channelCount))
        guard got >= 0 else {
            let reason = originFailure.map { ": \($0)" } ?? "."
            throw AudioFileError(.readFailed, "\(path.quoted) cannot be read beyond \(time(position))\(reason)")
        }
        guard got == 0, isFrameCountExact, let frameCount, position + Self.tolerance < frameCount else {
            return Int(got)
        }
        throw AudioFileError(
            .truncated,
            "\(path.quoted) is damaged or incomplete: it ends after \(time(position)) of \(time(frameCount)). "
                + "Get a good copy.")
    }

    /// Encoders disagree on what the last packets of a file are worth.
    private static let tolerance: Int64 = 4096

    package func seek(to frame: Int64) throws(AudioFileError) {
        guard frame < frameCount ?? SoundFile.longest else { return try goToEnd(frame) }
        let before = position
        if oav_decoder_seek(decoder, frame) { return }
        guard oav_decoder_seek(decoder, before) else {
            throw AudioFileError(
                .readFailed, "\(path.quoted) can no longer be read at \(time(before)); play it from the beginning.")
        }
        throw AudioFileError(
            .truncated,
            "\(path.quoted) is damaged or incomplete: there is no sound at \(time(frame)); get a complete copy.")
    }

    /// Only decoding finds the end where the container does not know it.
    private func goToEnd(_ frame: Int64) throws(AudioFileError) {
        guard !isFrameCountExact else {
            _ = oav_decoder_seek(decoder, frameCount ?? 0)
            return
        }
        var samples = [Double](repeating: 0, count: 4096 * channelCount)
        try samples.withUnsafeMutableBufferPointer { (samples) throws(AudioFileError) in
            while position < frame, try read(into: samples) > 0 {}
        }
    }

    /// Of a C string in an array.
    private static func text<Characters>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension AudioFileType {
    /// What FFmpeg found.
    fileprivate init(codec: String, container: String, bits: Int) {
        let coding: Coding =
            switch codec {
            case "aac": .aac
            case "alac": .appleLossless(bits: bits)
            case "mp3": .mp3
            case "vorbis": .vorbis
            case "opus": .opus
            default: .other
            }
        let containers: [String: Container] = [
            "aac": .adts, "mp3": .mpeg, "ogg": .ogg, "caf": .caf, "wav": .wav, "aiff": .aiff, "au": .au, "flac": .flac,
            "w64": .wave64,
        ]
        self.init(
            container: container.hasPrefix("mov") ? .mpeg4 : containers[container] ?? .other, coding: coding)
    }
}
