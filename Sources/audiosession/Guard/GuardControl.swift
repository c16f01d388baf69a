import Foundation
import Glibc

/// The running guard's socket, in XDG_RUNTIME_DIR: one request, one answer of lines per connection.
enum GuardControl {
    enum Request: Hashable {
        case status
        case statusJSON
        case log
        /// What the guard reports from now on, until it ends.
        case follow
        /// nil: all.
        case release(String?)

        var line: String {
            switch self {
            case .status: "status"
            case .statusJSON: "status-json"
            case .log: "log"
            case .follow: "follow"
            case .release(let program): program.map { "release \($0)" } ?? "release-all"
            }
        }

        init?(line: String) {
            switch line {
            case "status": self = .status
            case "status-json": self = .statusJSON
            case "log": self = .log
            case "follow": self = .follow
            case "release-all": self = .release(nil)
            default:
                guard line.hasPrefix("release "), line.count > 8 else { return nil }
                self = .release(String(line.dropFirst(8)))
            }
        }
    }

    /// - Throws: `BackendError` where no guard is running.
    static func ask(_ request: Request) throws(BackendError) -> [String] {
        guard let lines = answer(to: request) else {
            throw BackendError(
                code: .program(.notRunning),
                message: "no guard is running; start one with 'audiosession guard', or with every login: "
                    + "audiosession guard install.")
        }
        return lines
    }

    /// nil where no guard is running.
    static func answer(to request: Request) -> [String]? {
        guard let descriptor = send(request) else { return nil }
        defer { close(descriptor) }
        let text = readAll(from: descriptor, upTo: nil)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Has the running guard's reports delivered on a thread of its own, until the guard ends; nothing where none is running.
    @Sendable static func follow(deliver: @escaping @Sendable (String) -> Void) {
        guard let descriptor = send(.follow) else { return }
        var never = timeval()
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &never, socklen_t(MemoryLayout<timeval>.size))
        Thread.detachNewThread {
            var rest = ""
            while case let text = readAll(from: descriptor, upTo: UInt8(ascii: "\n")), !text.isEmpty {
                var lines = (rest + text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                rest = lines.removeLast()
                lines.forEach(deliver)
            }
            close(descriptor)
        }
    }

    private static func send(_ request: Request) -> Int32? {
        guard let path = path("sock") else { return nil }
        let descriptor = connectSocket(path)
        guard descriptor >= 0 else { return nil }
        setTimeouts(descriptor)
        if send(request.line + "\n", to: descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    /// - Parameter suffix: "sock" or "lock".
    static func path(_ suffix: String) -> String? {
        ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { "\($0)/audiosession-guard.\(suffix)" }
    }

    // MARK: The guard's side

    /// Held by the one guard of this user; its descriptor is closed by the end of the process.
    ///
    /// - Throws: `BackendError` where another guard is running.
    static func lock() throws(BackendError) {
        guard let path = path("lock") else {
            throw BackendError(
                code: .program(.noRuntimeDirectory),
                message: "XDG_RUNTIME_DIR is not set; set it (usually /run/user/UID), as a login session does.")
        }
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BackendError(
                code: .program(.alreadyRunning),
                message: "another guard is running; see 'audiosession guard status', or stop it first.")
        }
    }

    /// A listening socket; what a killed guard has left behind is replaced.
    ///
    /// - Throws: `BackendError`.
    static func listen() throws(BackendError) -> Int32 {
        let path = path("sock") ?? ""
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, withAddress(path, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 8) == 0
        else { throw failure("listen at \(path)") }
        return descriptor
    }

    /// Takes one connection, which may not keep the guard waiting for longer than a second.
    ///
    /// - Returns: the connection of one who follows; whoever gets it closes it.
    static func serve(_ listener: Int32, _ answer: (Request) -> [String]) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        setTimeouts(descriptor)
        let line = readAll(from: descriptor, upTo: UInt8(ascii: "\n")).split(separator: "\n").first.map(String.init)
        let request = line.flatMap(Request.init)
        if request == .follow { return descriptor }
        _ = send((request.map(answer) ?? []).map { $0 + "\n" }.joined(), to: descriptor)
        close(descriptor)
        return nil
    }

    /// - Returns: whether the one who follows still reads.
    static func tell(_ line: String, to follower: Int32) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return Glibc.send(follower, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) == bytes.count
    }

    // MARK: -

    private static func failure(_ what: String) -> BackendError {
        BackendError(
            code: .program(.noSocket),
            message: "could not \(what) (\(String(cString: strerror(errno)))); check XDG_RUNTIME_DIR.")
    }

    private static func connectSocket(_ path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return -1
        }
        return descriptor
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func setTimeouts(_ descriptor: Int32) {
        var time = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func send(_ text: String, to descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func readAll(from descriptor: Int32, upTo end: UInt8?) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20, end.map({ !bytes.contains($0) }) ?? true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
