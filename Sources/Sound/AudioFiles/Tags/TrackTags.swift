import CLibav
import CSndfile

/// What a file's tags say about its sound.
///
/// Untrusted text, with whatever control characters the file has; none of it is empty.
package struct TrackTags: Hashable, Sendable {
    package var title: String?
    package var artist: String?
    package var album: String?
    package var albumArtist: String?
    package var composer: String?
    package var genre: String?
    /// As the file writes it: "2019", "2019-05-04".
    package var date: String?
    /// "3", "3/12".
    package var trackNumber: String?
    package var comment: String?
    package var copyright: String?
    /// The program that made the file.
    package var software: String?
    /// The texts of ReplayGain by their keys, of files that FFmpeg reads.
    package var gains: [String: String] = [:]

    package init(title: String? = nil, artist: String? = nil, album: String? = nil) {
        self.title = title
        self.artist = artist
        self.album = album
    }

    /// libsndfile has no word for an album's artist and for a composer.
    init(libsndfile handle: OpaquePointer) {
        func text(_ kind: Int) -> String? { Self.text(sf_get_string(handle, Int32(kind))) }
        title = text(SF_STR_TITLE)
        artist = text(SF_STR_ARTIST)
        album = text(SF_STR_ALBUM)
        genre = text(SF_STR_GENRE)
        date = text(SF_STR_DATE)
        trackNumber = text(SF_STR_TRACKNUMBER)
        comment = text(SF_STR_COMMENT)
        copyright = text(SF_STR_COPYRIGHT)
        software = text(SF_STR_SOFTWARE)
    }

    init(libav decoder: OpaquePointer) {
        func text(_ key: String) -> String? { Self.text(oav_decoder_tag(decoder, key)) }
        title = text("title")
        artist = text("artist")
        album = text("album")
        albumArtist = text("album_artist")
        composer = text("composer")
        genre = text("genre")
        date = text("date")
        trackNumber = text("track")
        comment = text("comment")
        copyright = text("copyright")
        software = text("encoder")
        for name in ["TRACK", "ALBUM"] {
            for key in ["REPLAYGAIN_\(name)_GAIN", "REPLAYGAIN_\(name)_PEAK", "R128_\(name)_GAIN"] {
                gains[key] = text(key)
            }
        }
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text, text.pointee != 0 else { return nil }
        return String(cString: text)
    }
}
