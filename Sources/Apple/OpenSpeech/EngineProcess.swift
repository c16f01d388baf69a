import Glibc
import Threading

/// Runs a program that answers once, within limits of time and size.
///
/// Its input is a file.
enum EngineProcess {
    /// Runs a program and waits until it closes its output or a limit is reached.
    ///
    /// Application threads and `SessionRuntime.runElsewhere`.
    ///
    /// - Parameters:
    ///   - words: the program, looked up in PATH, and its arguments. No shell reads them.
    ///   - input: the program's standard input.
    ///   - byteLimit: the longest answer, in bytes; a longer one is an error.
    /// - Returns: the program's standard output.
    static func run(
        _ words: [String], input: [UInt8] = [], byteLimit: Int, timeoutSeconds: Int = 30
    ) throws(EngineFailure) -> [UInt8] {
        let file = try inputFile(input)
        defer { close(file) }
        let ends = try pair()
        let child: pid_t
        do throws(ChildProcess.Failure) {
            child = try ChildProcess.start(words, streams: .descriptors(input: file, output: ends.other))
        } catch {
            close(ends.own)
            close(ends.other)
            throw error.code == ENOENT ? .notInstalled : .failed(error.reason)
        }
        close(ends.other)
        let answer = Result { () throws(EngineFailure) in
            try readAll(ends.own, byteLimit: byteLimit, timeoutSeconds: timeoutSeconds)
        }
        close(ends.own)
        // The program has closed its output, or its answer is no longer needed.
        kill(child, SIGKILL)
        ChildProcess.wait(for: child)
        return try answer.get()
    }

    enum EngineFailure: Error, CustomStringConvertible {
        case notInstalled
        case failed(String)
        case tookTooLong(seconds: Int)

        var description: String {
            switch self {
            case .notInstalled: "it is not installed"
            case .failed(let reason): reason
            case .tookTooLong(let seconds): "it took longer than \(seconds) s"
            }
        }
    }

    /// Two connected descriptors that children do not inherit.
    ///
    /// The caller closes both.
    static func pair() throws(EngineFailure) -> (own: Int32, other: Int32) {
        // Not a pipe: another thread may spawn a child before `FD_CLOEXEC` is set on the pipe.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .failed(String(cString: strerror(errno)))
        }
        return (ends[0], ends[1])
    }

    private static func inputFile(_ input: [UInt8]) throws(EngineFailure) -> Int32 {
        guard let file = tmpfile() else { throw .failed(String(cString: strerror(errno))) }
        defer { fclose(file) }
        guard fwrite(input, 1, input.count, file) == input.count, fflush(file) == 0 else {
            throw .failed(String(cString: strerror(errno)))
        }
        let copy = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .failed(String(cString: strerror(errno))) }
        lseek(copy, 0, SEEK_SET)
        return copy
    }

    /// Reads until the other end is closed, and waits for that.
    static func readAll(
        _ descriptor: Int32, byteLimit: Int, timeoutSeconds: Int
    ) throws(EngineFailure) -> [UInt8] {
        let end = ContinuousClock.now + .seconds(timeoutSeconds)
        var (answer, block) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let left = (end - .now).components
            let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000)
            guard milliseconds > 0 else { throw .tookTooLong(seconds: timeoutSeconds) }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds) > 0 else { continue }
            let count = read(descriptor, &block, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .failed(String(cString: strerror(errno))) }
            if count == 0 { return answer }
            guard answer.count + count <= byteLimit else { throw .failed("it sent more than \(byteLimit) bytes") }
            answer += block[..<count]
        }
    }
}
