import AudioRuntime
import Foundation
import Glibc
import ProgramRuntime
import Synchronization

/// What a player reads.
enum MediaSource: Sendable {
    case file(FilePath)
    /// An http or https address.
    case address(String)
    case standardInput(StandardInput)
    /// Nothing: a directory or a playlist without a file to play.
    case nothing(FilePlayer.FileError)

    /// Opening it may wait for a network or for another program.
    var isSlow: Bool {
        switch self {
        case .address, .standardInput: true
        case .file, .nothing: false
        }
    }

    /// Calls `body` with a path that opens it; the path is good until `body` returns.
    ///
    /// - Parameter cancellation: ends the wait for the standard input.
    /// - Throws: what `body` throws, with the item's name in its message; `AudioFileError` where there is nothing to open.
    func withPath<Result>(
        name: String, unless cancellation: FilePlayer.Cancellation,
        _ body: (String) throws(FilePlayer.FileError) -> sending Result
    ) throws(FilePlayer.FileError) -> sending Result {
        switch self {
        case .address(let address): return try body(address)
        case .nothing(let error): throw error
        case .standardInput(let input): return try Self.naming(name, try input.path(unless: cancellation), body)
        case .file(let path):
            if let text = path.text { return try body(text) }
            // Only a descriptor can name it in a String; O_PATH opens nothing.
            let descriptor = path.withCString { open($0, Self.pathOnly | O_CLOEXEC) }
            guard descriptor >= 0 else { return try body(path.name) }
            defer { close(descriptor) }
            return try Self.naming(name, "/proc/self/fd/\(descriptor)", body)
        }
    }

    /// O_PATH, which the Glibc module does not have.
    private static let pathOnly: Int32 = 0o10_000_000

    private static func naming<Result>(
        _ name: String, _ path: String, _ body: (String) throws(FilePlayer.FileError) -> sending Result
    ) throws(FilePlayer.FileError) -> sending Result {
        do throws(FilePlayer.FileError) {
            return try body(path)
        } catch {
            var error = error
            error.message = error.message.replacingOccurrences(of: path, with: name.printable)
            throw error
        }
    }
}

/// The sound on the standard input, as a file without a name: a player seeks in it, and a pipe does not.
final class StandardInput: Sendable {
    private let input: Int32
    private let copied = Mutex<Int32?>(nil)

    init(_ input: Int32 = STDIN_FILENO) { self.input = input }

    deinit { copied.withLock { if let descriptor = $0 { _ = Glibc.close(descriptor) } } }

    /// Reads to its end; waits for it.
    ///
    /// One thread at a time.
    ///
    /// - Parameter cancellation: ends the wait; the next call goes on there.
    /// - Throws: `AudioFileError` if it is empty, and if there is no room for it.
    func path(unless cancellation: FilePlayer.Cancellation) throws(FilePlayer.FileError) -> String {
        let opened = try copied.withLock { copied throws(FilePlayer.FileError) in
            if let copied { return copied }
            let opened = try TemporaryFile.make(for: "the standard input")
            copied = opened
            return opened
        }
        try Self.copy(input, to: opened, unless: cancellation)
        return "/proc/self/fd/\(opened)"
    }

    private static func copy(
        _ input: Int32, to output: Int32, unless cancellation: FilePlayer.Cancellation
    ) throws(FilePlayer.FileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isEmpty = lseek(output, 0, SEEK_CUR) == 0
        while true {
            var source = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            if poll(&source, 1, 100) == 0 {
                guard cancellation.endsWaits else { continue }
                throw FilePlayer.FileError(.cancelled, "the standard input is not wanted.")
            }
            let count = read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count == 0, isEmpty {
                throw FilePlayer.FileError(
                    .notAudio,
                    "the standard input is empty: the program before the pipe gave no sound, or the file is empty.")
            }
            if count == 0 { return }
            isEmpty = false
            guard count > 0 else {
                throw FilePlayer.FileError(
                    .readFailed,
                    "the standard input cannot be read (\(String(cString: strerror(errno)))); give a file, or "
                        + "pipe one: audiosession play - <song.flac")
            }
            guard write(output, buffer, count) == count else { throw TemporaryFile.failure(for: "the standard input") }
        }
    }
}

/// A file without a name: the kernel frees it with its descriptor.
enum TemporaryFile {
    /// - Parameter what: goes into it, for the error.
    /// - Returns: a descriptor to read and write; "/proc/self/fd/N" opens it again.
    static func make(for what: String) throws(FilePlayer.FileError) -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/audiosession-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(for: what) }
        unlink(template)
        return descriptor
    }

    static func failure(for what: String) -> FilePlayer.FileError {
        .init(
            .readFailed,
            "could not write \(what) to \(FileManager.default.temporaryDirectory.path.printable) "
                + "(\(String(cString: strerror(errno)))); free some space, or set TMPDIR to another directory.")
    }
}
