import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaTags

/// Chapters that FFmpeg's program wrote, and lists that were written by hand.
@Suite struct ChapterTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let chapters: [(title: String, start: Int)] = [("Intro", 0), ("Über Ä", 500), ("Schluss", 1250)]
    private static let wanted = chapters.map { Chapter(title: $0.title, startSeconds: Double($0.start) / 1000) }

    private func write(_ codec: String, _ ending: String) throws -> String {
        // FFmpeg 5.1 writes no chapters into Vorbis, and wrong times into Opus.
        guard ["ogg", "opus", "oga", "flac"].contains(ending) else {
            return try EncodedFile.writeChapters(Self.chapters, codec: codec, ending: ending, in: directory)
        }
        let times = ["00:00:00.000", "00:00:00.500", "00:00:01.250"]
        let tags = zip(Self.chapters, times).enumerated().flatMap { index, chapter in
            [("CHAPTER00\(index)", chapter.1), ("CHAPTER00\(index)NAME", chapter.0.title)]
        }
        return try EncodedFile.writeTagged(
            Dictionary(uniqueKeysWithValues: tags), picture: nil, codec: codec, ending: ending, in: directory)
    }

    private static let formats = [
        ("aac", "m4b"), ("aac", "m4a"), ("libmp3lame", "mp3"), ("libvorbis", "ogg"), ("libopus", "opus"),
        ("flac", "oga"), ("flac", "flac"),
    ]

    @Test(arguments: formats) func chapters_areThoseOfTheFile(codec: String, ending: String) throws {
        #expect(Chapter.list(path: try write(codec, ending)) == Self.wanted)
    }

    /// FFmpeg writes both kinds of list.
    @Test(arguments: ["chap", "chpl"]) func chaptersOfMPEG4_areFoundByEitherList(hidden: String) throws {
        let whole = try Data(contentsOf: URL(filePath: try write("aac", "m4b")))
        var bytes = [UInt8](whole)
        let mark = Array(hidden.utf8)
        let place = try #require(bytes.indices.dropLast(4).first { bytes[$0..<$0 + 4] == mark[...] })
        bytes.replaceSubrange(place..<place + 4, with: Array("free".utf8))
        let path = try TestFile.write(bytes: bytes, named: "hidden.m4b", in: directory)
        #expect(Chapter.list(path: path) == Self.wanted)
    }

    private static func number(_ value: Int, isBig: Bool = true) -> [UInt8] {
        let bytes = (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) }
        return isBig ? bytes.reversed() : bytes
    }

    @Test func chaptersOfFLAC_areItsComments() throws {
        let comments = [
            "CHAPTER001=00:00:01.500", "chapter001name=Zwei", "CHAPTER002=01:00:00.250", "CHAPTER000=00:00:00",
            "CHAPTER000NAME=Eins", "CHAPTER003=nan:00:00", "CHAPTER004=1:2", "CHAPTER005=00:00:01.5", "TITLE=A=B",
            "CueSheet=FILE=",
        ]
        let text = { (text: String) in Self.number(text.utf8.count, isBig: false) + Array(text.utf8) }
        let block = text("us") + Self.number(comments.count, isBig: false) + comments.flatMap(text)
        let bytes = Array("fLaC".utf8) + [0x84] + Self.number(block.count).dropFirst() + block
        let path = try TestFile.write(bytes: bytes, named: "a.flac", in: directory)
        #expect(
            Chapter.list(path: path) == [
                Chapter(title: "Eins", startSeconds: 0), Chapter(title: "Zwei", startSeconds: 1.5),
                Chapter(title: "", startSeconds: 3600.25),
            ])
        #expect(Chapter.cueSheet(path: path) == "FILE=")
    }

    /// In every encoding of ID3; a chapter without a title has none.
    @Test func chaptersOfID3_areReadInEveryEncoding() throws {
        func frame(_ name: String, _ contents: [UInt8]) -> [UInt8] {
            Array(name.utf8) + Self.number(contents.count) + [0, 0] + contents
        }
        func chapter(_ start: Int, _ title: [UInt8]?) -> [UInt8] {
            let times = Self.number(start) + Self.number(start + 1) + [UInt8](repeating: 0xFF, count: 8)
            return frame("CHAP", Array("id".utf8) + [0] + times + (title.map { frame("TIT2", $0) } ?? []))
        }
        let frames =
            chapter(3000, [1, 0xFF, 0xFE, 0xC4, 0, 0x41, 0]) + chapter(0, [0, 0xC4, 0x41])
            + chapter(1000, [3, 0xC3, 0x84, 0x41, 0]) + chapter(2000, [2, 0, 0xC4, 0, 0x41, 0, 0])
            + chapter(4000, nil) + frame("CHAP", [0x41])
        let length = (0..<4).reversed().map { UInt8(frames.count >> ($0 * 7) & 0x7F) }
        let path = try TestFile.write(
            bytes: Array("ID3".utf8) + [3, 0, 0] + length + frames, named: "a.mp3", in: directory)
        #expect(
            Chapter.list(path: path)
                == ["ÄA", "ÄA", "ÄA", "ÄA", ""].enumerated().map {
                    Chapter(title: $0.element, startSeconds: Double($0.offset))
                })
    }

    /// A chapter of no length is not heard, wherever it stands in the file.
    @Test(arguments: [[0, 1, 2, 3], [1, 0, 3, 2]]) func chapters_withOneStart_areTheOneThatIsHeard(order: [Int]) throws
    {
        func frame(_ name: String, _ contents: [UInt8]) -> [UInt8] {
            Array(name.utf8) + Self.number(contents.count) + [0, 0] + contents
        }
        let chapters = [("Zero", 0, 0), ("Real", 0, 1500), ("Backward", 1500, 1000), ("Second", 1500, 3000)]
        let frames = order.flatMap { index in
            let (title, start, end) = chapters[index]
            let times = Self.number(start) + Self.number(end) + [UInt8](repeating: 0xFF, count: 8)
            return frame("CHAP", Array("id".utf8) + [0] + times + frame("TIT2", [3] + Array(title.utf8)))
        }
        let length = (0..<4).reversed().map { UInt8(frames.count >> ($0 * 7) & 0x7F) }
        let path = try TestFile.write(
            bytes: Array("ID3".utf8) + [3, 0, 0] + length + frames, named: "a.mp3", in: directory)
        #expect(
            Chapter.list(path: path)
                == [Chapter(title: "Real", startSeconds: 0), Chapter(title: "Second", startSeconds: 1.5)])
    }

    /// The other lists tell no ends: the last of those with one start is heard.
    @Test func chaptersOfMPEG4_withOneStart_areTheLastOnes() throws {
        let path = try EncodedFile.writeChapters(
            [("Empty", 0), ("Heard", 0), ("Then", 1250)], codec: "aac", ending: "m4b", in: directory)
        #expect(
            Chapter.list(path: path)
                == [Chapter(title: "Heard", startSeconds: 0), Chapter(title: "Then", startSeconds: 1.25)])
    }

    @Test(arguments: formats) func chapters_whileDamaged_areInOrder_orLeftOut(codec: String, ending: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try write(codec, ending))))
        let marks = ["CHAP", "chpl", "stsz", "stsc", "stco", "stts"].map { Array($0.utf8) }
        let places = bytes.indices.dropLast(64).filter { place in
            marks.contains { bytes[place] == $0[0] && bytes[place..<place + 4] == $0[...] }
        }
        var random = Seeded(seed: 1)
        var whole = 0
        for number in 0..<120 {
            var damaged = FileDamage.damage(bytes, number: number, random: &random)
            // Most of the bytes are sound: half of the damage is where the lists are.
            if number.isMultiple(of: 2) {
                let place = try #require(places.randomElement(using: &random)) + Int.random(in: 0..<60, using: &random)
                damaged = bytes
                damaged[place] ^= UInt8.random(in: 1 ... .max, using: &random)
            }
            let list = Chapter.list(path: try TestFile.write(bytes: damaged, named: "damaged", in: directory))
            if list == Self.wanted { whole += 1 }
            #expect(zip(list, list.dropFirst()).allSatisfy { $0.startSeconds < $1.startSeconds }, "damage \(number)")
            #expect(list.count <= 4096)
        }
        #expect((1..<120).contains(whole))
    }

    @Test func chapters_ofOtherFiles_areNone() throws {
        #expect(Chapter.list(path: directory.path("missing.m4b")).isEmpty)
        #expect(Chapter.list(path: try TestFile.notAudio(in: directory)).isEmpty)
        #expect(Chapter.list(path: try TestFile.write(.ramp, seconds: 0.1, in: directory)).isEmpty)
    }
}
