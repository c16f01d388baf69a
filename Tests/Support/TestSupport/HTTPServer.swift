import Foundation
import Glibc
import Synchronization

/// A server of one sound on the loopback interface, with faults that a test chooses.
package final class HTTPServer: Sendable {
    /// What a connection does.
    package struct Answer: Sendable {
        /// Of the sound, from the place that was asked for; the connection is cut after so many; nil: all.
        package var byteLimit: Int?
        /// Told instead of the true length.
        package var toldLength: Int?
        /// After so many bytes of the answer it waits until the gate is open.
        package var stall: (bytes: Int, gate: Gate)?
        /// Nothing is answered at all until the server is stopped.
        package var isMute = false
        package var status = 200
        /// Further lines of the head.
        package var headers: [String] = []
        /// The last of them is sent repeatedly, without end.
        package var hasEndlessHead = false
        /// In place of the sound, and of all that this answer would say of it.
        package var raw: [UInt8]?

        package init(
            byteLimit: Int? = nil, toldLength: Int? = nil, stall: (bytes: Int, gate: Gate)? = nil,
            isMute: Bool = false, status: Int = 200, headers: [String] = [], hasEndlessHead: Bool = false,
            raw: [UInt8]? = nil
        ) {
            self.byteLimit = byteLimit
            self.toldLength = toldLength
            self.stall = stall
            self.isMute = isMute
            self.status = status
            self.headers = headers
            self.hasEndlessHead = hasEndlessHead
            self.raw = raw
        }

        package static func redirection(to location: String) -> Answer {
            Answer(status: 302, headers: ["Location: \(location)"])
        }
    }

    package enum Kind: Sendable {
        /// A file; any part of it can be asked for.
        case file
        /// A file that is sent from its beginning only, without its length.
        case whole
        /// A radio station: the sound repeatedly, without end.
        case station
        /// Its end is sent repeatedly, without end, from this byte on.
        case endless(from: Int)
    }

    /// What was asked for, in order: "GET 0", "GET 65536", "GET 0 with a password", "GET 9 if "tag"" (If-Range), and "closed" where the client closed a
    /// connection first.
    package let log = History<String>()
    package let port: UInt16

    private let kind: Kind
    private let certificate: TestCertificate?
    private let body: [UInt8]
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var answers: [Answer]
        var sentBytes = 0
        var connections: Set<Int32> = []
        var isStopped = false
    }

    /// - Parameters:
    ///   - certificate: of https; nil for http.
    ///   - answers: of the first connections; the others have no faults.
    package init(
        _ kind: Kind = .file, body: [UInt8], certificate: TestCertificate? = nil, answers: [Answer] = []
    ) throws {
        self.kind = kind
        self.certificate = certificate
        self.body = body
        state = Mutex(State(answers: answers))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard result else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        detach { server in server.accept() }
    }

    /// Ends all connections.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package var address: String { "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)/sound" }

    /// Bytes of the sound that the system has taken for the clients.
    package var sentBytes: Int { state.withLock { $0.sentBytes } }

    private func detach(_ body: @escaping @Sendable (HTTPServer) -> Void) {
        // The thread holds the server until `stop`.
        _ = TestThread { body(self) }
    }

    private func accept() {
        // Not by `stop`: this thread would accept for the next server that gets the descriptor's number.
        defer { close(listener) }
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { return }
            // Small, so that what was sent has nearly all been taken.
            var size: Int32 = 16_384
            setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            let answer = state.withLock { state -> Answer? in
                guard !state.isStopped else { return nil }
                state.connections.insert(connection)
                return state.answers.isEmpty ? Answer() : state.answers.removeFirst()
            }
            detach { server in
                // It closes the descriptor, whose number may then be that of another connection.
                let wrapped = ServerConnection(connection, server.certificate)
                if let answer, wrapped.begin() { server.serve(wrapped, answer) }
                server.state.withLock { _ = $0.connections.remove(connection) }
                withExtendedLifetime(wrapped) {}
            }
        }
    }

    private func serve(_ connection: ServerConnection, _ answer: Answer) {
        guard let request = readRequest(connection) else { return }
        let start = kind.hasParts ? Self.rangeStart(request) : nil
        let hasPassword = request.contains("\r\nAuthorization:")
        let condition = Self.header("if-range", request).map { " if \($0)" } ?? ""
        log.append("GET \(start ?? 0)\(hasPassword ? " with a password" : "")\(condition)")
        if answer.isMute { return waitForClose(connection) }
        if let raw = answer.raw {
            _ = connection.send(raw)
            return
        }
        let headers = answer.headers.map { $0 + "\r\n" }.joined()
        if answer.hasEndlessHead {
            _ = connection.send(Array("HTTP/1.1 200 OK\r\n".utf8))
            while connection.send(Array(headers.utf8)) { state.withLock { $0.sentBytes += headers.utf8.count } }
            return log.append("closed")
        }
        guard answer.status == 200 else {
            _ = connection.send(
                Array("HTTP/1.1 \(answer.status) Error\r\nContent-Length: 0\r\n\(headers)\r\n".utf8))
            return
        }
        let length = answer.toldLength ?? body.count
        if let start, start >= length || start > body.count {
            _ = connection.send(Array("HTTP/1.1 416 No\r\nContent-Range: bytes */\(length)\r\n\r\n".utf8))
            return
        }
        var head = "HTTP/1.1 200 OK\r\n\(headers)"
        switch kind {
        case .file:
            if let start {
                head = "HTTP/1.1 206 Partial\r\n\(headers)Content-Range: bytes \(start)-\(length - 1)/\(length)\r\n"
            }
            head += "Accept-Ranges: bytes\r\nContent-Length: \(length - (start ?? 0))\r\n"
        case .whole, .endless: break
        case .station: head = "ICY 200 OK\r\nicy-name: Test\r\nicy-br: 128\r\n"
        }
        guard connection.send(Array((head + "Connection: close\r\n\r\n").utf8)) else { return }
        sendBody(connection, from: start ?? 0, answer)
    }

    private func sendBody(_ connection: ServerConnection, from start: Int, _ answer: Answer) {
        var (at, sent) = (start, 0)
        while true {
            if at == body.count {
                guard let next = kind.afterTheEnd else { return }
                at = next
            }
            var count = min(4096, body.count - at)
            if let limit = answer.byteLimit {
                count = min(count, limit - sent)
                if count == 0 { return }
            }
            if let stall = answer.stall {
                if sent < stall.bytes { count = min(count, stall.bytes - sent) }
                if sent == stall.bytes { stall.gate.hold() }
            }
            guard connection.send(Array(body[at..<at + count])) else {
                log.append("closed")
                return
            }
            at += count
            sent += count
            state.withLock { $0.sentBytes += count }
        }
    }

    private func waitForClose(_ connection: ServerConnection) {
        _ = connection.receive()
        log.append("closed")
    }

    private func readRequest(_ connection: ServerConnection) -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let more = connection.receive()
            guard !more.isEmpty, bytes.count < 65_536 else { return nil }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func rangeStart(_ request: String) -> Int? {
        header("range", request).flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) }
    }

    /// - Parameter name: in small letters.
    private static func header(_ name: String, _ request: String) -> Substring? {
        let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }
        return line?.dropFirst(name.utf8.count + 2)
    }
}

extension HTTPServer.Kind {
    fileprivate var hasParts: Bool { if case .file = self { true } else { false } }

    /// The byte that follows the last one; nil: none does.
    fileprivate var afterTheEnd: Int? {
        switch self {
        case .file, .whole: nil
        case .station: 0
        case .endless(let first): first
        }
    }
}

extension HTTPServer {
    /// The answer of a station that sends these titles, each behind so many blocks of sound.
    package static func station(_ sound: [UInt8], block: Int, titles: [Int: String]) -> [UInt8] {
        var bytes = Array("ICY 200 OK\r\nicy-name: Test\r\nicy-metaint: \(block)\r\n\r\n".utf8)
        for (number, start) in stride(from: 0, to: sound.count, by: block).enumerated() {
            bytes += sound[start..<min(start + block, sound.count)]
            let text = titles[number].map { Array("StreamTitle='\($0)';StreamUrl='';".utf8) } ?? []
            let count = (text.count + 15) / 16
            bytes += [UInt8(count)] + text + [UInt8](repeating: 0, count: count * 16 - text.count)
        }
        return bytes
    }
}
