package import AudioModel

/// What a file says about itself.
package struct AudioFileInfo: Hashable, Sendable {
    package var path: String
    /// "FLAC, 16 bit", "Ogg Opus": for people.
    package var formatName: String
    /// The file's own rate, in hertz.
    package var sampleRate: Double
    package var channels: [ChannelLabel]
    /// Frames at the file's own rate; 0 where the file does not say.
    package var frameCount: Int64
    package var tags = TrackTags()

    package var duration: Double { sampleRate > 0 ? Double(frameCount) / sampleRate : 0 }

    /// Of the tags.
    package var title: String? { tags.title }
    /// Of the tags.
    package var artist: String? { tags.artist }
}
