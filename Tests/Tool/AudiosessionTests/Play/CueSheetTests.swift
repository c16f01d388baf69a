import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles
@testable import audiosession

/// Cue sheets as people write them, and hostile ones.
@Suite struct CueSheetTests {
    private typealias Part = PlayPlan.Part

    private func tracks(_ text: String) -> [CueSheet.Track] { CueSheet(Array(text.utf8)).tracks }

    @Test func sheet_isItsTracks_eachUpToTheNextOfItsFile() {
        let sheet = """
            \u{FEFF}REM GENRE "Folk"\r
            PERFORMER "The Band"\r
            TITLE "An Album"\r
            FILE "one side.wav" WAVE\r
              TRACK 01 AUDIO\r
                TITLE "First \\"song"\r
                PERFORMER "Guest"\r
                FLAGS DCP\r
                INDEX 01 00:00:00\r
              TRACK 02 AUDIO\r
            \tTITLE Second song\r
                INDEX 00 03:58:00\r
                INDEX 01 04:00:37\r
            FILE other.flac FLAC\r
              TRACK 03 AUDIO\r
                index 1 00:00:01\r
                INDEX 02 00:10:00\r
            """
        #expect(
            tracks(sheet) == [
                .init(
                    file: "one side.wav",
                    part: Part(
                        begin: 0, end: 240 + 37.0 / 75, title: "First \\", performer: "Guest", album: "An Album")),
                .init(
                    file: "one side.wav",
                    part: Part(begin: 240 + 37.0 / 75, title: "Second song", performer: "The Band", album: "An Album")),
                .init(
                    file: "other.flac",
                    part: Part(begin: 1.0 / 75, title: "Track 3", performer: "The Band", album: "An Album")),
            ])
    }

    @Test func sheetInATag_givesChaptersOfItsFile() throws {
        let directory = try TemporaryDirectory()
        let sheet = """
            FILE "a.flac" WAVE
              TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                INDEX 01 00:01:00
            FILE "b.flac" WAVE
              TRACK 03 AUDIO
                INDEX 01 00:00:30
            """
        let path = try EncodedFile.writeTagged(
            ["CUESHEET": sheet], picture: nil, codec: "flac", ending: "flac", in: directory)
        let chapters = ChapterList.chapters(path: path)
        #expect(chapters.map(\.title) == ["One", "Track 2"])
        #expect(chapters.map(\.startSeconds) == [0, 1])
    }

    /// Exact Audio Copy writes the gap at the end of the file before.
    @Test func track_isInTheFileOfItsIndex() {
        let sheet = """
            FILE "1.wav" WAVE
            TRACK 01 AUDIO
            INDEX 01 00:00:00
            TRACK 02 AUDIO
            INDEX 00 03:00:00
            FILE "2.wav" WAVE
            INDEX 01 00:00:00
            """
        #expect(tracks(sheet).map(\.file) == ["1.wav", "2.wav"])
        #expect(tracks(sheet).map(\.part) == [Part(begin: 0, title: "Track 1"), Part(begin: 0, title: "Track 2")])
    }

    @Test(
        arguments: [
            "00:00:75", "00:60:00", "6001:00:00", "-1:00:00", "99999999999999999999:00:00", "00:00", "a:b:c", "1:2:3:4",
            ":::", "", "00:00:00 x", "nan",
        ])
    func absurdIndex_isNone(time: String) {
        #expect(tracks("FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 \(time)\n").isEmpty)
    }

    @Test func trackWithoutAFile_ofData_orBeforeTheOneBeforeIt_isLeftOut() {
        #expect(tracks("TRACK 01 AUDIO\nINDEX 01 00:00:00\n").isEmpty)
        #expect(tracks("FILE a.bin BINARY\nTRACK 01 MODE1/2352\nINDEX 01 00:00:00\n").isEmpty)
        #expect(tracks("FILE a.wav WAVE\nINDEX 01 00:00:00\n").isEmpty)
        let mixed = ["02:00:00", "02:00:00", "01:00:00", "03:00:00"].enumerated().map {
            "TRACK 0\($0 + 1) AUDIO\nINDEX 01 \($1)\n"
        }
        let parts = tracks("FILE a.wav WAVE\n" + mixed.joined()).map(\.part)
        #expect(parts == [Part(begin: 120, end: 180, title: "Track 1"), Part(begin: 180, title: "Track 4")])
    }

    @Test func texts_areOfEitherEncoding_withoutControlCharacters() {
        let lines = "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTITLE "
        #expect(tracks(lines + "\"Caf\u{E9} \u{1B}[2J\u{202E}x\"")[0].part.title == "Café \u{FFFD}[2J\u{FFFD}x")
        let latin1 = CueSheet(Array(lines.utf8) + [UInt8(ascii: "C"), 0xE9, 0x85])
        #expect(latin1.tracks[0].part.title == "Cé\u{FFFD}")
        let long = tracks(lines + String(repeating: "e\u{301}", count: 100_000))
        #expect(long[0].part.title.unicodeScalars.count == 200)
    }

    @Test func anyLines_giveTracksInOrder() {
        var random = Seeded(seed: 75)
        let lines = [
            "FILE a.wav WAVE", "FILE \"b", "FILE", "TRACK 01 AUDIO", "TRACK", "TRACK 99 AUDIO", "INDEX 01 00:00:00",
            "INDEX 01 00:01:00", "INDEX 01 00:00:74", "INDEX 1 10:00:00", "INDEX 00 00:00:00", "TITLE \"\"",
            "TITLE x\u{0}",
            "PERFORMER", "\u{FEFF}", "REM", "\"", "INDEX 01",
        ]
        var count = 0
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in lines.randomElement(using: &random)! }
            let found = tracks(text.joined(separator: "\n"))
            count += found.count
            #expect(found.count <= text.count)
            for (track, next) in zip(found, found.dropFirst()) where track.file == next.file {
                #expect(track.part.end == next.part.begin && track.part.begin < next.part.begin)
            }
            #expect(found.allSatisfy { $0.part.begin >= 0 && ($0.part.end ?? .infinity) > $0.part.begin })
        }
        #expect(count > 1_000)
    }

    // MARK: Files

    private func items(_ sheet: String, files: [String], in directory: TemporaryDirectory) throws -> [PlayPlan.Item] {
        for file in files { _ = try TestFile.write(bytes: Array("x".utf8), named: file, in: directory) }
        return try MediaList.items([
            FilePath(try TestFile.write(bytes: Array(sheet.utf8), named: "a.cue", in: directory))
        ])
    }

    @Test func sheetOnTheCommandLine_isItsTracks_withTheFileThatIsThere() throws {
        try withTemporaryDirectory { directory in
            let sheet =
                "FILE \"Disc 1.wav\" WAVE\n"
                + "TRACK 01 AUDIO\nTITLE One\nPERFORMER Band\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00\n"
            let items = try items(sheet, files: ["Disc 1.flac"], in: directory)
            #expect(items.map(\.name) == Array(repeating: directory.path("Disc 1.flac"), count: 2))
            #expect(items.map(\.title) == ["One, Band", "Track 2"])
            #expect(items.map(\.begin) == [0, 60])
            #expect(items.map { $0.duration(ofFile: 100) } == [60, 40])
            #expect(items.map { $0.duration(ofFile: 50) } == [50, 0])
            #expect(items.map { $0.duration(ofFile: 0) } == [60, 0])
            let list = try TestFile.write(bytes: Array("a.cue\n".utf8), named: "a.m3u", in: directory)
            #expect(try MediaList.items([FilePath(list)]).map(\.begin) == [0, 60])
        }
    }

    @Test func sheetWithoutTracks_andTooManyTracks_areErrors() throws {
        try withTemporaryDirectory { directory in
            let items = try items("hello", files: [], in: directory)
            guard case .nothing(let error) = items.first?.source else { throw CocoaError(.featureUnsupported) }
            #expect(
                error.message.hasSuffix(
                    "a.cue' is a cue sheet without a track of a file; check its lines FILE and INDEX 01."))
            let many = (0...MediaList.longestList).map {
                "TRACK 1 AUDIO\nINDEX 1 \($0 / 4500):\($0 / 75 % 60):\($0 % 75)\n"
            }
            #expect(throws: BackendError.self) {
                try self.items("FILE a.wav WAVE\n" + many.joined(), files: [], in: directory)
            }
        }
    }
}
