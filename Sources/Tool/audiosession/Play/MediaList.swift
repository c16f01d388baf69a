import AudioRuntime
import Foundation
import Glibc
import ProgramRuntime
import Synchronization

/// Turns the names on the command line into items: a directory or a playlist becomes what it names.
///
/// Any thread; waits for the disk.
struct MediaList {
    /// The files of a directory that are played.
    static let extensions = [
        "wav", "wave", "aif", "aiff", "aifc", "caf", "flac", "ogg", "oga", "opus", "mp3", "m4a", "m4b", "mp4", "aac",
        "mka", "webm", "wma", "wv", "ape", "tta", "mpc", "amr", "ac3", "au", "snd", "w64",
    ]
    private static let playlistExtensions = ["m3u", "m3u8", "pls", "cue"]
    private static let deepestNesting = 32
    /// The sound files, directories and playlists that are counted at most: lists that name each other have no end.
    static let longestList = 100_000
    static let standardInput = FilePath("-")
    /// Playlists on servers that name each other.
    private static let deepestServerNesting = 8
    /// Each is waited for.
    private static let mostServerPlaylists = 50

    private enum Stop: Error { case tooLong, cancelled }

    private let trust: FilePlayer.ServerTrust
    private let isCancelled: () -> Bool
    private var items: [PlayPlan.Item] = []
    private var count = 0
    /// The directories and playlists that are being read, so that one which names itself ends.
    private var enclosing: [FileIdentity] = []
    /// The playlists on servers that are being read.
    private var enclosingAddresses: [String] = []
    private var serverPlaylistCount = 0

    private struct FileIdentity: Hashable {
        var device: UInt
        var inode: UInt

        init(_ status: stat) { (device, inode) = (UInt(status.st_dev), UInt(status.st_ino)) }
    }

    /// The items of these names, in their order.
    ///
    /// Waits for the servers of playlists.
    ///
    /// - Parameters:
    ///   - trust: which servers may answer at an https address.
    ///   - isCancelled: asked before each entry, and while a server is waited for; the list is then empty.
    /// - Throws: `BackendError` for more entries than `longestList`.
    static func items(
        _ names: [FilePath], trust: FilePlayer.ServerTrust = FilePlayer.ServerTrust(),
        unless isCancelled: @escaping () -> Bool = { false }
    ) throws(BackendError) -> [PlayPlan.Item] {
        var list = MediaList(trust: trust, isCancelled: isCancelled)
        for name in names {
            do throws(Stop) {
                try list.add(name)
            } catch {
                guard case .tooLong = error else { return [] }
                throw BackendError(
                    .tooLong,
                    "'\(name.name.printable)' brings the list to more than \(longestList) sound files, "
                        + "directories and playlists, and a playlist counts each time it is named; give a smaller directory "
                        + "or playlist.")
            }
        }
        return list.items
    }

    private init(trust: FilePlayer.ServerTrust, isCancelled: @escaping () -> Bool) {
        (self.trust, self.isCancelled) = (trust, isCancelled)
    }

    private mutating func countEntry() throws(Stop) {
        guard !isCancelled() else { throw .cancelled }
        guard count < Self.longestList else { throw .tooLong }
        count += 1
    }

    /// "-", an http address, a directory, a playlist or a file.
    private mutating func add(_ name: FilePath, title: String? = nil) throws(Stop) {
        if name == Self.standardInput {
            items.append(.init(source: .standardInput(StandardInput()), name: "standard input"))
        } else if let address = Self.address(name) {
            try addAddress(address, title: title)
        } else if let scheme = Self.otherScheme(name), name.status == nil {
            addProblem(
                name, .notFound,
                "is an address of \(scheme), and only http, https and file addresses play. Download it, and play the file."
            )
        } else {
            try addFile(Self.localPath(name) ?? name)
        }
    }

    private mutating func addFile(_ path: FilePath) throws(Stop) {
        let status = path.status
        if let status, status.st_mode & S_IFMT == S_IFDIR {
            var walked: Set<FileIdentity> = []
            try addDirectory(path, status, &walked)
        } else if Self.playlistExtensions.contains(path.fileExtension), let status {
            try read(path, status) { list throws(Stop) in
                try path.fileExtension == "cue" ? list.addSheet(path) : list.addPlaylist(path)
            }
        } else {
            try countEntry()
            items.append(.init(path))
        }
    }

    private mutating func read(
        _ path: FilePath, _ status: stat, _ body: (inout MediaList) throws(Stop) -> Void
    ) throws(Stop) {
        try countEntry()
        let identity = FileIdentity(status)
        guard !enclosing.contains(identity) else { return }
        guard enclosing.count < Self.deepestNesting else {
            return addProblem(
                path, .notReadable,
                "is in more than \(Self.deepestNesting) directories and playlists; give its own path to play it.")
        }
        enclosing.append(identity)
        try body(&self)
        enclosing.removeLast()
    }

    private mutating func addProblem(_ path: FilePath, _ problem: FilePlayer.FileError.Kind, _ message: String) {
        items.append(
            .init(
                source: .nothing(FilePlayer.FileError(problem, "'\(path.name.printable)' \(message)")),
                name: path.name))
    }

