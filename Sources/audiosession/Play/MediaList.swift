import AudioRuntime
import Foundation
import Glibc

/// Turns the names on the command line into items: a directory or a playlist becomes what it names.
///
/// Any thread; waits for the disk.
struct MediaList {
    /// The files of a directory that are played.
    static let extensions = [
        "wav", "wave", "aif", "aiff", "aifc", "caf", "flac", "ogg", "oga", "opus", "mp3", "m4a", "m4b", "mp4", "aac",
        "mka", "webm", "wma", "wv", "ape", "tta", "mpc", "amr", "ac3", "au", "snd", "w64",
    ]
    private static let playlistExtensions = ["m3u", "m3u8", "pls"]
    private static let deepestNesting = 8
    /// Against a list that is not what it says.
    private static let longestList = 100_000

    private(set) var items: [PlayPlan.Item] = []
    /// The directories and playlists that are being read, so that one which names itself ends.
    private var enclosing: [FileIdentity] = []

    private struct FileIdentity: Hashable {
        var device: UInt
        var inode: UInt
    }

    /// The items of these names, in their order.
    static func items(_ names: [FilePath]) -> [PlayPlan.Item] {
        var list = MediaList()
        for name in names { list.add(name) }
        return list.items
    }

    /// "-", an http address, a directory, a playlist or a file.
    private mutating func add(_ name: FilePath, title: String? = nil) {
        guard items.count < Self.longestList else { return }
        if name == FilePath("-") {
            items.append(.init(source: .standardInput(StandardInput()), name: "standard input"))
        } else if let address = Self.address(name) {
            items.append(.init(source: .address(address), name: address, title: title))
        } else {
            addFile(Self.localPath(name) ?? name)
        }
    }

    private mutating func addFile(_ path: FilePath) {
        let status = path.status
        if let status, status.st_mode & S_IFMT == S_IFDIR {
            read(path, status) { $0.addDirectory(path) }
        } else if Self.playlistExtensions.contains(path.fileExtension), let status {
            read(path, status) { $0.addPlaylist(path) }
        } else {
            items.append(.init(path))
        }
    }

    private mutating func read(_ path: FilePath, _ status: stat, _ body: (inout MediaList) -> Void) {
        let identity = FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
        guard !enclosing.contains(identity), enclosing.count < Self.deepestNesting else { return }
        enclosing.append(identity)
        body(&self)
        enclosing.removeLast()
    }

    private mutating func addProblem(_ path: FilePath, _ problem: FilePlayer.FileError.Kind, _ message: String) {
        items.append(
            .init(
                source: .nothing(BackendError(code: .file(problem), message: "'\(path.name.printable)' \(message)")),
                name: path.name))
    }

    // MARK: Directories

    /// Its files and those of its directories, sorted as people number them; hidden ones are left out.
    private mutating func addDirectory(_ path: FilePath) {
        let before = items.count
        guard let entries = Self.entries(of: path) else {
            return addProblem(
                path, .notReadable,
                "is a directory that cannot be read (\(String(cString: strerror(errno)))); check its permissions.")
        }
        for entry in entries {
            let file = path.appending(entry)
            let isDirectory = file.status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
            if isDirectory || Self.extensions.contains(file.fileExtension) { addFile(file) }
        }
        // Within another directory it is nothing to speak of.
        guard items.count == before, enclosing.count == 1 else { return }
        addProblem(
            path, .isDirectory,
            "is a directory without sound files; give the path of an audio file, or of a directory with some "
                + "(.wav, .flac, .ogg, .opus, .mp3, .m4a and others).")
    }

