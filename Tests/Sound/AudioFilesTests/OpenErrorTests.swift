import Foundation
import TestAudio
import Testing

@testable import AudioFiles

/// Each thing that is not a sound file gets one clear message, and none is waited for.
struct OpenErrorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func open_whileFileIsMissing_saysSo() {
        let path = directory.path("nothing.flac")
        #expect(
            openError(path) == AudioFileError(.notFound, "There is no file \"\(path)\"; check the path."))
        #expect(openError(path + "/deeper.flac")?.kind == .notFound)
        #expect(openError(String(repeating: "a", count: 5000))?.kind == .notFound)
    }

    @Test func open_whilePathCannotNameAFile_saysSo() throws {
        try TestFile.write(.silence, seconds: 0.1, named: "a", in: directory)
        #expect(openError("")?.kind == .notFound)
        #expect(openError(directory.path("a\0b"))?.kind == .notFound)
    }

    @Test func open_whilePathIsADirectory_saysSo() {
        #expect(
            openError(directory.path)
                == AudioFileError(
                    .isDirectory, "\"\(directory.path)\" is a directory; give the path of one audio file in it."))
    }

    @Test func open_whileFileIsEmpty_saysSo() throws {
        let path = try TestFile.write(bytes: [], named: "empty.flac", in: directory)
        let error = openError(path)
        #expect(error?.kind == .notAudio)
        #expect(error?.message.contains("is empty (0 bytes)") == true)
    }

    @Test func open_whilePathIsAPipeOrSocketOrDevice_doesNotWait() throws {
        let pipe = directory.path("pipe.wav")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(openError(pipe)?.message.contains("is a pipe") == true)

        let socket = directory.path("socket.wav")
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(openError(socket)?.message.contains("is a socket") == true)

        for device in ["/dev/null", "/dev/zero"] {
            #expect(openError(device)?.kind == .notAudio)
            #expect(openError(device)?.message.contains("is a device") == true)
        }
    }

    @Test func open_whileFileMayNotBeRead_saysSo() async {
        // In a process of its own: root may read everything, so it becomes nobody first.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try TestFile.write(.silence, seconds: 0.1, in: directory)
            try #require(chmod(directory.path, 0o755) == 0)
            try #require(chmod(path, 0) == 0)
            if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
            let error = openError(path)
            if getuid() == 0 { try #require(seteuid(0) == 0) }
            #expect(error?.kind == .notReadable)
            #expect(error?.message.contains("may not be read by this user") == true)
            withExtendedLifetime(directory) {}
        }
    }

    /// The second descriptor of a file is libsndfile's.
    @Test func open_whileNoDescriptorIsFree_saysHowToGetSome() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try TestFile.write(.silence, seconds: 0.1, in: directory)
            var taken: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 {
                taken.append(descriptor)
            }
            for _ in 0..<2 {
                let error = openError(path)
                #expect(error?.kind == .readFailed)
                #expect(
                    error?.message
                        == "\"\(path)\" cannot be opened (too many open files); raise the limit of open files (ulimit -n), "
                        + "or close some.")
                close(taken.removeLast())
            }
            for descriptor in taken { close(descriptor) }
            #expect(openError(path) == nil)
            withExtendedLifetime(directory) {}
        }
    }

    @Test func open_whileFileIsNoSound_namesWhatCanBePlayed() throws {
        let text = try TestFile.notAudio(in: directory)
        #expect(
            openError(text)
                == AudioFileError(
                    .notAudio,
                    """
                    "\(text)" is not a sound file that can be played; playable are WAV, AIFF, CAF, FLAC, Ogg Vorbis, \
                    Ogg Opus, MP3, M4A, AAC, Matroska, Windows Media and others.
                    """))
        let picture = try TestFile.write(
            bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 500),
            named: "cover.wav", in: directory)
        #expect(openError(picture) == AudioFileError(.notAudio, "\"\(picture)\" is a picture, not a sound."))
        let tiny = try TestFile.write(bytes: [0x52], named: "tiny.wav", in: directory)
        #expect(openError(tiny)?.kind == .notAudio)
        // The mark of UTF-16 text looks like the first bytes of an MPEG frame.
        let utf16 = try #require("Good day. This is a letter, not a song, at some length.".data(using: .utf16))
        let letter = try TestFile.write(bytes: utf16, named: "letter.txt", in: directory)
        #expect(openError(letter)?.kind == .notAudio)
    }

    @Test func open_whileHeaderIsDamaged_saysWhichFormatItLooksLike() throws {
        let path = try TestFile.corrupt(in: directory)
        let error = openError(path)
        #expect(error?.kind == .notAudio)
        #expect(error?.message.contains("begins like a WAV file but cannot be decoded:") == true)
        #expect(error?.message.hasSuffix("get a good copy, or convert it to FLAC or WAV.") == true)
    }

    /// (channels, sample rate, whether it can be played) as a WAV file's header gives them.
    static let headers: [(Int, Int, Bool)] = [
        (1, 100, true), (64, 48_000, true), (2, 768_000, true), (2, 1_000_000, true), (0, 48_000, false),
        (65, 48_000, false), (1024, 48_000, false), (2, 0, false), (2, 99, false), (2, 1_000_001, false),
        (2, 0x7FFF_FFFF, false), (2, 0xFFFF_FFFF, false),
    ]

    @Test(arguments: headers)
    func open_whileHeaderIsAbsurd_isRefusedWithTheLimits(channels: Int, rate: Int, isGood: Bool) throws {
        let data = [UInt8](repeating: 0, count: max(1, channels) * 2 * 8)
        let bytes =
            Array("RIFF".utf8) + littleEndian(36 + data.count, 4) + Array("WAVEfmt ".utf8) + littleEndian(16, 4)
            + littleEndian(1, 2) + littleEndian(channels, 2) + littleEndian(rate, 4)
            + littleEndian(rate &* channels &* 2, 4) + littleEndian(channels * 2, 2) + littleEndian(16, 2)
            + Array("data".utf8) + littleEndian(data.count, 4) + data
        let path = try TestFile.write(bytes: bytes, named: "header.wav", in: directory)
        let error = openError(path)
        #expect((error == nil) == isGood)
        if let error {
            #expect(error.kind == .notAudio)
            // Values that libsndfile lets pass are refused by name; others fail in libsndfile, with its reason.
            let isNamed =
                error.message.contains("\(rate) Hz; rates from 100 to 1000000 Hz can be played")
                || error.message.contains("\(channels) channels; 1 to 64 can be played")
            #expect(isNamed || error.message.contains("cannot be decoded:"))
        }
    }

    @Test func message_whilePathHoldsControlCharacters_isSafeForATerminal() {
        let error = openError(directory.path("evil\u{1B}[2J\u{202E}.wav"))
        #expect(error?.message.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E } == false)
        #expect(error?.message.contains("evil\u{FFFD}[2J\u{FFFD}.wav") == true)
    }
}