    // MARK: Directories

    /// Its files and those of its directories, sorted as people number them; hidden ones are left out.
    ///
    /// - Parameter walked: the directories that were added before; by symbolic links, each could come any number of times.
    private mutating func addDirectory(
        _ path: FilePath, _ status: stat, _ walked: inout Set<FileIdentity>
    ) throws(Stop) {
        guard walked.insert(FileIdentity(status)).inserted else { return }
        try read(path, status) { list throws(Stop) in try list.addEntries(of: path, &walked) }
    }

    private mutating func addEntries(of path: FilePath, _ walked: inout Set<FileIdentity>) throws(Stop) {
        let before = items.count
        guard let entries = try entries(of: path) else {
            return addProblem(
                path, .notReadable,
                "is a directory that cannot be read (\(String(cString: strerror(errno)))); check its permissions.")
        }
        for entry in entries {
            let file = path.appending(entry)
            if let status = file.status, status.st_mode & S_IFMT == S_IFDIR {
                try addDirectory(file, status, &walked)
            } else if Self.extensions.contains(file.fileExtension) {
                try countEntry()
                items.append(.init(file))
            }
        }
        // Within another directory it is nothing to speak of.
        guard items.count == before, enclosing.count == 1 else { return }
        addProblem(
            path, .isDirectory,
            "is a directory without sound files; give the path of an audio file, or of a directory with some "
                + "(.wav, .flac, .ogg, .opus, .mp3, .m4a and others).")
    }

    /// What may be a sound file or a directory; nil if the directory cannot be read, and `errno` says why.
    private func entries(of path: FilePath) throws(Stop) -> [FilePath]? {
        guard let directory = path.withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var entries: [(path: FilePath, name: String)] = []
        while let entry = readdir(directory) {
            guard !isCancelled() else { throw .cancelled }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let path = FilePath(bytes: bytes)
            guard bytes.first != UInt8(ascii: "."),
                Int(entry.pointee.d_type) != Int(DT_REG) || Self.extensions.contains(path.fileExtension)
            else { continue }
            guard entries.count < Self.longestList else { throw .tooLong }
            entries.append((path, path.name))
        }
        return entries.sorted { one, other in
            let order = one.name.compare(other.name, options: [.numeric, .caseInsensitive])
            return order == .orderedSame
                ? one.path.bytes.lexicographicallyPrecedes(other.path.bytes) : order == .orderedAscending
        }.map(\.path)
    }

    // MARK: Playlists

    private mutating func addPlaylist(_ path: FilePath) throws(Stop) {
        guard let bytes = Self.contents(of: path) else {
            return addProblem(
                path, .notReadable,
                "is a playlist that cannot be read; check its permissions, and that it is a text file.")
        }
        guard let playlist = Playlist(bytes, isPLS: path.fileExtension == "pls") else { throw .tooLong }
        if playlist.isStream {
            return addProblem(
                path, .notAudio, "lists the pieces of one stream (HLS); give the address of the stream instead.")
        }
        let before = items.count
        for entry in playlist.entries {
            let name = FilePath(bytes: entry.name)
            if Self.address(name) != nil || Self.localPath(name) != nil {
                try add(name, title: entry.title)
            } else {
                try addFile(Self.existing(name, in: path.directory))
            }
        }
        if items.count == before { addEmptyPlaylist(path) }
    }

    /// It may name itself.
    private mutating func addEmptyPlaylist(_ path: FilePath) {
        addProblem(path, .notAudio, "is a playlist that names no file; check its contents.")
    }

    private mutating func addSheet(_ path: FilePath) throws(Stop) {
        guard let bytes = Self.contents(of: path) else {
            return addProblem(
                path, .notReadable,
                "is a cue sheet that cannot be read; check its permissions, and that it is a text file.")
        }
        let tracks = CueSheet(bytes).tracks
        if tracks.isEmpty {
            addProblem(path, .notAudio, "is a cue sheet without a track of a file; check its lines FILE and INDEX 01.")
        }
        var (name, file): (String?, FilePath) = (nil, path)
        for track in tracks {
            try countEntry()
            if name != track.file { (name, file) = (track.file, Self.sound(FilePath(track.file), in: path.directory)) }
            var item = PlayPlan.Item(file)
            item.part = track.part
            item.title = [track.part.title, track.part.performer].compactMap(\.self).joined(separator: ", ")
            items.append(item)
        }
    }

    /// The sheet of a CD names the file as it was before somebody encoded it.
    private static func sound(_ name: FilePath, in directory: FilePath) -> FilePath {
        let named = existing(name, in: directory)
        guard named.status == nil, let dot = named.bytes.lastIndex(of: UInt8(ascii: ".")) else { return named }
        let encoded = extensions.lazy.map { FilePath(bytes: named.bytes[...dot] + Array($0.utf8)) }
        return encoded.first { $0.status != nil } ?? named
    }