    /// nil if it cannot be read; `errno` says why.
    private static func entries(of path: FilePath) -> [FilePath]? {
        guard let directory = path.withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var names: [FilePath] = []
        while names.count < longestList, let entry = readdir(directory) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes.first != UInt8(ascii: ".") { names.append(FilePath(bytes: bytes)) }
        }
        return names.sorted { one, other in
            let order = one.name.compare(other.name, options: [.numeric, .caseInsensitive])
            return order == .orderedSame ? one.bytes.lexicographicallyPrecedes(other.bytes) : order == .orderedAscending
        }
    }

    // MARK: Playlists

    private mutating func addPlaylist(_ path: FilePath) {
        guard let bytes = Self.contents(of: path) else {
            return addProblem(
                path, .notReadable,
                "is a playlist that cannot be read; check its permissions, and that it is a text file.")
        }
        let playlist = Playlist(bytes, isPLS: path.fileExtension == "pls")
        if playlist.isStream {
            return addProblem(
                path, .notAudio, "lists the pieces of one stream (HLS); give the address of the stream instead.")
        }
        guard !playlist.entries.isEmpty else {
            return addProblem(path, .notAudio, "is a playlist that names no file; check its contents.")
        }
        for entry in playlist.entries {
            let name = FilePath(bytes: entry.name)
            if Self.address(name) != nil || Self.localPath(name) != nil {
                add(name, title: entry.title)
            } else {
                addFile(Self.existing(name, in: path.directory))
            }
        }
    }

    /// Playlists of other systems have backslashes, and names in Latin-1.
    private static func existing(_ name: FilePath, in directory: FilePath) -> FilePath {
        let slashes = name.bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        func latin1(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) } }
        let candidates = [name.bytes, slashes, latin1(name.bytes), latin1(slashes)].map {
            directory.appending(FilePath(bytes: $0))
        }
        return candidates.first { $0.status != nil } ?? candidates[0]
    }

    /// nil if it is no readable file of at most 16 MB.
    private static func contents(of path: FilePath) -> [UInt8]? {
        guard let status = path.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 24 else {
            return nil
        }
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let got = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                count += got
            }
        }
    }

    // MARK: Addresses

    /// An http or https address; nil for anything else.
    static func address(_ name: FilePath) -> String? {
        guard let text = name.text else { return nil }
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? text : nil
    }

    /// The path of a file: address; nil for anything else.
    private static func localPath(_ name: FilePath) -> FilePath? {
        guard let text = name.text, text.lowercased().hasPrefix("file://"), let url = URL(string: text), url.isFileURL
        else { return nil }
        return FilePath(url.path)
    }
}

/// The entries of an M3U or PLS file.
///
/// Pure.
struct Playlist: Equatable {
    struct Entry: Equatable {
        /// A path or an address as it stands in the file.
        var name: [UInt8]
        var title: String?
    }

    private(set) var entries: [Entry] = []
    /// It lists the pieces of one stream, not files.
    private(set) var isStream = false

    init(_ bytes: [UInt8], isPLS: Bool) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map(Self.trimmed)
        if isPLS { readPLS(lines) } else { readM3U(lines) }
    }

    private mutating func readM3U(_ lines: [[UInt8]]) {
        var title: String?
        for line in lines where !line.isEmpty {
            if line.starts(with: Array("#EXT-X-".utf8)) { isStream = true }
            if line.starts(with: Array("#EXTINF:".utf8)) {
                title = line.firstIndex(of: UInt8(ascii: ",")).map { Self.text(line[($0 + 1)...]) }
            }
            guard line[0] != UInt8(ascii: "#") else { continue }
            entries.append(Entry(name: line, title: title))
            title = nil
        }
    }

    /// "File1=..." and "Title1=...", in any order.
    private mutating func readPLS(_ lines: [[UInt8]]) {
        var (names, titles): ([Int: [UInt8]], [Int: String]) = ([:], [:])
        for line in lines {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = Self.text(line[..<equals]).lowercased()
            let value = Self.trimmed(line[(equals + 1)...])
            if key.hasPrefix("file"), let number = Int(key.dropFirst(4)) { names[number] = value }
            if key.hasPrefix("title"), let number = Int(key.dropFirst(5)) { titles[number] = Self.text(value[...]) }
        }
        entries = names.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
            Entry(name: $0.value, title: titles[$0.key])
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        return Array(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
