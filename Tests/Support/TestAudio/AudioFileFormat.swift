package import AudioFiles
internal import AudioModel

/// The kinds of sound file that tests write.
package enum AudioFileFormat: Hashable, Sendable, CaseIterable {
    case wav16, wav24, wavFloat
    case aiff16
    case caf16, cafAppleLossless
    case flac16, flac24
    case oggVorbis, oggOpus
    case mp3

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

    package var type: AudioFileType {
        switch self {
        case .wav16: AudioFileType(container: .wav, coding: .integer(bits: 16))
        case .wav24: AudioFileType(container: .wav, coding: .integer(bits: 24))
        case .wavFloat: AudioFileType(container: .wav, coding: .float(bits: 32))
        case .aiff16: AudioFileType(container: .aiff, coding: .integer(bits: 16))
        case .caf16: AudioFileType(container: .caf, coding: .integer(bits: 16))
        case .cafAppleLossless: AudioFileType(container: .caf, coding: .appleLossless(bits: 16))
        case .flac16: AudioFileType(container: .flac, coding: .integer(bits: 16))
        case .flac24: AudioFileType(container: .flac, coding: .integer(bits: 24))
        case .oggVorbis: AudioFileType(container: .ogg, coding: .vorbis)
        case .oggOpus: AudioFileType(container: .ogg, coding: .opus)
        case .mp3: AudioFileType(container: .mpeg, coding: .mp3)
        }
    }
}

extension AudioFileWriter {
    /// A file of one of the tests' kinds, with the usual channels of its channel count.
    package convenience init(
        path: String, format: AudioFileFormat, sampleRate: Int, channelCount: Int, title: String? = nil,
        artist: String? = nil
    ) throws(AudioFileWriteError) {
        try self.init(
            path: path, type: format.type, sampleRate: sampleRate, channels: ChannelLabel.standard(count: channelCount),
            title: title, artist: artist)
    }
}
