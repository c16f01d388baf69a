import CSndfile

/// A kind of sound file that can be written.
package enum AudioFileFormat: Hashable, Sendable, CaseIterable {
    case wav16, wav24, wavFloat
    case aiff16
    case caf16, cafAppleLossless
    case flac16, flac24
    case oggVorbis, oggOpus
    case mp3

    /// The usual format for a path's extension (".wav" is 16 bit WAV, ".flac" 16 bit FLAC); nil for others.
    package init?(path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        let preferred: [AudioFileFormat] = [.wav16, .aiff16, .caf16, .flac16, .oggVorbis, .oggOpus, .mp3]
        guard let format = preferred.first(where: { $0.fileExtension == ending }) else { return nil }
        self = format
    }

    /// Without a dot: "wav".
    package var fileExtension: String {
        switch self {
        case .wav16, .wav24, .wavFloat: "wav"
        case .aiff16: "aiff"
        case .caf16, .cafAppleLossless: "caf"
        case .flac16, .flac24: "flac"
        case .oggVorbis: "ogg"
        case .oggOpus: "opus"
        case .mp3: "mp3"
        }
    }

    /// libsndfile's word for it.
    var code: Int32 {
        let word =
            switch self {
            case .wav16: SF_FORMAT_WAV | SF_FORMAT_PCM_16
            case .wav24: SF_FORMAT_WAV | SF_FORMAT_PCM_24
            case .wavFloat: SF_FORMAT_WAV | SF_FORMAT_FLOAT
            case .aiff16: SF_FORMAT_AIFF | SF_FORMAT_PCM_16
            case .caf16: SF_FORMAT_CAF | SF_FORMAT_PCM_16
            case .cafAppleLossless: SF_FORMAT_CAF | SF_FORMAT_ALAC_16
            case .flac16: SF_FORMAT_FLAC | SF_FORMAT_PCM_16
            case .flac24: SF_FORMAT_FLAC | SF_FORMAT_PCM_24
            case .oggVorbis: SF_FORMAT_OGG | SF_FORMAT_VORBIS
            case .oggOpus: SF_FORMAT_OGG | SF_FORMAT_OPUS
            case .mp3: SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III
            }
        return Int32(word)
    }
}
