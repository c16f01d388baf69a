import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import ProgramRuntime
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

    private func problem(_ item: PlayPlan.Item?) -> FilePlayer.FileError? {
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
        #expect(problem(items.first)?.kind == .isDirectory)
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

    /// As VLC writes them.
    @Test func m3u_withEncodedNames_findsItsFiles_unlessAFileHasTheNameItself() throws {
        try write("Ünï dir/b ü.wav")
        try write("100%25.wav")
        try write("l.m3u8", "%C3%9Cn%C3%AF%20dir/b%20%C3%BC.wav\n%C3%9Cn%C3%AF%20dir\\b%20%C3%BC.wav\n100%25.wav\n")
        #expect(try names("l.m3u8") == ["Ünï dir/b ü.wav", "Ünï dir/b ü.wav", "100%25.wav"])
        try write("o.m3u", "a%00b.wav\na%2.wav\n%zz.wav\n%\n")
        #expect(try names("o.m3u") == ["a%00b.wav", "a%2.wav", "%zz.wav", "%"], "these are no encoded names")
    }

    // MARK: On a server

    private func answer(_ body: String, type: String = "audio/x-mpegurl") -> HTTPServer.Answer {
        HTTPServer.Answer(raw: Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n\(body)".utf8))
    }

    /// The items of an address on a server that gives these answers, one after another; its own address is left out.
    private func items(
        _ path: String, _ answers: [HTTPServer.Answer], user: String = ""
    ) throws -> (items: [PlayPlan.Item], names: [String]) {
        let server = try HTTPServer(body: [], answers: answers)
        defer { server.stop() }
        let root = "http://127.0.0.1:\(server.port)"
        let items = try MediaList.items([FilePath("http://\(user)127.0.0.1:\(server.port)\(path)")])
        return (items, items.map { $0.name.hasPrefix(root) ? String($0.name.dropFirst(root.count)) : $0.name })
    }

    @Test func playlistOnAServer_playsAsALocalOne() throws {
        let (items, names) = try items(
            "/radio/st.m3u?a=b",
            [answer("#EXTINF:-1,One\r\nhttp://example.org/one\r\nsub/two ü.mp3\n/three.mp3\n..\\four.mp3\n")])
        #expect(names == ["http://example.org/one", "/radio/sub/two%20%C3%BC.mp3", "/three.mp3", "/four.mp3"])
        #expect(items.first?.title == "One")
        #expect(items.allSatisfy { $0.source.isSlow })
        let pls = "[playlist]\nFile2=two.mp3\nFile1=https://example.org/1\nTitle1=First\nNumberOfEntries=2\n"
        #expect(try self.items("/listen.PLS", [answer(pls)]).names == ["https://example.org/1", "/two.mp3"])
    }

    @Test func playlistOnAServer_isRelativeToWhereItIs_andKeepsThePassword() throws {
        let (items, names) = try items(
            "/a/l.m3u", [.redirection(to: "/b/c/l.m3u"), answer("one.mp3\n")], user: "us:p%20w@")
        #expect(names == ["/b/c/one.mp3"], "people see no password")
        let item = try #require(items.first)
        guard case .address(let address) = item.source else {
            Issue.record("\(item)")
            return
        }
        #expect(address == item.name.replacingOccurrences(of: "http://", with: "http://us:p%20w@"))
    }

    @Test func playlistOnAServer_namesNoFileOfThisComputer() throws {
        try write("secret.wav")
        let path = directory.path("secret.wav")
        let (items, _) = try items("/l.m3u", [answer("file://\(path)\nftp://a/b.mp3\n\(path)\n-\n")])
        #expect(items.count == 4)
        for item in items.prefix(2) {
            #expect(problem(item)?.message.contains("may only name http and https addresses") == true)
        }
        // A path is one of the server.
        for item in items.suffix(2) {
            guard case .address = item.source else {
                Issue.record("\(item)")
                continue
            }
        }
        let (redirected, _) = try self.items("/l.m3u", [.redirection(to: "file://\(path)")])
        #expect(problem(redirected.first)?.message.contains("redirects to an address that is not followed") == true)
    }

    @Test func playlistsOnServers_thatNameEachOther_end() throws {
        let (_, own) = try items("/l.m3u", [answer("l.m3u\na.mp3\n")])
        #expect(own == ["/a.mp3"])
        let (items, names) = try items("/0.m3u", (1...9).map { answer("\($0).m3u\n\($0).mp3\n") })
        #expect(names == ["/8.m3u"] + (1...8).reversed().map { "/\($0).mp3" })
        #expect(problem(items.first)?.message.contains("more than 8 playlists on servers are in each other") == true)
        let list = (1...60).map { "\($0).m3u\n" }.joined()
        let many = try self.items("/0.m3u", [answer(list)] + (1...60).map { answer("\($0).mp3\n") })
        #expect(many.names.filter { $0.hasSuffix("mp3") }.count == 49)
        #expect(many.items.count { problem($0) != nil } == 11)
    }

    @Test func addressThatHasNoPlaylist_isASound() throws {
        let sound = HTTPServer.Answer(raw: Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [0xFF, 0xFB, 0x90, 0, 0, 0])
        #expect(try items("/st.m3u", [sound]).items.first?.source.isSlow == true)
        let long = answer(String(repeating: "a", count: (1 << 20) + 1))
        #expect(try items("/st.m3u", [long]).names == ["/st.m3u"])
        let (gone, _) = try items("/st.m3u", [HTTPServer.Answer(status: 404)])
        #expect(problem(gone.first)?.kind == .notFound)
        let (segments, _) = try items("/st.m3u8", [answer("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\na.ts\n")])
        #expect(problem(segments.first)?.message.contains("HLS") == true)
    }

    @Test func serverOfAPlaylist_isNotWaitedForOnceItIsCancelled() throws {
        let server = try HTTPServer(body: [], answers: [HTTPServer.Answer(isMute: true)])
        defer { server.stop() }
        let items = try MediaList.items([FilePath("http://127.0.0.1:\(server.port)/l.m3u")]) {
            !server.log.entries.isEmpty
        }
        #expect(problem(items.first)?.kind == .cancelled)
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
        ("l.m3u8\n", "is a playlist that names no file"),
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
