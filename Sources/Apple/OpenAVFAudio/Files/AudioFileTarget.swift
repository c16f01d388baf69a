import AudioFiles
import AudioModel
import Foundation
internal import OpenAudioSession

/// A file that is to be written, as a URL and settings describe it.
struct AudioFileTarget {
    let path: String
    let type: AudioFileType
    /// In hertz.
    let sampleRate: Int
    let places: [ChannelLabel]
    /// Where the settings name one that fits.
    let layout: AVAudioChannelLayout?
    /// 0...1; nil for the encoder's default.
    let quality: Double?

    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that describes what cannot be written.
    init(url: URL, settings: AudioSettings) throws {
        path = try Self.path(url)
        guard
            let rate = settings.sampleRate.flatMap({ Int(exactly: $0) }), rate > 0,
            let count = settings.channelCount ?? settings.channelLayout?.channelCount, count > 0, count <= 1024
        else {
            throw NSError.audio(
                kAudio_ParamError,
                """
                "\(url.lastPathComponent)" cannot be written: the settings need AVSampleRateKey with a whole number \
                of hertz and AVNumberOfChannelsKey with 1 to 1024 channels.
                """)
        }
        var type = try AudioFileType(settings, url: url)
        // A format's settings always name the machine's byte order. Where a container has only its own (floats in AIFF),
        // that is the one to take; `fileFormat` says which it is.
        if !type.isWritable(sampleRate: rate, channelCount: Int(count)) { type.isBigEndian = nil }
        guard type.isWritable(sampleRate: rate, channelCount: Int(count)) else {
            throw NSError.audio(
                kAudioFileUnsupportedDataFormatError,
                """
                "\(url.lastPathComponent)" cannot be written: \(type.name) does not take \(count) channels at \
                \(rate) Hz. Use another sample rate, fewer channels or a WAV file.
                """)
        }
        self.type = type
        sampleRate = rate
        layout = settings.channelLayout.flatMap { $0.channelCount == count ? $0 : nil }
        places = layout?.places ?? ChannelLabel.standard(count: Int(count))
        quality = type.quality(settings, channelCount: Int(count))
    }

    var fileFormat: AVAudioFormat { type.format(sampleRate: Double(sampleRate), places: places) }

    static func path(_ url: URL) throws -> String {
        guard url.isFileURL else {
            throw NSError.audio(
                kAudioFileFileNotFoundError, "\"\(url.absoluteString.printable)\" is not the URL of a file; use one.")
        }
        return url.path
    }
}