    /// Playlists of other systems have backslashes, names in Latin-1, and names that are encoded as in an address.
    private static func existing(_ name: FilePath, in directory: FilePath) -> FilePath {
        let slashes = name.bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        func latin1(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) } }
        let decoded = [name.bytes, slashes].compactMap(percentDecoded)
        let candidates = ([name.bytes, slashes, latin1(name.bytes), latin1(slashes)] + decoded).map {
            directory.appending(FilePath(bytes: $0))
        }
        return candidates.first { $0.status != nil } ?? candidates[0]
    }

    /// nil where nothing is encoded, and for a byte 0, which no path has.
    private static func percentDecoded(_ name: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var index = 0
        while index < name.count {
            if name[index] == UInt8(ascii: "%"), index + 2 < name.count,
                let byte = UInt8(String(decoding: name[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(name[index])
                index += 1
            }
        }
        return decoded.count == name.count || decoded.contains(0) ? nil : decoded
    }

    /// nil if it is no readable file of at most 16 MB.
    private static func contents(of path: FilePath) -> [UInt8]? {
        guard let status = path.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 24 else {
            return nil
        }
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try? [UInt8](file.read(upToCount: Int(status.st_size)) ?? Data())
    }

    // MARK: Addresses

    /// The address of a sound, or what a playlist on a server names.
    private mutating func addAddress(_ address: String, title: String?) throws(Stop) {
        try countEntry()
        guard FilePlayer.ServerPlaylist.isNamed(address) else {
            return items.append(.init(source: .address(address), name: address.withoutAddressPassword, title: title))
        }
        guard !enclosingAddresses.contains(address) else { return }
        guard enclosingAddresses.count < Self.deepestServerNesting, serverPlaylistCount < Self.mostServerPlaylists
        else {
            return addProblem(
                FilePath(address.withoutAddressPassword), .notReadable,
                "is not read: more than \(Self.deepestServerNesting) playlists on servers are in each other, or more than "
                    + "\(Self.mostServerPlaylists) are named; give its own address to play it.")
        }
        serverPlaylistCount += 1
        switch fetch(address) {
        case .success(let text?):
            enclosingAddresses.append(address)
            try add(text, named: address)
            enclosingAddresses.removeLast()
        case .success(nil):
            items.append(.init(source: .address(address), name: address.withoutAddressPassword, title: title))
        case .failure(let error):
            items.append(.init(source: .nothing(error), name: address.withoutAddressPassword, title: title))
        }
    }

    private mutating func add(_ text: FilePlayer.ServerPlaylist, named address: String) throws(Stop) {
        let name = FilePath(address)
        let path = FilePath(String(address.prefix { $0 != "?" && $0 != "#" }))
        guard let playlist = Playlist(text.bytes, isPLS: path.fileExtension == "pls") else { throw .tooLong }
        if playlist.isStream {
            return addProblem(
                name, .notAudio,
                "lists the segments of one sound (HLS), which cannot be played; give the address of a sound file, or of a "
                    + "station's MP3, AAC or Ogg stream.")
        }
        let before = items.count
        for entry in playlist.entries {
            if let address = text.address(of: Self.plain(entry.name)) {
                try addAddress(address, title: entry.title)
            } else {
                addProblem(
                    FilePath(bytes: entry.name), .notReadable,
                    "is named by a playlist on a server, which may only name http and https addresses; to play it, give it "
                        + "yourself.")
            }
        }
        if items.count == before { addEmptyPlaylist(name) }
    }

    /// As an address has it; the bytes may be of any encoding.
    private static func plain(_ name: [UInt8]) -> String {
        String(
            decoding: name.flatMap { $0 < 0x80 ? [$0] : Array("%\(String($0, radix: 16, uppercase: true))".utf8) },
            as: UTF8.self)
    }

    /// - Returns: nil where the address has no text.
    private func fetch(_ address: String) -> Result<FilePlayer.ServerPlaylist?, FilePlayer.FileError> {
        let (cancellation, trust) = (FilePlayer.Cancellation(), trust)
        let outcome = Mutex<Result<FilePlayer.ServerPlaylist?, FilePlayer.FileError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result { () throws(FilePlayer.FileError) in
                try FilePlayer.ServerPlaylist.read(address, trust: trust, cancellation: cancellation)
            }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        while isDone.wait(timeout: .now() + 0.05) == .timedOut {
            if isCancelled() { cancellation.cancel() }
        }
        return outcome.withLock { $0 } ?? .success(nil)
    }

    /// An http or https address; nil for anything else.
    static func address(_ name: FilePath) -> String? {
        guard let text = name.text else { return nil }
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? text : nil
    }

    /// "ftp" of "ftp://example.org/song.mp3"; nil for a path and for an address that plays.
    private static func otherScheme(_ name: FilePath) -> String? {
        guard let text = name.text, localPath(name) == nil, let colon = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<colon.lowerBound]
        guard scheme.first?.isLetter == true, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return nil
        }
        return scheme.lowercased()
    }

    /// The path of a file: address; nil for anything else.
    private static func localPath(_ name: FilePath) -> FilePath? {
        guard let text = name.text, text.lowercased().hasPrefix("file://"), let url = URL(string: text), url.isFileURL
        else { return nil }
        return FilePath(url.path)
    }
}
