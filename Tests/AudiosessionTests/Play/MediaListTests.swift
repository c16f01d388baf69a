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
    private func names(_ paths: String...) -> [String] {
        MediaList.items(paths.map { FilePath(directory.path($0)) }).map { item in
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
        #expect(names("b") == ["b/9 c.FLAC", "b/10 c.flac", "b/CD 2/1.ogg"])
    }

    @Test func directoryWithoutSound_isAProblemThatNamesIt() throws {
        try write("b/notes.txt")
        let items = MediaList.items([FilePath(directory.path("b"))])
        #expect(items.count == 1)
        #expect(problem(items.first)?.code == .file(.isDirectory))
        #expect(problem(items.first)?.message.contains("is a directory without sound files") == true)
    }

    @Test func directoryThatContainsItself_ends() throws {
        try write("b/a.wav")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("b/again"), withDestinationPath: directory.path("b"))
        #expect(names("b") == ["b/a.wav"])
    }

    @Test func m3u_namesFilesBesideIt_andAddresses() throws {
        try write("music/a b.wav")
        try write("deep.m3u", "inner.m3u8\n")
        try write(
            "inner.m3u8", "\u{FEFF}#EXTM3U\r\n#EXTINF:9,The Radio\r\nhttps://example.org/live\r\n\r\nmusic\\a b.wav\r\n"
        )
        #expect(names("deep.m3u") == ["https://example.org/live", "music/a b.wav"])
        let items = MediaList.items([FilePath(directory.path("deep.m3u"))])
        #expect(items.first?.title == "The Radio")
        #expect(items.first?.source.isSlow == true)
    }

    @Test func m3u_inLatin1_findsItsFiles() throws {
        try write("café.wav")
        _ = try TestFile.write(bytes: Array("caf".utf8) + [0xE9] + Array(".wav\n".utf8), named: "l.m3u", in: directory)
        #expect(names("l.m3u") == ["café.wav"])
    }

    @Test func m3u_thatNamesItself_ends() throws {
        try write("a.wav")
        try write("loop.m3u", "loop.m3u\na.wav\n")
        #expect(names("loop.m3u") == ["a.wav"])
    }

    @Test func pls_isInTheOrderOfItsNumbers() throws {
        try write("l.pls", "[playlist]\nFile2=b.wav\nTitle2=B\nFile1=file:///x/a%20b.wav\nNumberOfEntries=2\n")
        #expect(names("l.pls") == ["/x/a b.wav", "b.wav"])
    }

    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\na.ts\n", "lists the pieces of one stream (HLS)"),
        ("#EXTM3U\n", "is a playlist that names no file"),
    ])
    func playlistWithoutAFile_isAProblem(text: String, words: String) throws {
        try write("l.m3u8", text)
        let items = MediaList.items([FilePath(directory.path("l.m3u8"))])
        #expect(items.count == 1)
        #expect(problem(items.first)?.message.contains(words) == true)
    }

    @Test func other_staysAsItIs() {
        let items = MediaList.items(["none.m3u", "a.wav", "-", "HTTP://x/y.mp3"])
        #expect(items.map(\.name) == ["none.m3u", "a.wav", "standard input", "HTTP://x/y.mp3"])
        #expect(items.map(\.source.isSlow) == [false, false, true, true])
    }
}
