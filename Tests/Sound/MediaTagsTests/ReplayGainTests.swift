import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaTags

/// The gain that a file's tags want: of files that FFmpeg's program wrote, and of hostile texts.
@Suite
struct ReplayGainTests {
    typealias Level = ReplayGain.Level

    private static let texts = [
        "REPLAYGAIN_TRACK_GAIN": "-6.50 dB", "REPLAYGAIN_TRACK_PEAK": "0.988553", "REPLAYGAIN_ALBUM_GAIN": "+1.25 dB",
        "REPLAYGAIN_ALBUM_PEAK": "0.5",
    ]

    @Test(
        arguments: [
            ("flac", "flac"), ("ogg", "libvorbis"), ("mp3", "libmp3lame"), ("aiff", "pcm_s16be"), ("m4a", "aac"),
            ("wv", "wavpack"), ("mka", "flac"),
        ])
    func gains_areThoseOfTheFile(ending: String, codec: String) throws {
        try withTemporaryDirectory { directory in
            // An M4A file has keys of its own with this option only.
            let path = try EncodedFile.writeTagged(
                Self.texts, picture: nil, codec: codec, ending: ending,
                options: ending == "m4a" ? ["-movflags", "use_metadata_tags"] : [], in: directory)
            let tags = try AudioFileReader(path: path, outputSampleRate: nil).info.tags
            let gains = ReplayGain(path: path, tags: tags)
            #expect(gains.track == Level(decibels: -6.5, peak: 0.988553))
            #expect(gains.album == Level(decibels: 1.25, peak: 0.5))
        }
    }

    /// -573 of 256 is -2.24 dB to -23 LUFS, which is 5 dB quieter than ReplayGain's -18 LUFS.
    @Test func opus_isRelativeToAnotherLoudness() throws {
        try withTemporaryDirectory { directory in
            let path = try EncodedFile.writeTagged(
                ["R128_TRACK_GAIN": "-573", "R128_ALBUM_GAIN": "-1280"], picture: nil, codec: "libopus", ending: "opus",
                options: ["-ar", "48000"], in: directory)
            let gains = ReplayGain(path: path, tags: TrackTags())
            #expect(gains.track == Level(decibels: 5 - 573.0 / 256))
            #expect(gains.album == Level(decibels: 0))
        }
    }

    // MARK: APEv2

    private static func item(_ key: String, _ value: String, flags: UInt8 = 0) -> [UInt8] {
        [UInt8(value.utf8.count), 0, 0, 0, flags, 0, 0, 0] + Array(key.utf8) + [0] + Array(value.utf8)
    }

