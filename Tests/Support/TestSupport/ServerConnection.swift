import Glibc

/// A connection of `HTTPServer`, encrypted where the server has a certificate.
///
/// One thread; waits for its client.
final class ServerConnection {
    private let descriptor: Int32
    private var session: OpaquePointer?
    private var credentials: OpaquePointer?

    init(_ descriptor: Int32, _ certificate: TestCertificate?) {
        self.descriptor = descriptor
        guard let certificate else { return }
        let tls = ServerTLS.shared
        _ = tls.makeCredentials(&credentials)
        var (pem, key) = (Array(certificate.pem.utf8), Array(TestCertificate.key.utf8))
        let code = pem.withUnsafeMutableBufferPointer { pem in
            key.withUnsafeMutableBufferPointer { key in
                var pemText = ServerTLS.Text(data: pem.baseAddress, size: UInt32(pem.count))
                var keyText = ServerTLS.Text(data: key.baseAddress, size: UInt32(key.count))
                return tls.setKey(credentials, &pemText, &keyText, 1)
            }
        }
        precondition(code == 0, "the certificate of the tests was refused: \(code)")
        // GNUTLS_SERVER and GNUTLS_NO_SIGNAL; GNUTLS_CRD_CERTIFICATE.
        _ = tls.makeSession(&session, 1 << 0 | 1 << 6)
        _ = tls.setDefaultPriority(session)
        _ = tls.setCredentials(session, 1, credentials)
        tls.setTransport(session, descriptor, descriptor)
    }

    deinit {
        if let session { ServerTLS.shared.finish(session) }
        if let credentials { ServerTLS.shared.freeCredentials(credentials) }
        close(descriptor)
    }

    /// False where the client refuses the certificate.
    func begin() -> Bool { session == nil || ServerTLS.shared.handshake(session) == 0 }

    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let sent = bytes[done...].withUnsafeBytes { rest in
                session.map { ServerTLS.shared.send($0, rest.baseAddress, rest.count) }
                    ?? Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            done += sent
        }
        return true
    }

    /// What has come; empty at the end.
    func receive() -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 1024)
        let got = block.withUnsafeMutableBytes { room in
            session.map { ServerTLS.shared.receive($0, room.baseAddress, room.count) }
                ?? recv(descriptor, room.baseAddress, room.count, 0)
        }
        return Array(block.prefix(max(0, got)))
    }
}

/// The server's side of GnuTLS, which FFmpeg's libraries bring along.
private struct ServerTLS: Sendable {
    // gnutls_datum_t
    struct Text {
        var data: UnsafeMutablePointer<UInt8>?
        var size: UInt32
    }
    typealias MakeCredentials = @Sendable @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    typealias SetKey = @Sendable @convention(c) (OpaquePointer?, UnsafeRawPointer, UnsafeRawPointer, Int32) -> Int32
    typealias MakeSession = @Sendable @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UInt32) -> Int32
    typealias SetCredentials = @Sendable @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Int32
    typealias Action = @Sendable @convention(c) (OpaquePointer?) -> Int32
    typealias Finish = @Sendable @convention(c) (OpaquePointer) -> Void
    typealias SetTransport = @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Void
    typealias Send = @Sendable @convention(c) (OpaquePointer, UnsafeRawPointer?, Int) -> Int
    typealias Receive = @Sendable @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, Int) -> Int

    static let shared = ServerTLS()

    let makeCredentials: MakeCredentials
    let freeCredentials: Finish
    let setKey: SetKey
    let makeSession: MakeSession
    let finish: Finish
    let setDefaultPriority: Action
    let setCredentials: SetCredentials
    let setTransport: SetTransport
    let handshake: Action
    let send: Send
    let receive: Receive

    private init() {
        let library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL)
        func find<Function>(_ name: String) -> Function {
            guard let symbol = dlsym(library, "gnutls_" + name) else { preconditionFailure("GnuTLS has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }
        makeCredentials = find("certificate_allocate_credentials")
        freeCredentials = find("certificate_free_credentials")
        setKey = find("certificate_set_x509_key_mem")
        makeSession = find("init")
        finish = find("deinit")
        setDefaultPriority = find("set_default_priority")
        setCredentials = find("credentials_set")
        setTransport = find("transport_set_int2")
        handshake = find("handshake")
        send = find("record_send")
        receive = find("record_recv")
    }
}
