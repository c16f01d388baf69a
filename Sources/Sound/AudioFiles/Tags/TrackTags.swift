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

    init(libsndfile handle: OpaquePointer) {
        for text in Self.texts {
            guard let kind = text.libsndfile else { continue }
            self[keyPath: text.path] = Self.text(sf_get_string(handle, Int32(kind)))
        }
    }

    init(libav decoder: OpaquePointer) {
        func text(_ key: String) -> String? { Self.text(oav_decoder_tag(decoder, key)) }
        for known in Self.texts { self[keyPath: known.path] = text(known.libav) }
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

    /// A text, and what each kind of tag calls it; nil or nothing where a kind does not have it, or is not asked for it.
    struct Text {
        let path: any WritableKeyPath<TrackTags, String?> & Sendable
        let libav: String
        var libsndfile: Int?
        /// In every version.
        var id3: Set<String> = []
        var ape: String?
    }

    static let texts: [Text] = [
        Text(path: \.title, libav: "title", libsndfile: SF_STR_TITLE, id3: ["TIT2", "TT2"], ape: "TITLE"),
        Text(path: \.artist, libav: "artist", libsndfile: SF_STR_ARTIST, id3: ["TPE1", "TP1"], ape: "ARTIST"),
        Text(path: \.album, libav: "album", libsndfile: SF_STR_ALBUM, id3: ["TALB", "TAL"], ape: "ALBUM"),
        Text(path: \.albumArtist, libav: "album_artist", id3: ["TPE2", "TP2"]),
        Text(path: \.composer, libav: "composer", id3: ["TCOM", "TCM"], ape: "COMPOSER"),
        Text(path: \.genre, libav: "genre", libsndfile: SF_STR_GENRE, ape: "GENRE"),
        Text(path: \.date, libav: "date", libsndfile: SF_STR_DATE, ape: "YEAR"),
        Text(path: \.trackNumber, libav: "track", libsndfile: SF_STR_TRACKNUMBER, ape: "TRACK"),
        Text(path: \.comment, libav: "comment", libsndfile: SF_STR_COMMENT),
        Text(path: \.copyright, libav: "copyright", libsndfile: SF_STR_COPYRIGHT),
        Text(path: \.software, libav: "encoder", libsndfile: SF_STR_SOFTWARE),
    ]
}
