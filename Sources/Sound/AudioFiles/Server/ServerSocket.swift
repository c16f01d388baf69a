import Glibc

/// Bytes to and from a server.
///
/// One thread at a time; waits.
protocol ByteChannel: AnyObject {
    /// At least one byte; 0 at the end.
    func receive(into room: UnsafeMutableRawBufferPointer, _ limit: WaitLimit) throws(ServerFault) -> Int
    func send(_ bytes: [UInt8], _ limit: WaitLimit) throws(ServerFault)
}

/// A TCP connection.
final class ServerSocket: ByteChannel {
    let descriptor: Int32

    /// Asks each of the host's addresses, until one answers.
    ///
    /// The name's look-up is the system's, and cannot be ended.
    init(host: String, port: UInt16, _ limit: WaitLimit) throws(ServerFault) {
        try limit.check()
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let list else {
            throw .unreachable("the name \(host.quoted) cannot be found (\(String(cString: gai_strerror(result))))")
        }
        defer { freeaddrinfo(list) }
        var fault = ServerFault.unreachable("\(host.quoted) has no address")
        for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
            do throws(ServerFault) {
                descriptor = try Self.connect(entry.pointee, limit)
                return
            } catch .cancelled {
                throw .cancelled
            } catch {
                fault = error
            }
        }
        throw fault
    }

    deinit { close(descriptor) }

    private static func connect(_ entry: addrinfo, _ limit: WaitLimit) throws(ServerFault) -> Int32 {
        let kind = entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(entry.ai_family, kind, entry.ai_protocol)
        guard descriptor >= 0 else { throw .unreachable(Self.words(errno)) }
        do throws(ServerFault) {
            if Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return descriptor }
            guard errno == EINPROGRESS else { throw .unreachable(Self.words(errno)) }
            try wait(descriptor, for: POLLOUT, limit)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw .unreachable(Self.words(code)) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    func receive(into room: UnsafeMutableRawBufferPointer, _ limit: WaitLimit) throws(ServerFault) -> Int {
        while true {
            try limit.check()
            let got = recv(descriptor, room.baseAddress, room.count, 0)
            if got >= 0 { return got }
            try waitAfterFailure(POLLIN, limit)
        }
    }

    func send(_ bytes: [UInt8], _ limit: WaitLimit) throws(ServerFault) {
        var done = 0
        while done < bytes.count {
            try limit.check()
            let sent = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0 { try waitAfterFailure(POLLOUT, limit) } else { done += sent }
        }
    }

    private func waitAfterFailure(_ events: Int32, _ limit: WaitLimit) throws(ServerFault) {
        switch errno {
        case EINTR: return
        case EAGAIN: try Self.wait(descriptor, for: events, limit)
        default: throw .lost
        }
    }

    /// Until the descriptor is ready, or the limit is.
    static func wait(_ descriptor: Int32, for events: Int32, _ limit: WaitLimit) throws(ServerFault) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        repeat { try limit.check() } while poll(&entry, 1, limit.pollMilliseconds) <= 0
    }

    private static func words(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "no server accepts connections there"
        case ENETUNREACH, EHOSTUNREACH: "there is no way to the server in the network"
        default: String(cString: strerror(code))
        }
    }
}
