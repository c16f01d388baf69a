import AudioFiles
import Foundation
import TestAudio
import Testing

@testable import MediaTags

/// Tags and pictures that FFmpeg's program wrote, in files of both libraries.
@Suite
struct TrackTagsTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A PNG file of one pixel.
    static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private func file(_ ending: String, codec: String, hasPicture: Bool) throws -> String {
        try EncodedFile.writeTagged(
            ["title": "Tone", "artist": "Nobody", "album": "Sines", "genre": "Test", "date": "2019", "track": "3/12"],
            picture: hasPicture ? Self.picture : nil, codec: codec, ending: ending, in: directory)
    }

    @Test(arguments: [("m4a", "aac"), ("mp3", "libmp3lame"), ("flac", "flac"), ("ogg", "libvorbis"), ("wma", "wmav2")])
    func tags_areThoseOfTheFile(ending: String, codec: String) throws {
        let path = try file(ending, codec: codec, hasPicture: false)
        let tags = try AudioFileReader(path: path, outputSampleRate: nil).info.tags
        #expect(tags.title == "Tone")
        #expect(tags.artist == "Nobody")
        #expect(tags.album == "Sines")
        #expect(tags.genre == "Test")
        #expect(tags.date == "2019")
        #expect(tags.trackNumber?.hasPrefix("3") == true)
        #expect((tags.composer, tags.comment, tags.copyright) == (nil, nil, nil))
        #expect(TrackArtwork(path: path) == nil)
    }

    @Test(arguments: [("m4a", "aac"), ("mp3", "libmp3lame"), ("flac", "flac"), ("aiff", "pcm_s16be")])
    func artwork_isThePictureOfTheFile(ending: String, codec: String) throws {
        let artwork = try #require(TrackArtwork(path: try file(ending, codec: codec, hasPicture: true)))
        #expect(artwork.mediaType == "image/png")
        #expect(artwork.bytes == [UInt8](try #require(Self.picture)))
    }

    /// Boxes with a length of eight bytes and with none, and QuickTime's `meta`, which has no version.
    @Test(arguments: [true, false]) func artwork_ofMPEG4_isFoundInEveryFormOfBox(hasVersion: Bool) throws {
        func box(_ name: String, _ contents: [UInt8]) -> [UInt8] {
            [0, 0, UInt8((contents.count + 8) >> 8), UInt8((contents.count + 8) & 0xFF)] + Array(name.utf8) + contents
        }
        let picture = [UInt8](try #require(Self.picture))
        let list = box("ilst", box("covr", box("data", [0, 0, 0, 14, 0, 0, 0, 0] + picture)))
        let meta = box("meta", (hasVersion ? [0, 0, 0, 0] : []) + box("hdlr", []) + list)
        let inner = box("free", []) + box("udta", meta)
        let long = [0, 0, 0, 1] + Array("moov".utf8) + [0, 0, 0, 0, 0, 0, UInt8((inner.count + 16) >> 8)]
        let moov = long + [UInt8((inner.count + 16) & 0xFF)] + inner
        let bytes = box("ftyp", Array("M4A ".utf8)) + moov
        let path = directory.path("boxes.m4a")
        try Data(bytes).write(to: URL(filePath: path))
        #expect(TrackArtwork(path: path)?.bytes == picture)
        // To the end of the file.
        let open = [0, 0, 0, 0] + Array("moov".utf8) + inner
        try Data(box("ftyp", Array("M4A ".utf8)) + open).write(to: URL(filePath: path))
        #expect(TrackArtwork(path: path)?.bytes == picture)
        for count in [1, 40, 100, bytes.count - 13] {
            try Data(bytes.dropLast(count)).write(to: URL(filePath: path))
            #expect(TrackArtwork(path: path) == nil)
        }
    }

    private static func number(_ value: Int, bytes: Int, bits: Int = 8) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(value >> ($0 * bits) & (1 << bits - 1)) }
    }

    /// Tags as other programs write them; the expected picture is the one of the kind 3, else the first.
    static let tags: [(name: String, version: UInt8, flags: UInt8, frames: [UInt8], isThere: Bool)] = {
        let image = [UInt8](picture!)
        func frame(_ version: UInt8, kind: UInt8, flags: [UInt8] = [0, 0], before: [UInt8] = [], _ data: [UInt8])
            -> [UInt8]
        {
            let text = version == 2 ? Array("PNG".utf8) : Array("image/png".utf8) + [0]
            // UTF-16 with a byte order mark: "A", whose second byte is a zero.
            let contents = before + [1] + text + [kind, 0xFF, 0xFE, 0x41, 0x00, 0x00, 0x00] + data
            return version == 2
                ? Array("PIC".utf8) + number(contents.count, bytes: 3) + contents
                : Array("APIC".utf8) + number(contents.count, bytes: 4, bits: version == 4 ? 7 : 8) + flags + contents
        }
        func filled(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == 0xFF ? [$0, 0] : [$0] } }
        let title = Array("TIT2".utf8) + number(2, bytes: 4) + [0, 0, 3, 0x41]
        let other = [0xFF, 0xD8, 0xFF, 0xE0] as [UInt8]
        return [
            ("version 2", 2, 0, frame(2, kind: 3, image), true),
            ("version 3", 3, 0, title + frame(3, kind: 0, image) + [0, 0, 0, 0], true),
            ("front cover behind another", 3, 0, frame(3, kind: 4, other) + frame(3, kind: 3, image), true),
            ("extended header", 3, 0x40, number(6, bytes: 4) + [0, 0, 0, 0, 0, 0] + frame(3, kind: 3, image), true),
            ("filled", 3, 0x80, filled(title + frame(3, kind: 3, image)), true),
            ("group", 3, 0, frame(3, kind: 3, flags: [0, 0x20], before: [7], image), true),
            ("packed", 3, 0, frame(3, kind: 3, flags: [0, 0x80], before: [0, 0, 0, 9], image), false),
            ("version 4", 4, 0, title + frame(4, kind: 3, image), true),
            ("extended header", 4, 0x40, number(6, bytes: 4) + [1, 0] + frame(4, kind: 3, image), true),
            ("footer", 4, 0x10, frame(4, kind: 3, image) + [0, 0, 0, 0], true),
            (
                "filled, with its length", 4, 0,
                frame(
                    4, kind: 3, flags: [0, 0x03], before: number(image.count + 20, bytes: 4, bits: 7), filled(image)),
                true
            ),
            ("encrypted", 4, 0, frame(4, kind: 3, flags: [0, 0x04], before: [1], image), false),
            ("compressed", 2, 0x40, frame(2, kind: 3, image), false),
            ("unknown version", 5, 0, frame(4, kind: 3, image), false),
            ("extended header beyond the end", 3, 0x40, [0x7F, 0xFF, 0xFF, 0xFF] + frame(3, kind: 3, image), false),
            ("negative length of the extended header", 4, 0x40, [0, 0, 0, 0] + frame(4, kind: 3, image), false),
            ("frame beyond the end", 3, 0, frame(3, kind: 3, image).dropLast(), false),
        ]
    }()

    @Test(arguments: tags.indices) func artwork_ofID3_isReadInEveryVersion(index: Int) throws {
        let (name, version, flags, frames, isThere) = Self.tags[index]
        let tag = Array("ID3".utf8) + [version, 0, flags] + Self.number(frames.count, bytes: 4, bits: 7) + frames
        let chunk = Array("ID3 ".utf8) + Self.number(tag.count, bytes: 4) + tag
        let files = [
            "a.mp3": tag, "a.aiff": Array("FORM".utf8) + Self.number(4, bytes: 4) + Array("AIFF".utf8) + chunk,
        ]
        for (file, bytes) in files {
            let path = try TestFile.write(bytes: bytes, named: file, in: directory)
            #expect((TrackArtwork(path: path)?.bytes == [UInt8](Self.picture!)) == isThere, "\(name), \(file)")
        }
    }

    @Test(arguments: [true, false]) func artwork_ofFLAC_isTheFrontCover(isWhole: Bool) throws {
        let image = [UInt8](try #require(Self.picture))
        func block(_ kind: Int, _ data: [UInt8], isLast: Bool = false) -> [UInt8] {
            let text = { (text: String) in Self.number(text.utf8.count, bytes: 4) + Array(text.utf8) }
            let contents =
                Self.number(kind, bytes: 4) + text("image/png") + text("Ä") + [UInt8](repeating: 0, count: 16)
                + Self.number(data.count, bytes: 4) + data
            return [isLast ? 0x86 : 6] + Self.number(contents.count, bytes: 3) + contents
        }
        let bytes =
            Array("fLaC".utf8) + [1, 0, 0, 2, 0, 0] + block(4, [0xFF, 0xD8, 0xFF]) + block(3, image, isLast: true)
        let path = try TestFile.write(bytes: bytes.dropLast(isWhole ? 0 : 1), named: "a.flac", in: directory)
        #expect(TrackArtwork(path: path)?.mediaType == (isWhole ? "image/png" : "image/jpeg"))
    }

    /// Text of two bytes begins with 0xFF, behind which a zero is put (unsynchronisation).
    @Test(arguments: [3, 4] as [UInt8]) func texts_ofAnUnsynchronisedTag_areWhole(version: UInt8) throws {
        func frame(_ name: String, _ text: String) -> [UInt8] {
            let bytes: [UInt8] = [1, 0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let filled: [UInt8] = bytes.flatMap { byte -> [UInt8] in byte == 0xFF ? [byte, 0] : [byte] }
            // Version 4 marks each frame, and its length counts what was put in.
            let count = version == 4 ? filled.count : bytes.count
            return Array(name.utf8) + Self.number(count, bytes: 4, bits: version == 4 ? 7 : 8)
                + [0, version == 4 ? 2 : 0] + filled
        }
        let frames = frame("TIT2", "Tést") + frame("TPE1", "Ärtist") + frame("TALB", "Ålbum")
        let tag = Array("ID3".utf8) + [version, 0, 0x80] + Self.number(frames.count, bytes: 4, bits: 7) + frames
        let sound = try Data(contentsOf: URL(filePath: try file("mp3", codec: "libmp3lame", hasPicture: false)))
        let path = try TestFile.write(bytes: tag + sound, named: "filled.mp3", in: directory)
        let tags = try AudioFileReader(path: path, outputSampleRate: nil).info.tags
        #expect((tags.title, tags.artist, tags.album) == ("Tést", "Ärtist", "Ålbum"))
    }

    @Test func artwork_ofNoSound_isNone() throws {
        #expect(TrackArtwork(path: directory.path("missing.m4a")) == nil)
        #expect(TrackArtwork(path: try TestFile.notAudio(in: directory)) == nil)
        #expect(TrackArtwork(path: try TestFile.write(.ramp, seconds: 0.1, in: directory)) == nil)
    }

    @Test(arguments: [(7, true), (9, false)])
    func picture_whileItIsLarge_isLeftOutBeyond8MB(megabytes: Int, isThere: Bool) throws {
        let picture = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0x55, count: megabytes << 20)
        func number(_ value: Int, _ bits: Int) -> [UInt8] {
            (0..<4).reversed().map { UInt8(value >> ($0 * bits) & (1 << bits - 1)) }
        }
        let frame = [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture
        let tag = Array("APIC".utf8) + number(frame.count, 7) + [0, 0] + frame
        func id3(_ tag: [UInt8]) -> [UInt8] { Array("ID3".utf8) + [4, 0, 0] + number(tag.count, 7) + tag }
        func box(_ name: String, _ contents: [UInt8]) -> [UInt8] {
            number(contents.count + 8, 8) + Array(name.utf8) + contents
        }
        let data = box("data", [0, 0, 0, 13, 0, 0, 0, 0] + picture)
        let meta = box("meta", [0, 0, 0, 0] + box("ilst", box("covr", data)))
        let files = [
            "a.mp3": id3(tag), "b.mp3": id3([UInt8](repeating: 0, count: 10)) + id3(tag),
            "a.m4a": box("ftyp", Array("M4A ".utf8) + [0, 0, 0, 0]) + box("moov", box("udta", meta)),
        ]
        for (name, bytes) in files {
            let path = try TestFile.write(bytes: bytes, named: name, in: directory)
            #expect((TrackArtwork(path: path)?.bytes == picture) == isThere, "\(name)")
        }
    }
}
