/// A server's answer to a request for a file or a part of one, and its bytes.
///
/// One thread at a time; waits.
final class HTTPResponse {
    let head: HTTPHead
    /// That has answered, after redirections.
    let address: HTTPAddress
    private let channel: any ByteChannel
    /// What came and was not given yet, from `first` on.
    private var buffer: [UInt8] = []
    private var first = 0
    private var rest: Rest

    /// Where the body ends.
    private enum Rest {
        case bytes(Int64)
        /// Legal exits: itself, `bytes(0)` after the last chunk.
        case chunks(left: Int64)
        case untilClose
    }

    private enum Line {
        static let longest = 1024
    }

    /// Asks for the bytes from `offset` on, and follows redirections.
    ///
    /// - Parameter version: an entity tag or a date; the whole file comes where it is not of this version any more.
    /// - Throws: also where the status is not that of a file, or the bytes are packed.
    static func get(
        _ start: HTTPAddress, from offset: Int64, ifStill version: String? = nil, trust: ServerTrust, redirections: Int,
        _ limit: WaitLimit
    ) throws(ServerFault) -> HTTPResponse {
        var address = start
        var isAuthorized = false
        for _ in 0...redirections {
            let response = try HTTPResponse(
                address, offset, version, isAuthorized: isAuthorized, trust, limit)
            let head = response.head
            if head.isRedirection, let location = head["location"] {
                guard let next = address.redirected(to: location) else {
                    throw .redirected(
                        "its server redirects to \(String(location.prefix(200)).quoted), which is no http or https address"
                    )
                }
                guard (address.scheme, next.scheme) != (.https, .http) || trust == .anyServer else {
                    throw .steppedDown(to: next.text)
                }
                (address, isAuthorized) = (next, false)
            } else if head.status == 401, !isAuthorized, address.credentials != nil,
                head["www-authenticate"]?.lowercased().hasPrefix("basic") == true
            {
                isAuthorized = true
            } else {
                return try response.checked()
            }
        }
        throw .redirected("its server redirects more than \(redirections) times")
    }

    /// - Parameter isAuthorized: the address's name and password are sent.
    private init(
        _ address: HTTPAddress, _ offset: Int64, _ version: String?, isAuthorized: Bool, _ trust: ServerTrust,
        _ limit: WaitLimit
    ) throws(ServerFault) {
        self.address = address
        let proxy = HTTPProxy(for: address)
        let socket = try ServerSocket(
            host: proxy?.address.host ?? address.host, port: proxy?.address.port ?? address.port, limit)
        var request = "GET \(address.target) HTTP/1.1\r\n"
        switch address.scheme {
        case .http:
            channel = socket
            if let proxy { request = "GET \(address.text) HTTP/1.1\r\n\(proxy.authorization)" }
        case .https:
            if let proxy { try Self.connect(socket, to: address, through: proxy, limit) }
            channel = try TLSChannel(socket, host: address.host, trust: trust, limit)
        }
        request += "Host: \(address.authority)\r\nUser-Agent: open-avfaudio\r\nAccept: */*\r\n"
        request += "Accept-Encoding: identity\r\nIcy-MetaData: 1\r\nRange: bytes=\(offset)-\r\nConnection: close\r\n"
        if let version { request += "If-Range: \(version)\r\n" }
        if isAuthorized, let credentials = address.credentials { request += "Authorization: \(credentials.basic)\r\n" }
        try channel.send(Array((request + "\r\n").utf8), limit)
        head = try Self.readHead(channel, &buffer, limit)
        first = 0
        let encoding = head.transferEncoding
        guard encoding == nil || encoding == "chunked" else { throw .packed(with: encoding ?? "") }
        rest = encoding != nil ? .chunks(left: 0) : head.contentLength.map(Rest.bytes) ?? .untilClose
    }

    /// A tunnel through the proxy.
    private static func connect(
        _ socket: ServerSocket, to address: HTTPAddress, through proxy: HTTPProxy, _ limit: WaitLimit
    ) throws(ServerFault) {
        let endpoint = address.endpoint
        try socket.send(
            Array("CONNECT \(endpoint) HTTP/1.1\r\nHost: \(endpoint)\r\n\(proxy.authorization)\r\n".utf8), limit)
        var rest: [UInt8] = []
        let head = try readHead(socket, &rest, limit)
        guard head.status == 200 else { throw .status(head.status, phrase: head.phrase + " (http_proxy)") }
        guard rest.isEmpty else { throw .malformed("the proxy sends bytes before the server") }
    }

