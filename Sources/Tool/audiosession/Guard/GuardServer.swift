import Glibc
import Threading

/// Answers the programs that ask a guard.
///
/// Each has a deadline for its request and the answer together, whatever it sends or does not send, and there are never more
/// than `mostClients`: those that come then wait in the socket's queue. One thread.
final class GuardServer {
    static let deadlineSeconds = 2.0
    static let mostClients = 16
    static let longestRequest = 4096

    /// Both that are not `done` end at the deadline.
    private enum Phase {
        /// Exits: a request -> `writing` or `done`; no request -> `done`.
        case reading([UInt8])
        /// Exit: everything is sent -> `done`.
        case writing(ArraySlice<UInt8>)
        /// Exit: the connection is closed in the same step.
        case done
    }

    private struct Client {
        let descriptor: Int32
        let deadline: Double
        var phase = Phase.reading([])

        var isDone: Bool { if case .done = phase { true } else { false } }
        var isWriting: Bool { if case .writing = phase { true } else { false } }
    }

    private let listener: Int32
    private let now: () -> Double
    private let answer: (GuardControl.Request) -> [String]
    private let follow: (Int32) -> Void
    private var clients: [Client] = []
    /// No descriptor was left for a client; nil: clients are accepted.
    private var pauseEnd: Double?

    /// - Parameters:
    ///   - now: a monotonic clock, in seconds.
    ///   - follow: takes the connection of a client that follows; whoever gets it closes it.
    init(
        listener: Int32, now: @escaping () -> Double = monotonicSeconds,
        answer: @escaping (GuardControl.Request) -> [String], follow: @escaping (Int32) -> Void
    ) {
        self.listener = listener
        self.now = now
        self.answer = answer
        self.follow = follow
    }

    deinit { for client in clients { close(client.descriptor) } }

    var clientCount: Int { clients.count }

    /// Waits until a client can be served or has reached its deadline, and does what is to be done.
    func serve() {
        let isAccepting = clients.count < Self.mostClients && pauseEnd == nil
        // poll leaves out a negative descriptor.
        var sources = [pollfd(fd: isAccepting ? listener : -1, events: Int16(POLLIN), revents: 0)]
        sources += clients.map {
            pollfd(fd: $0.descriptor, events: Int16($0.isWriting ? POLLOUT : POLLIN), revents: 0)
        }
        _ = poll(&sources, nfds_t(sources.count), timeoutMilliseconds)
        for (index, source) in sources.dropFirst().enumerated() where source.revents != 0 {
            clients[index].phase = advanced(clients[index])
        }
        endLate()
        if sources[0].revents != 0 { accept() }
    }

    private var timeoutMilliseconds: Int32 {
        guard let next = (clients.map(\.deadline) + [pauseEnd].compactMap { $0 }).min() else { return -1 }
        return Int32(max(next - now(), 0) * 1000) + 1
    }

    private func endLate() {
        let time = now()
        for client in clients where client.isDone || client.deadline <= time { close(client.descriptor) }
        clients.removeAll { $0.isDone || $0.deadline <= time }
        if let end = pauseEnd, end <= time { pauseEnd = nil }
    }

    private func accept() {
        let descriptor = Glibc.accept(listener, nil, nil)
        let end = now() + Self.deadlineSeconds
        guard descriptor >= 0 else {
            // A client that is gone already costs nothing; without a descriptor, the queue would be asked without end.
            if errno != ECONNABORTED, errno != EAGAIN, errno != EINTR { pauseEnd = end }
            return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        clients.append(Client(descriptor: descriptor, deadline: end))
    }

    // MARK: One client

    private func advanced(_ client: Client) -> Phase {
        switch client.phase {
        case .reading(let bytes): read(client.descriptor, after: bytes)
        case .writing(let bytes): write(bytes, to: client.descriptor)
        case .done: .done
        }
    }

    private func read(_ descriptor: Int32, after bytes: [UInt8]) -> Phase {
        var buffer = [UInt8](repeating: 0, count: Self.longestRequest)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return isRetry ? .reading(bytes) : .done }
        let bytes = bytes + buffer[..<count]
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.count == bytes.count, count > 0 { return bytes.count < Self.longestRequest ? .reading(bytes) : .done }
        guard let request = GuardControl.Request(line: String(decoding: line, as: UTF8.self)) else { return .done }
        if request == .follow {
            let follower = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            if follower >= 0 { follow(follower) }
            return .done
        }
        let text = answer(request).map { $0 + "\n" }.joined()
        return write(Array(text.utf8)[...], to: descriptor)
    }

    private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Phase {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count >= 0 else { return isRetry ? .writing(bytes) : .done }
        return count == bytes.count ? .done : .writing(bytes.dropFirst(count))
    }

    private var isRetry: Bool { errno == EAGAIN || errno == EINTR }
}
