import Foundation
import Glibc
import GuardRuntime

/// The running guard's socket, in XDG_RUNTIME_DIR: one request, one answer of lines per connection.
enum GuardControl {
    enum Request: Hashable {
        case status
        case statusJSON
        case config
        case log
        /// The last minute.
        case scene(hasNames: Bool)
        /// What the guard reports from now on, until it ends.
        case follow
        /// nil: all.
        case release(String?)
        case turn(GuardPower)
        /// What is held is handed over to the next guard, or let go.
        case stop(keepsHolds: Bool)

        var line: String {
            switch self {
            case .status: "status"
            case .statusJSON: "status-json"
            case .config: "config"
            case .log: "log"
            case .scene(let hasNames): hasNames ? "scene-names" : "scene"
            case .follow: "follow"
            case .stop(let keepsHolds): keepsHolds ? "stop-keep" : "stop"
            case .turn(let power): power.line
            case .release(let program): program.map { "release \($0)" } ?? "release-all"
            }
        }

        init?(line: String) {
            let words: [Request] = [
                .status, .statusJSON, .config, .log, .scene(hasNames: false), .scene(hasNames: true), .follow,
                .release(nil),
                .stop(keepsHolds: false), .stop(keepsHolds: true),
            ]
            if let request = words.first(where: { $0.line == line }) {
                self = request
            } else if let power = GuardPower(line: line) {
                self = .turn(power)
            } else {
                guard line.hasPrefix("release "), line.count > 8 else { return nil }
                self = .release(String(line.dropFirst(8)))
            }
        }
    }

    /// - Throws: `BackendError` where no guard is running.
    static func ask(_ request: Request) throws(BackendError) -> [String] {
        guard let lines = answer(to: request) else { throw noAnswer(from: runningGuard) }
        return lines
    }

    /// What the server says, where no guard answers here: it may have another runtime directory.
    static var runningGuard: GuardController.Rival? { try? GuardController.runningOnPipeWire() }

    /// What a guard says of itself, or the server of it; nil where none is running.
    static var status: [String]? {
        answer(to: .status)
            ?? runningGuard.map { rival in
                [
                    GuardText.absence(rival.purpose)
                        ?? "Running with another XDG_RUNTIME_DIR: \(GuardText.words(rival))."
                ]
            }
    }

    static func noAnswer(from rival: GuardController.Rival?) -> BackendError {
        guard let rival else {
            return BackendError(
                .notRunning,
                "no guard is running; start one with 'audiosession guard', or with every login: "
                    + "audiosession guard install.")
        }
        if let absence = GuardText.absence(rival.purpose) {
            return BackendError(.notRunning, absence)
        }
        return BackendError(
            .noSocket,
            "a guard is running, but not with this XDG_RUNTIME_DIR: \(GuardText.words(rival)); ask it with "
                + "the XDG_RUNTIME_DIR of that process.")
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

    /// Ends the running guard, and waits until it has ended.
    ///
    /// - Parameter keepsHolds: what it holds stands still until the next guard has it; for a minute at most.
    /// - Returns: what it has said while it ended.
    /// - Throws: `BackendError` where no guard is running, or it does not end.
    static func stop(keepsHolds: Bool) throws(BackendError) -> [String] {
        guard let follower = send(.follow) else { throw noAnswer(from: runningGuard) }
        defer { close(follower) }
        // One that waits holds nothing; it would be in the way of the one that keeps.
        if keepsHolds, answer(to: .status)?.contains(where: { $0.hasPrefix(GuardText.heldPrefix) }) == true {
            _ = try FocusRun.startServer(["guard", "run", "--for-keeping"])
        }
        guard answer(to: .stop(keepsHolds: keepsHolds)) != nil else { throw noAnswer(from: runningGuard) }
        var time = timeval(tv_sec: 15, tv_usec: 0)
        setsockopt(follower, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var text = ""
        errno = 0
        while case let part = readAll(from: follower, upTo: UInt8(ascii: "\n")), !part.isEmpty { text += part }
        guard errno != EAGAIN else {
            throw BackendError(.alreadyRunning, "the guard has not ended; see 'audiosession guard status'.")
        }
        return text.split(separator: "\n").map(String.init)
    }

    private static func send(_ request: Request) -> Int32? {
        guard let path else { return nil }
        let descriptor = connectSocket(path)
        guard descriptor >= 0 else { return nil }
        if tell(request.line, to: descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    // MARK: The guard's side

    /// nil without XDG_RUNTIME_DIR.
    private static var path: String? {
        ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { "\($0)/audiosession-guard.sock" }
    }

    /// Where a guard listens.
    ///
    /// - Throws: `BackendError` without XDG_RUNTIME_DIR.
    static func socketPath() throws(BackendError) -> String {
        guard let path else {
            throw BackendError(
                .noRuntimeDirectory,
                "XDG_RUNTIME_DIR is not set; set it (usually /run/user/UID), as a login session does.")
        }
        return path
    }

    /// A listening socket; what a killed guard has left behind is replaced.
    ///
    /// - Throws: `BackendError`; the code is `alreadyRunning` where a guard of another server listens there.
    static func listen(at path: String) throws(BackendError) -> Int32 {
        let other = connectSocket(path)
        // One that is busy has no room for a connection.
        let isTaken = other >= 0 || errno == EAGAIN
        if other >= 0 { close(other) }
        guard !isTaken else {
            throw BackendError(
                .alreadyRunning,
                "a guard of another PipeWire server listens at \(path); stop it first, or set "
                    + "XDG_RUNTIME_DIR to another directory.")
        }
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, withAddress(path, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 8) == 0
        else { throw failure("listen at \(path)") }
        return descriptor
    }

    /// - Returns: whether the other end still reads, and had room for the line.
    static func tell(_ line: String, to descriptor: Int32) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) == bytes.count
    }

    // MARK: -

    private static func failure(_ what: String) -> BackendError {
        BackendError(.noSocket, "could not \(what) (\(String(cString: strerror(errno)))); check XDG_RUNTIME_DIR.")
    }

    static func connectSocket(_ path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        setTimeouts(descriptor)
        guard withAddress(path, { connect(descriptor, $0, $1) }) != 0 else { return descriptor }
        let error = errno
        close(descriptor)
        errno = error
        return -1
    }

    /// - Parameter path: of a socket; @ begins an abstract address, as systemd writes it.
    static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count))
            }
        }
    }

    private static func setTimeouts(_ descriptor: Int32) {
        var time = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
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