    /// The last head that is no interim answer; `rest` is what came after it.
    private static func readHead(
        _ channel: any ByteChannel, _ rest: inout [UInt8], _ limit: WaitLimit
    ) throws(ServerFault) -> HTTPHead {
        var block = [UInt8](repeating: 0, count: 4096)
        var bytes: [UInt8] = []
        var searched = 0
        while true {
            if let end = headEnd(bytes, from: searched) {
                guard let head = HTTPHead(bytes[..<end]) else { throw .malformed("it is not HTTP/1.1") }
                bytes.removeFirst(end)
                searched = 0
                guard head.status < 200 else {
                    rest = bytes
                    return head
                }
                continue
            }
            searched = max(0, bytes.count - 3)
            guard bytes.count <= HTTPHead.longest else {
                throw .malformed("its headers have more than \(HTTPHead.longest) bytes")
            }
            let got = try receive(channel, &block, limit)
            guard got > 0 else { throw bytes.isEmpty ? .lost : .malformed("it ends within its headers") }
            bytes += block[..<got]
        }
    }

    /// After the empty line, which some stations end with line feeds only.
    private static func headEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        for index in start..<max(start, bytes.count) where bytes[index] == 0x0A {
            if index >= 1, bytes[index - 1] == 0x0A { return index + 1 }
            if index >= 3, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A { return index + 1 }
        }
        return nil
    }

    private static func receive(
        _ channel: any ByteChannel, _ block: inout [UInt8], _ limit: WaitLimit
    ) throws(ServerFault) -> Int {
        // `withUnsafeMutableBytes` of an array throws any error.
        var result = Result<Int, ServerFault>.success(0)
        block.withUnsafeMutableBytes { room in
            result = Result { () throws(ServerFault) in try channel.receive(into: room, limit) }
        }
        return try result.get()
    }

    private func checked() throws(ServerFault) -> HTTPResponse {
        guard head.status == 200 || head.status == 206 else { throw .status(head.status, phrase: head.phrase) }
        if let encoding = head.contentEncoding { throw .packed(with: encoding) }
        return self
    }

    /// The next bytes of the body; 0 at its end, and where the connection ends before.
    func read(into room: UnsafeMutableRawBufferPointer, _ limit: WaitLimit) throws(ServerFault) -> Int {
        if case .chunks(0) = rest { try readChunkSize(limit) }
        let left: Int64 =
            switch rest {
            case .bytes(let left), .chunks(let left): left
            case .untilClose: .max
            }
        guard left > 0 else { return 0 }
        let room = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(left, Int64(room.count)))])
        let got: Int
        if first < buffer.count {
            got = min(room.count, buffer.count - first)
            room.copyBytes(from: buffer[first..<first + got])
            first += got
        } else {
            got = try channel.receive(into: room, limit)
        }
        switch rest {
        case .bytes: rest = .bytes(left - Int64(got))
        case .chunks where left == Int64(got):
            guard try readLine(limit).isEmpty else { throw .malformed("a chunk does not end where it says") }
            rest = .chunks(left: 0)
        case .chunks:
            guard got > 0 else { throw .lost }
            rest = .chunks(left: left - Int64(got))
        case .untilClose: break
        }
        return got
    }

    /// The trailers of the last chunk are not read.
    private func readChunkSize(_ limit: WaitLimit) throws(ServerFault) {
        let line = try readLine(limit)
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard (1...15).contains(digits.count), let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16),
            size >= 0
        else { throw .malformed("a chunk has no size") }
        rest = size == 0 ? .bytes(0) : .chunks(left: size)
    }

    private func readLine(_ limit: WaitLimit) throws(ServerFault) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            if first == buffer.count {
                var block = [UInt8](repeating: 0, count: 4096)
                let got = try Self.receive(channel, &block, limit)
                guard got > 0 else { throw .lost }
                (buffer, first) = (Array(block[..<got]), 0)
            }
            let byte = buffer[first]
            first += 1
            if byte == 0x0A { return line.last == 0x0D ? line.dropLast() : line }
            guard line.count < Line.longest else { throw .malformed("a chunk's size is too long") }
            line.append(byte)
        }
    }
}