    private static func footer(_ bytes: Int, count: UInt8) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: bytes >> ($0 * 8)) }
        return Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + number + [count] + [UInt8](repeating: 0, count: 15)
    }

    private static let items =
        item("Title", "Tone\u{0}Sine") + item("replaygain_track_gain", "-6.50 dB")
        + item("REPLAYGAIN_TRACK_PEAK", "0.5") + item("Artist", "a link", flags: 4) + item("Album", "Sines")

    @Test(arguments: [0, 128]) func tagBehindAnMP3File_isRead(bytesOfID3v1: Int) throws {
        try withTemporaryDirectory { directory in
            let path = try EncodedFile.writeTagged(
                ["album": "Tones"], picture: nil, codec: "libmp3lame", ending: "mp3", in: directory)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seekToEnd()
            let ending = [UInt8](repeating: 0, count: bytesOfID3v1)
            try file.write(
                contentsOf: Self.items + Self.footer(Self.items.count + 32, count: 5)
                    + Array("TAG".utf8).prefix(bytesOfID3v1) + ending.dropFirst(3))
            try file.close()
            let tags = try AudioFileReader(path: path, outputSampleRate: nil).info.tags
            #expect((tags.title, tags.artist, tags.album) == ("Tone", nil, "Tones"))
            #expect(ReplayGain(path: path, tags: tags).track == Level(decibels: -6.5, peak: 0.5))
        }
    }

    @Test func anyTag_isReadWithinItsFile() throws {
        var random = Seeded(seed: 71)
        try withTemporaryDirectory { directory in
            var found = 0
            for _ in 0..<1000 {
                var items = Self.items
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    items[Int.random(in: items.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let lengths = [items.count + 32, Int.random(in: 0..<300, using: &random), -1]
                let length = lengths.randomElement(using: &random)!
                let footer = Self.footer(length, count: UInt8.random(in: 0...255, using: &random))
                let path = try TestFile.write(bytes: items + footer, named: "a.mp3", in: directory)
                let texts = APETag.texts(in: try RegularFile(path: path))
                found += texts.count
                #expect(texts.allSatisfy { $0.key.utf8.count + $0.value.utf8.count <= 3 * items.count })
            }
            #expect(found > 500)
        }
    }

    @Test func fileWithoutTags_hasNoGain() throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.write(.ramp, seconds: 0.1, in: directory)
            #expect(ReplayGain(path: path, tags: TrackTags()) == ReplayGain())
            #expect(ReplayGain(path: directory.path("missing.flac"), tags: TrackTags()) == ReplayGain())
            #expect(ReplayGain(path: nil, tags: TrackTags()) == ReplayGain())
        }
    }

    @Test(
        arguments: [
            ("-6.5 dB", -6.5), ("+3 db", 3), ("-6,5dB", -6.5), ("  2.5  ", 2.5), ("0", 0), ("60 dB", 60),
            ("nan dB", nil),
            ("inf", nil), ("-1e9 dB", nil), ("60.1 dB", nil), ("", nil), ("dB", nil), ("loud", nil), ("\u{0}1 dB", nil),
            (String(repeating: "1", count: 1 << 20), nil), (" 1 dB" + String(repeating: " ", count: 40), nil),
        ] as [(String, Double?)])
    func text_isANumberWithinBounds(text: String, decibels: Double?) {
        #expect(ReplayGain([("replaygain_track_gain", text)]).track?.decibels == decibels)
    }

    @Test(arguments: ["0", "-1", "nan", "inf", "1e300", "0.00000001", "x", ""])
    func peakThatIsNone_countsAsFullScale(text: String) {
        let level = ReplayGain([("REPLAYGAIN_ALBUM_GAIN", "6 dB"), ("REPLAYGAIN_ALBUM_PEAK", text)]).album
        #expect(level == Level(decibels: 6))
        #expect(level?.factor == 1)
    }

    @Test(arguments: ["32768", "-32769", " 1", "1.5", "1 dB", "", "nan"])
    func opusTextThatRFC7845DoesNotAllow_isNone(text: String) {
        #expect(ReplayGain([("R128_TRACK_GAIN", text)]).track == nil)
    }

    @Test func factor_leavesNoSampleBeyondFullScale() {
        #expect(Level(decibels: -20, peak: 1).factor == 0.1)
        #expect(Level(decibels: 20, peak: 0.01).factor == 10)
        #expect(Level(decibels: 20, peak: 0.5).factor == 2)
        #expect(Level(decibels: 0, peak: 1.25).factor == 0.8)
        #expect(Level(decibels: 9).factor == 1)
    }

    @Test func anyTexts_giveAFactorWithinBounds() {
        var random = Seeded(seed: 37)
        let keys = ["REPLAYGAIN_TRACK_GAIN", "REPLAYGAIN_TRACK_PEAK", "R128_TRACK_GAIN", "REPLAYGAIN_ALBUM_GAIN", "X"]
        let letters = Array("0123456789.,-+eE dBnaif\u{0}\u{202E}x")
        var found = 0
        for _ in 0..<20_000 {
            let texts = (0..<4).map { _ in
                (
                    keys.randomElement(using: &random)!,
                    String(
                        (0..<Int.random(in: 0...8, using: &random)).map { _ in letters.randomElement(using: &random)! })
                )
            }
            let gains = ReplayGain(texts.map { (key: $0.0, value: $0.1) })
            for level in [gains.track, gains.album].compactMap(\.self) {
                found += 1
                #expect(level.factor.isFinite && level.factor >= 0 && level.factor <= 1000)
                #expect(Double(level.factor) * (level.peak ?? 1) <= 1.000001)
            }
        }
        #expect(found > 500)
    }
}
