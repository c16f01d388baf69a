package import AudioModel

/// What a file says about itself.
package struct AudioFileInfo: Hashable, Sendable {
    package var path: String
    /// "FLAC, 16 bit", "Ogg Opus": for people.
    package var formatName: String
    /// The file's own rate, in hertz.
    package var sampleRate: Double
    package var channels: [ChannelLabel]
    /// Frames at the file's own rate.
    package var frameCount: Int64
    /// From the file's tags.
    ///
    /// Untrusted text.
    package var title: String?
    package var artist: String?

    package var duration: Double { sampleRate > 0 ? Double(frameCount) / sampleRate : 0 }
}
