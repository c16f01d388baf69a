import Threading

/// An open, readable regular file, or a part of one; it is closed when the value goes.
///
/// Everything else that a path can name (directories, pipes, sockets, devices) is refused before it is opened: opening
/// a pipe waits for a writer, and opening some devices has effects. One thread at a time.
package struct RegularFile: ~Copyable {
    package let descriptor: Int32
    /// Where the part begins in the file; 0 for a whole file.
    let start: Int64
    package let byteCount: Int64
    /// All of the file, which can be read from the descriptor's own offset.
    let isWhole: Bool

    /// - Throws: `AudioFileError` of kind `notFound`, `isDirectory`, `notReadable`, `notAudio` or `readFailed`.
    package init(path: String) throws(AudioFileError) {
        // A C string ends at its first zero: the rest of such a path would be dropped and another file opened.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw AudioFileError(
                .notFound, "The path \(path.quoted) cannot name a file; give the path of one audio file.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.openFailure(errno, path: path) }
        try Self.checkKind(status, path: path)

        // Should a pipe take the file's place between the two calls, O_NONBLOCK keeps open from waiting.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw Self.openFailure(errno, path: path) }
        guard fstat(opened, &status) == 0 else {
            let code = errno
            Threading.close(opened)
            throw Self.openFailure(code, path: path)
        }
        do throws(AudioFileError) {
            try Self.checkKind(status, path: path)
        } catch {
            Threading.close(opened)
            throw error
        }
        self.init(descriptor: opened, start: 0, byteCount: Int64(status.st_size), isWhole: true)
    }

    /// A file without a name that holds these bytes.
    ///
    /// - Parameter name: what messages call it.
    /// - Throws: `AudioFileError` of kind `notAudio` for no bytes, `readFailed` where there is no room for them.
    init(contents: [UInt8], name: String) throws(AudioFileError) {
        guard !contents.isEmpty else {
            throw AudioFileError(.notAudio, "\(name.quoted) is empty (0 bytes); give the bytes of a whole sound file.")
        }
        guard let file = tmpfile() else { throw Self.openFailure(errno, path: name) }
        defer { fclose(file) }
        guard fwrite(contents, 1, contents.count, file) == contents.count, fflush(file) == 0 else {
            throw Self.openFailure(errno, path: name)
        }
        self.init(
            descriptor: try Self.duplicate(fileno(file), path: name), start: 0, byteCount: Int64(contents.count),
            isWhole: true)
    }

    private init(descriptor: Int32, start: Int64, byteCount: Int64, isWhole: Bool) {
        self.descriptor = descriptor
        self.start = start
        self.byteCount = byteCount
        self.isWhole = isWhole
    }

    deinit { Threading.close(descriptor) }

    /// Another handle, of a part of the file; the two share the place that libsndfile reads a whole file from.
    ///
    /// - Parameter range: of this file's bytes, clamped to them; nil: all of it.
    /// - Throws: `AudioFileError` of kind `readFailed` where the process has too many files open.
    func part(_ range: Range<Int64>? = nil, path: String) throws(AudioFileError) -> RegularFile {
        let whole = 0..<byteCount
        let range = range?.clamped(to: whole) ?? whole
        return RegularFile(
            descriptor: try Self.duplicate(descriptor, path: path), start: start + range.lowerBound,
            byteCount: range.upperBound - range.lowerBound, isWhole: isWhole && range == whole)
    }

    /// - Throws: as `part`.
    static func duplicate(_ descriptor: Int32, path: String) throws(AudioFileError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw openFailure(errno, path: path) }
        return copy
    }

    /// Up to `count` bytes from `offset`; fewer at the end of the file or when the disk fails.
    ///
    /// Moves nothing.
    package func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        return Self.bytes(descriptor, at: start + offset, count: Int(min(Int64(count), byteCount - offset)))
    }

    /// - Parameter offset: in the file that the descriptor has open.
    static func bytes(_ descriptor: Int32, at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, buffer.baseAddress! + initialized, count - initialized, off_t(offset) + initialized)
                if got < 0 && errno == EINTR { continue }
                if got <= 0 { break }
                initialized += got
            }
        }
    }

    /// libsndfile reads from the descriptor's own offset.
    func rewind() { lseek(descriptor, 0, SEEK_SET) }

    private static func checkKind(_ status: stat, path: String) throws(AudioFileError) {
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard status.st_size > 0 else {
                throw AudioFileError(
                    .notAudio,
                    "\(path.quoted) is empty (0 bytes); it may not have been copied to its end. Copy it again.")
            }
            return
        case S_IFDIR:
            throw AudioFileError(
                .isDirectory, "\(path.quoted) is a directory; give the path of one audio file in it.")
        case S_IFIFO: kind = "a pipe"
        case S_IFSOCK: kind = "a socket"
        default: kind = "a device"
        }
        throw AudioFileError(
            .notAudio,
            "\(path.quoted) is \(kind), and only regular files can be played; save the sound to a file first.")
    }

    static func openFailure(_ code: Int32, path: String) -> AudioFileError {
        switch code {
        case ENOENT, ENOTDIR:
            AudioFileError(.notFound, "There is no file \(path.quoted); check the path.")
        case EACCES, EPERM:
            AudioFileError(
                .notReadable,
                "\(path.quoted) may not be read by this user; check the permissions of the file and of its directories."
            )
        case ENAMETOOLONG, ELOOP:
            AudioFileError(.notFound, "\(path.quoted) cannot be found (\(reason(code))); check the path.")
        case EMFILE, ENFILE:
            AudioFileError(
                .readFailed,
                "\(path.quoted) cannot be opened (\(reason(code))); raise the limit of open files (ulimit -n), or close some."
            )
        default:
            AudioFileError(.readFailed, "\(path.quoted) cannot be opened: \(reason(code)).")
        }
    }

    private static func reason(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
