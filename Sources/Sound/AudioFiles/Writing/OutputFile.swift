import Threading

/// The file that a writer fills: it has its name from the beginning, or takes it later.
///
/// One thread at a time. A file that never takes its name leaves nothing behind.
final class OutputFile {
    let descriptor: Int32
    /// The path with its symbolic links followed: they stay, and what they name is written.
    private let target: String
    private let quotedPath: String
    private var state: State

    private enum State {
        /// Legal exits: closed.
        case named
        /// The kernel frees it with its descriptor, also when the process is killed. Legal exits: named, closed.
        case nameless(replacing: Bool)
        /// Where the file system has no files without a name: a name of its own beside the target.
        ///
        /// Legal exits: named, closed.
        case temporary(String, replacing: Bool)
        case closed
    }

    /// - Parameter hasNamelessFiles: false for a file system without `O_TMPFILE`: FAT, NFS.
    init(
        path: String, naming: AudioFileWriter.Naming, hasNamelessFiles: Bool = true
    ) throws(AudioFileWriteError) {
        quotedPath = path.quoted
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw AudioFileWriteError("The path \(quotedPath) cannot name a file; give the path of a file to write.")
        }
        target = Self.followingLinks(path)
        let old = Self.status(path)
        if let old, old.st_mode & S_IFMT != S_IFREG {
            throw AudioFileWriteError("\(quotedPath) is not a regular file and is left alone; give another path.")
        }
        switch naming {
        case .atOnce:
            descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
            let code = errno
            state = .named
            guard descriptor >= 0 else { throw Self.refusal(quotedPath, code) }
        case .atFirstFrame(let replacing):
            if let old { try Self.checkReplacement(of: old, at: target, quotedPath, isAllowed: replacing) }
            let directory = Self.directory(of: target)
            var opened = hasNamelessFiles ? Self.openNameless(in: directory) : -1
            var code = errno
            state = .nameless(replacing: replacing)
            if opened < 0, !hasNamelessFiles || code == EOPNOTSUPP || code == EISDIR {
                let name = Self.temporaryName(in: directory)
                opened = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                code = errno
                state = .temporary(name, replacing: replacing)
            }
            descriptor = opened
            guard descriptor >= 0 else {
                guard old != nil else { throw Self.refusal(quotedPath, code) }
                throw AudioFileWriteError(
                    "\(quotedPath) cannot be replaced: no file can be made in its directory (\(Self.words(code))); check "
                        + "the directory's permissions or give another path.")
            }
            if let old { copyOwnerAndMode(of: old) }
        }
    }

    deinit { _ = close() }

    /// Gives the file its name, if it has none yet; a file that has the name loses it, and its other names stay.
    ///
    /// - Throws: where another file has come to the name meanwhile and may not be replaced, and where the directory refuses.
    func takeName() throws(AudioFileWriteError) {
        switch state {
        case .named, .closed: return
        case .nameless(let replacing):
            if !link(to: target) {
                guard errno == EEXIST else { throw Self.refusal(quotedPath, errno) }
                guard replacing else { throw Self.exists(quotedPath) }
                // Only `rename` replaces a file, and it needs a name.
                let name = Self.temporaryName(in: Self.directory(of: target))
                guard link(to: name) else { throw Self.refusal(quotedPath, errno) }
                try move(name)
            }
        case .temporary(let name, let replacing):
            // FAT has no links: another program could come between the look and the move.
            guard replacing || access(target, F_OK) != 0 else { throw Self.exists(quotedPath) }
            try move(name)
        }
        state = .named
    }

    /// Idempotent.
    ///
    /// - Returns: why it failed: network file systems report a full disk only here.
    func close() -> String? {
        if case .closed = state { return nil }
        if case .temporary(let name, _) = state { unlink(name) }
        state = .closed
        return Threading.close(descriptor) == 0 ? nil : Self.words(errno)
    }

    /// Closes the file and removes it, unless another file has taken its place.
    ///
    /// - Returns: what is there now, in words.
    func discard() -> String {
        var (own, there) = (stat(), stat())
        let isKnown = fstat(descriptor, &own) == 0
        let isThere = lstat(target, &there) == 0
        let wasNamed = if case .named = state { true } else { false }
        _ = close()
        guard wasNamed else { return isThere ? "the file of this name was not changed" : "no file was written" }
        guard isKnown, isThere, own.st_dev == there.st_dev, own.st_ino == there.st_ino, unlink(target) == 0 else {
            return "its empty file is no longer there, or could not be removed"
        }
        return "its empty file was removed"
    }

    // MARK: Inside

    private static func checkReplacement(
        of old: stat, at target: String, _ quotedPath: String, isAllowed: Bool
    ) throws(AudioFileWriteError) {
        guard isAllowed else { throw exists(quotedPath) }
        // A link of /proc names a file that may have no path.
        guard let there = status(target), there.st_dev == old.st_dev, there.st_ino == old.st_ino else {
            throw AudioFileWriteError("\(quotedPath) is not the path of a file; give another path.")
        }
        guard faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) == 0 else {
            throw AudioFileWriteError(
                "\(quotedPath) cannot be replaced (\(words(errno))); check its permissions or give another path.")
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private func link(to name: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
    }

    private func move(_ name: String) throws(AudioFileWriteError) {
        guard rename(name, target) == 0 else {
            let code = errno
            unlink(name)
            throw Self.refusal(quotedPath, code)
        }
    }

    /// As if the old file had been emptied and written.
    private func copyOwnerAndMode(of old: stat) {
        var mode = old.st_mode & 0o777
        // What the old group may do is not for another one.
        if fchown(descriptor, old.st_uid, old.st_gid) != 0 { mode &= 0o707 }
        fchmod(descriptor, mode)
    }

    private static func openNameless(in directory: String) -> Int32 {
        #if os(Linux)
            /// __O_TMPFILE, which the Glibc module does not have.
            let nameless: Int32 = 0o20_000_000
            return open(directory, nameless | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o666)
        #else
            errno = EOPNOTSUPP
            return -1
        #endif
    }

    /// Hidden, so that nothing takes it for a recording.
    private static func temporaryName(in directory: String) -> String {
        "\(directory)/.audiosession-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// As many links as the kernel follows.
    private static func followingLinks(_ path: String) -> String {
        var path = path
        for _ in 0..<40 {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = buffer.withUnsafeMutableBytes {
                readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
            }
            // A name that is not UTF-8 has no String; the kernel finds it by the link.
            guard count > 0, let next = String(validating: buffer[..<count], as: UTF8.self) else { break }
            path = next.hasPrefix("/") ? next : "\(directory(of: path))/\(next)"
        }
        return path
    }

    private static func exists(_ quotedPath: String) -> AudioFileWriteError {
        AudioFileWriteError("\(quotedPath) already exists; give another path.")
    }

    private static func refusal(_ quotedPath: String, _ code: Int32) -> AudioFileWriteError {
        AudioFileWriteError(
            "\(quotedPath) cannot be created (\(words(code))); check its directory or give another path.")
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
