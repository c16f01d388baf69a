import Foundation
import TestAudio
import Testing

@testable import AudioFiles

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
