/// A server's answer to a request for a file or a part of one, and its bytes.
///
/// One thread at a time; waits.
final class HTTPResponse {
    let head: HTTPHead
    /// That has answered, after redirections.
    let address: HTTPAddress
    private let transfer: HTTPTransfer

    /// Asks for the bytes from `offset` on, and follows redirections.
    ///
    /// - Parameter version: an entity tag or a date; the whole file comes where it is not of this version any more.
    /// - Throws: also where the status is not that of a file, or the bytes are packed.
    init(
        _ start: HTTPAddress, from offset: Int64, ifStill version: String? = nil, trust: ServerTrust, redirections: Int,
        _ limit: WaitLimit
    ) throws(ServerFault) {
        var headers = ["Accept-Encoding: identity", "Icy-MetaData: 1", "Connection: close"]
        if let version { headers.append("If-Range: \(version)") }
        transfer = try HTTPTransfer(
            start, headers: headers, range: "\(offset)-", trust: trust, redirections: redirections)
        // libcurl drops the bodies of redirections: what comes is that of the last answer.
        try transfer.wait(limit)
        head = transfer.head
        if !transfer.hasBytes, let fault = transfer.fault, fault != .lost || head.status == 0 { throw fault }
        address = transfer.lastAddress.flatMap { start.redirected(to: $0.text) } ?? start
        switch head.status {
        case 200, 206: break
        case 300..<400: throw .redirected("its server redirects (\(head.status)) and does not say where to")
        default: throw .status(head.status)
        }
        if let encoding = head.contentEncoding { throw .packed(with: encoding) }
        if let encoding = head.transferEncoding, encoding != "chunked" { throw .packed(with: encoding) }
    }

    /// The next bytes of the body; 0 at its end, and where the connection ends before.
    func read(into room: UnsafeMutableRawBufferPointer, _ limit: WaitLimit) throws(ServerFault) -> Int {
        try transfer.wait(limit)
        let got = transfer.take(into: room)
        guard got == 0, let fault = transfer.fault else { return got }
        // Only chunks say where they end.
        guard fault == .lost, head.transferEncoding == nil else { throw fault }
        return 0
    }
}
