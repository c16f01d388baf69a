internal import CFLAC
internal import CLibav
internal import CMpg123
import Glibc

/// A picture in a file's tags: the front cover where there are several.
package struct TrackArtwork: Hashable, Sendable {
    /// A whole PNG, JPEG, GIF, BMP or WebP file by its first bytes; the others may be anything.
    package var bytes: [UInt8]
    /// "image/jpeg", "image/png", ...
    package let mediaType: String

    /// libsndfile reads no pictures; the decoders that it loads for FLAC and MP3 do, and MPEG-4 files are read here.
    ///
    /// FFmpeg, which takes 26 MB, is loaded for other files, and only where they say that they have a picture or where it plays
    /// them too. Any thread; waits for the disk.
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
        case Array("fLaC".utf8)[...]: flacPicture(file)
        case let start where start.starts(with: "ID3".utf8): hasShortTags(file) ? mpegPicture(file) : nil
        case _ where head.dropFirst(4).starts(with: "ftyp".utf8): mpeg4Picture(file)
        case Array("OggS".utf8)[...]: hasPictureComment(head) ? libavPicture(file) : nil
        case Array("RIFF".utf8)[...]: hasID3Chunk(file, bigEndian: false) ? libavPicture(file) : nil
        case Array("FORM".utf8)[...]: hasID3Chunk(file, bigEndian: true) ? libavPicture(file) : nil
        // A frame of MPEG without a tag before it, and formats without pictures.
        case let start where start.first == 0xFF: nil
        case Array("RF64".utf8)[...], Array("riff".utf8)[...], Array(".snd".utf8)[...], Array("caff".utf8)[...]: nil
        default: libavPicture(file)
        }
    }

    private static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89] + Array("PNG".utf8)) { return "image/png" }
        if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
        if bytes.starts(with: "BM".utf8) { return "image/bmp" }
        return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) ? "image/webp" : nil
    }

    /// Functions of the libFLAC that libsndfile has loaded.
    ///
    /// Looked up by name, because a program that links it runs only where it has the version of the machine that built it.
    private struct FLAC: Sendable {
        // Path, result, kind, MIME type, description, and the largest sizes.
        typealias GetPicture =
            @Sendable @convention(c) (
                UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<FLAC__StreamMetadata>?>,
                FLAC__StreamMetadata_Picture_Type, UnsafePointer<CChar>?, UnsafePointer<FLAC__byte>?, UInt32, UInt32,
                UInt32, UInt32
            ) -> FLAC__bool
        typealias Delete = @Sendable @convention(c) (UnsafeMutablePointer<FLAC__StreamMetadata>) -> Void

        let getPicture: GetPicture
        let delete: Delete

        init?() {
            guard let getPicture = dlsym(nil, "FLAC__metadata_get_picture"),
                let delete = dlsym(nil, "FLAC__metadata_object_delete")
            else { return nil }
            self.getPicture = unsafeBitCast(getPicture, to: GetPicture.self)
            self.delete = unsafeBitCast(delete, to: Delete.self)
        }
    }

    private static let flac = FLAC()

    private static func flacPicture(_ file: borrowing RegularFile) -> [UInt8]? {
        guard let flac else { return nil }
        // The front cover, else any.
        for kind in [FLAC__STREAM_METADATA_PICTURE_TYPE_FRONT_COVER, .init(rawValue: .max)] {
            var block: UnsafeMutablePointer<FLAC__StreamMetadata>?
            let path = "/proc/self/fd/\(file.descriptor)"
            guard flac.getPicture(path, &block, kind, nil, nil, .max, .max, .max, .max) != 0, let block else {
                continue
            }
            defer { flac.delete(block) }
            let picture = block.pointee.data.picture
            return [UInt8](UnsafeBufferPointer(start: picture.data, count: Int(picture.data_length)))
        }
        return nil
    }

    /// Whether all ID3 tags at the beginning are short enough to be read; each tells its bytes in 7 bits of 4.
    private static func hasShortTags(_ file: borrowing RegularFile) -> Bool {
        var end: Int64 = 0
        while end <= 2 * longest, case let head = file.bytes(at: end, count: 10), head.starts(with: "ID3".utf8) {
            end += 10 + head.dropFirst(6).reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
        }
        return end <= 2 * longest
    }

    /// Of the ID3 tag before the first frame.
    private static func mpegPicture(_ file: borrowing RegularFile) -> [UInt8]? {
        guard let handle = mpg123_new(nil, nil) else { return nil }
        defer { mpg123_delete(handle) }
        let flags = MPG123_PICTURE.rawValue | MPG123_QUIET.rawValue
        var tag: UnsafeMutablePointer<mpg123_id3v2>?
        guard mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0) == MPG123_OK.rawValue,
            mpg123_open_fd(handle, file.descriptor) == MPG123_OK.rawValue
        else { return nil }
        // Reads up to the first frame. Without one, the tag may still be there.
        _ = mpg123_getformat(handle, nil, nil, nil)
        guard mpg123_id3(handle, nil, &tag) == MPG123_OK.rawValue, let tag else { return nil }
        let pictures = UnsafeBufferPointer(start: tag.pointee.picture, count: tag.pointee.pictures)
        let frontCover = CChar(mpg123_id3_pic_front_cover.rawValue)
        return (pictures.first { $0.type == frontCover } ?? pictures.first).map {
            [UInt8](UnsafeBufferPointer(start: $0.data, count: $0.size))
        }
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

    /// Whether one of a WAV or AIFF file's chunks is an ID3 tag.
    private static func hasID3Chunk(_ file: borrowing RegularFile, bigEndian: Bool) -> Bool {
        file.firstChunk(bigEndian: bigEndian, among: 1000) { $0.name.lowercased() == "id3 " } != nil
    }
}
