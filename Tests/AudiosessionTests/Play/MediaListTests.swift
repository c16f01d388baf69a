import Foundation
import TestAudio
import Testing

@testable import audiosession

/// Directories, playlists and addresses on the command line.
@Suite struct MediaListTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @discardableResult
    private func write(_ name: String, _ text: String = "x") throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        return try TestFile.write(bytes: Array(text.utf8), named: name, in: directory)
    }

    /// The names of the items, without the directory.
    private func names(_ paths: String...) throws -> [String] {
        try MediaList.items(paths.map { FilePath(directory.path($0)) }).map { item in
            item.name.hasPrefix(directory.path) ? String(item.name.dropFirst(directory.path.count + 1)) : item.name
        }
    }

    private func problem(_ item: PlayPlan.Item?) -> BackendError? {
        if case .nothing(let error) = item?.source { error } else { nil }
    }

    @Test func directory_isItsSoundFiles_inTheOrderOfTheirNumbers() throws {
        for name in ["b/10 c.flac", "b/9 c.FLAC", "b/cover.jpg", "b/.hidden.mp3", "b/list.m3u", "b/CD 2/1.ogg"] {
            try write(name)
        }
        #expect(try names("b") == ["b/9 c.FLAC", "b/10 c.flac", "b/CD 2/1.ogg"])
    }

    @Test func directoryWithoutSound_isAProblemThatNamesIt() throws {
        try write("b/notes.txt")
        let items = try MediaList.items([FilePath(directory.path("b"))])
        #expect(items.count == 1)
        #expect(problem(items.first)?.code == .file(.isDirectory))
        #expect(problem(items.first)?.message.contains("is a directory without sound files") == true)
    }

    @Test func directoryThatContainsItself_ends() throws {
        try write("b/a.wav")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("b/again"), withDestinationPath: directory.path("b"))
        #expect(try names("b") == ["b/a.wav"])
    }

    /// By symbolic links, each of ten directories holds all of them: more paths than could be listed.
    @Test func directories_thatHoldEachOther_areEachListedOnce() throws {
        for number in 0..<10 {
            try write("all/\(number)/\(number).wav")
            for other in 0..<10 {
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path("all/\(number)/to\(other)"),
                    withDestinationPath: directory.path("all/\(other)"))
            }
        }
        #expect(try names("all").map { String($0.suffix(5)) }.sorted() == (0..<10).map { "\($0).wav" })
        #expect(try names("all", "all").count == 20, "what is named twice plays twice")
    }

    /// Each of eight lists names the next one 2 000 times.
    private func writeNestedLists() throws {
        for level in 0..<8 {
            try write("\(level).m3u", String(repeating: level == 7 ? "none.wav\n" : "\(level + 1).m3u\n", count: 2_000))
        }
    }

    @Test func listWithoutEnd_isAnErrorThatNamesIt() throws {
        try writeNestedLists()
        let error = #expect(throws: BackendError.self) { try names("0.m3u") }
        #expect(error?.code == .program(.tooLong))
        #expect(error?.message.contains("0.m3u' brings the list to more than 100000 sound files") == true)
        try write("lines.m3u", String(repeating: "#\n", count: 400_001))
        #expect(throws: BackendError.self) { try names("lines.m3u") }
    }

    @Test func listWithoutEnd_whenCancelled_isEmptyAtOnce() throws {
        try writeNestedLists()
        var questions = 0
        let items = try MediaList.items([FilePath(directory.path("0.m3u"))]) {
            questions += 1
            return questions == 50
        }
        #expect(items.isEmpty)
        #expect(questions == 50)
    }

    @Test func nestingThatIsTooDeep_isAProblemThatNamesThePath() throws {
        let path = (0..<33).map { "d\($0)" }.joined(separator: "/")
        try write("\(path)/a.wav")
        try write("d0/b.wav")
        let items = try MediaList.items([FilePath(directory.path("d0"))])
        #expect(items.map(\.shortName) == ["b.wav", "d32"])
        #expect(problem(items.last)?.message.contains("is in more than 32 directories and playlists") == true)
    }

    @Test func m3u_namesFilesBesideIt_andAddresses() throws {
        try write("music/a b.wav")
        try write("deep.m3u", "inner.m3u8\n")
        try write(
            "inner.m3u8", "\u{FEFF}#EXTM3U\r\n#EXTINF:9,The Radio\r\nhttps://example.org/live\r\n\r\nmusic\\a b.wav\r\n"
        )
        #expect(try names("deep.m3u") == ["https://example.org/live", "music/a b.wav"])
        let items = try MediaList.items([FilePath(directory.path("deep.m3u"))])
        #expect(items.first?.title == "The Radio")
        #expect(items.first?.source.isSlow == true)
    }

    @Test func m3u_inLatin1_findsItsFiles() throws {
        try write("café.wav")
        _ = try TestFile.write(bytes: Array("caf".utf8) + [0xE9] + Array(".wav\n".utf8), named: "l.m3u", in: directory)
        #expect(try names("l.m3u") == ["café.wav"])
    }

    @Test func m3u_thatNamesItself_ends() throws {
        try write("a.wav")
        try write("loop.m3u", "loop.m3u\na.wav\n")
        #expect(try names("loop.m3u") == ["a.wav"])
    }

    @Test func pls_isInTheOrderOfItsNumbers() throws {
        try write("l.pls", "[playlist]\nFile2=b.wav\nTitle2=B\nFile1=file:///x/a%20b.wav\nNumberOfEntries=2\n")
        #expect(try names("l.pls") == ["/x/a b.wav", "b.wav"])
    }

    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\na.ts\n", "lists the pieces of one stream (HLS)"),
        ("#EXTM3U\n", "is a playlist that names no file"),
    ])
    func playlistWithoutAFile_isAProblem(text: String, words: String) throws {
        try write("l.m3u8", text)
        let items = try MediaList.items([FilePath(directory.path("l.m3u8"))])
        #expect(items.count == 1)
        #expect(problem(items.first)?.message.contains(words) == true)
    }

    @Test func other_staysAsItIs() throws {
        let items = try MediaList.items(["none.m3u", "a.wav", "-", "HTTP://x/y.mp3"])
        #expect(items.map(\.name) == ["none.m3u", "a.wav", "standard input", "HTTP://x/y.mp3"])
        #expect(items.map(\.source.isSlow) == [false, false, true, true])
    }
}
