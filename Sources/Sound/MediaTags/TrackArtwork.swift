internal import AudioFiles
internal import CLibavMedia
import Glibc

/// A picture in a file's tags: the front cover where there are several.
package struct TrackArtwork: Hashable, Sendable {
    /// A whole PNG, JPEG, GIF, BMP or WebP file by its first bytes; the others may be anything.
    package var bytes: [UInt8]
    /// "image/jpeg", "image/png", ...
    package let mediaType: String

    /// A picture of any kind in a file's tags.
    struct Picture {
        /// 3 is the front cover, in FLAC and in ID3.
        let kind: Int
        /// What ID3 says of it.
        var label: String?
        let bytes: [UInt8]
    }

    /// libsndfile reads no pictures: those of FLAC, MP3, WAV, AIFF and MPEG-4 files are read here.
    ///
    /// FFmpeg, which takes 26 MB, is loaded for Ogg files that say that they have a picture, and for what it plays itself. Any
    /// thread; waits for the disk.
    ///
    /// - Returns: nil where there is none, where it has more than 8 MB, where the file cannot be read, and where FFmpeg is
    ///   needed and not there.
    package init?(path: String) {
        guard let file = try? RegularFile(path: path), let bytes = Self.bytes(of: file),
            bytes.count <= Self.longest, let mediaType = Self.mediaType(of: bytes)
        else { return nil }
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// In bytes; the tags of a file have at most twice as many.
    private static let longest = 8 << 20

    private static func bytes(of file: borrowing RegularFile) -> [UInt8]? {
        let head = file.bytes(at: 0, count: 64 << 10)
        return switch head.prefix(4) {
        case Array("fLaC".utf8)[...]: frontCover(flacPictures(file))
        case let start where start.starts(with: "ID3".utf8): id3Picture(file)
        case Array("RIFF".utf8)[...], Array("FORM".utf8)[...]: id3Picture(file)
        case _ where head.dropFirst(4).starts(with: "ftyp".utf8): mpeg4Picture(file)
        case Array("OggS".utf8)[...]: hasPictureComment(head) ? libavPicture(file) : nil
        // A frame of MPEG without a tag before it, and formats without pictures.
        case let start where start.first == 0xFF: nil
        case Array("RF64".utf8)[...], Array("riff".utf8)[...], Array(".snd".utf8)[...], Array("caff".utf8)[...]: nil
        default: libavPicture(file)
        }
    }

    static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89] + Array("PNG".utf8)) { return "image/png" }
        if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
        if bytes.starts(with: "BM".utf8) { return "image/bmp" }
        return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) ? "image/webp" : nil
    }

    private static func frontCover(_ pictures: [Picture]) -> [UInt8]? {
        (pictures.first { $0.kind == 3 } ?? pictures.first)?.bytes
    }

    private static func flacPictures(_ file: borrowing RegularFile) -> [Picture] {
        FLACBlocks.contents(ofKind: 6, in: file, limit: Int64(2 * longest)).compactMap(flacPicture)
    }

    private static func flacPicture(_ block: [UInt8]) -> Picture? {
        var rest = ByteReader(block[...])
        // A media type, a description, and four numbers come before the picture.
        guard let kind = rest.number(4), let type = rest.number(4), rest.take(type) != nil, let text = rest.number(4),
            rest.take(text) != nil, rest.take(16) != nil, let size = rest.number(4), let bytes = rest.take(size)
        else { return nil }
        return Picture(kind: kind, bytes: Array(bytes))
    }

    private static func id3Picture(_ file: borrowing RegularFile) -> [UInt8]? {
        guard let start = ID3Tag.start(in: file) else { return nil }
        let frames = ID3Tag.frames(named: ["PIC", "APIC"], in: file, at: start, limit: Int64(2 * longest))
        return frontCover(frames.compactMap(Picture.init))
    }

    /// FFmpeg would make an index of the whole file first: 16 MB for two hours.
    ///
    /// Source: QuickTime File Format Specification, "User data" and "Metadata"; FFmpeg 5.1, libavformat/mov.c.
    private static func mpeg4Picture(_ file: borrowing RegularFile) -> [UInt8]? {
        let names = ["moov", "udta", "meta", "ilst", "covr", "data"]
        // A type and a language of four bytes each come before the picture.
        guard let data = MPEG4Box.contents(of: names, in: file), (9...8 + longest).contains(data.count) else {
            return nil
        }
        return file.bytes(at: data.lowerBound + 8, count: data.count - 8)
    }

    private static func libavPicture(_ file: borrowing RegularFile) -> [UInt8]? {
        var size = 0
        guard let copy = oav_picture_read(file.descriptor, Int64(2 * longest), &size) else { return nil }
        defer { free(copy) }
        return [UInt8](UnsafeBufferPointer(start: copy, count: size))
    }

    /// Source: https://wiki.xiph.org/VorbisComment#Cover_art.
    private static func hasPictureComment(_ head: [UInt8]) -> Bool {
        head.contains("METADATA_BLOCK_PICTURE=".utf8)
    }
}

extension TrackArtwork.Picture {
    /// Of a frame "APIC" or "PIC".
    init?(_ frame: ID3Tag.Frame) {
        var rest = frame.contents
        guard let encoding = rest.number(1), (frame.version == 2 ? rest.take(3) : rest.text(unit: 1)) != nil,
            let kind = rest.number(1), let label = rest.id3Text(encoding: encoding)
        else { return nil }
        self.init(kind: kind, label: label.isEmpty ? nil : label, bytes: Array(rest.bytes))
    }
}
