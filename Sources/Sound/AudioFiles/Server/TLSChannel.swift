internal import AudioModel
import Glibc
import Synchronization

/// An encrypted connection whose server has proved its name.
///
/// By GnuTLS, which FFmpeg's libraries bring along on Debian, Fedora and Arch; loaded with the first https address.
final class TLSChannel: ByteChannel {
    private let socket: ServerSocket
    private let library: GnuTLS
    private let session: OpaquePointer
    private let host: String
    // GnuTLS keeps this pointer, and reads it during the handshake.
    private let verifiedName: UnsafeMutablePointer<CChar>

    /// - Parameters:
    ///   - socket: connected, and used by nothing else from now on.
    ///   - host: a name or a numeric address, which the certificate has to name.
    init(_ socket: ServerSocket, host: String, trust: ServerTrust, _ limit: WaitLimit) throws(ServerFault) {
        guard let library = GnuTLS.shared else {
            throw .notReady("https needs GnuTLS. Install it: \(SystemPackage.installCommand(.gnuTLS))")
        }
        let credentials = try TLSCredentials.shared(for: trust, library)
        var session: OpaquePointer?
        guard library.initialize(&session, GnuTLS.clientFlags) == 0, let session, let name = strdup(host) else {
            throw .notReady("there is no memory for it")
        }
        (self.socket, self.library, self.session, self.host, verifiedName) = (socket, library, session, host, name)
        _ = library.setDefaultPriority(session)
        _ = library.setCredentials(session, GnuTLS.certificateCredentials, credentials.pointer)
        let isNumeric = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        if !isNumeric { _ = library.setServerName(session, GnuTLS.dnsName, host, host.utf8.count) }
        if trust != .anyServer { library.setVerification(session, verifiedName, 0) }
        library.setTransport(session, socket.descriptor, socket.descriptor)
        var result = library.handshake(session)
        // Warnings are no failures.
        while result < 0, try isToBeContinued(result, limit) { result = library.handshake(session) }
    }

    deinit {
        library.finish(session)
        free(verifiedName)
    }

    func receive(into room: UnsafeMutableRawBufferPointer, _ limit: WaitLimit) throws(ServerFault) -> Int {
        while true {
            try limit.check()
            let got = library.receive(session, room.baseAddress, room.count)
            if got >= 0 { return got }
            // Many servers end so.
            if got == GnuTLS.prematureTermination { return 0 }
            _ = try isToBeContinued(Int32(got), limit)
        }
    }

    func send(_ bytes: [UInt8], _ limit: WaitLimit) throws(ServerFault) {
        var done = 0
        while done < bytes.count {
            try limit.check()
            let sent = bytes[done...].withUnsafeBytes { library.send(session, $0.baseAddress, $0.count) }
            if sent < 0 { _ = try isToBeContinued(Int32(sent), limit) } else { done += sent }
        }
    }

    /// Waits where GnuTLS wants more from the network; always true.
    private func isToBeContinued(_ result: Int32, _ limit: WaitLimit) throws(ServerFault) -> Bool {
        switch result {
        case GnuTLS.again:
            let isSending = library.direction(session) != 0
            try ServerSocket.wait(socket.descriptor, for: isSending ? POLLOUT : POLLIN, limit)
        case _ where library.isFatal(result) == 0: try limit.check()
        case GnuTLS.verificationError:
            throw .untrusted(host: host, reason: Self.reason(library.verificationStatus(session)))
        default:
            throw .unreachable("no encrypted connection: \(String(cString: library.words(result)))")
        }
        return true
    }

    /// The first one that holds: GnuTLS does not compare the name where no authority is known.
    ///
    /// Source: GnuTLS 3.7, gnutls.h, gnutls_certificate_status_t.
    private static func reason(_ status: UInt32) -> String {
        let reasons: [(bit: UInt32, text: String)] = [
            (5, "its authority has revoked it"), (10, "it has expired"), (9, "it is not valid yet"),
            (6, "no authority that is trusted here has signed it"), (7, "no authority has signed it"),
            (8, "it is signed by a method that is no longer secure"), (14, "it is for another name"),
            (18, "it is not for servers"),
        ]
        return reasons.first { status & (1 << $0.bit) != 0 }?.text ?? "it could not be verified"
    }
}

/// Which authorities are trusted; read once, because the system's list has more than a hundred.
private final class TLSCredentials: Sendable {
    // Written to by its initializer only; GnuTLS's sessions of any thread read it.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let library: GnuTLS

    private static let known = Mutex<[ServerTrust: TLSCredentials]>([:])

    static func shared(for trust: ServerTrust, _ library: GnuTLS) throws(ServerFault) -> TLSCredentials {
        try known.withLock { (known) throws(ServerFault) in
            if let credentials = known[trust] { return credentials }
            let credentials = try TLSCredentials(trust, library)
            known[trust] = credentials
            return credentials
        }
    }

    private init(_ trust: ServerTrust, _ library: GnuTLS) throws(ServerFault) {
        var made: OpaquePointer?
        guard library.makeCredentials(&made) == 0, let made else { throw .notReady("there is no memory for it") }
        (pointer, self.library) = (made, library)
        switch trust {
        case .anyServer: break
        case .systemAuthorities:
            guard library.trustSystem(made) > 0 else {
                throw .notReady(
                    "this system has no list of trusted authorities; install the package ca-certificates")
            }
        case .authorities(let path):
            guard library.trustFile(made, path, GnuTLS.pem) > 0 else {
                throw .notReady(
                    "SSL_CERT_FILE is \(path.quoted), which is not a readable file of certificates (PEM); correct it or unset it"
                )
            }
        }
    }

    deinit { library.freeCredentials(pointer) }
}

/// The functions of GnuTLS, looked up by name: the headers are not needed to build, nor the library to play files.
///
/// Source: GnuTLS 3.7, gnutls/gnutls.h; the library's version 30 has had all of them since GnuTLS 3.4.6.
private struct GnuTLS: Sendable {
    typealias Session = OpaquePointer
    typealias Credentials = OpaquePointer

    static let shared = try? GnuTLS()

    // GNUTLS_CLIENT, GNUTLS_NONBLOCK and GNUTLS_NO_SIGNAL.
    static let clientFlags: UInt32 = 1 << 1 | 1 << 3 | 1 << 6
    static let certificateCredentials: Int32 = 1
    static let dnsName: Int32 = 1
    static let pem: Int32 = 1
    static let again: Int32 = -28
    static let prematureTermination = -110
    static let verificationError: Int32 = -348

    let initialize: @Sendable @convention(c) (UnsafeMutablePointer<Session?>, UInt32) -> Int32
    let finish: @Sendable @convention(c) (Session) -> Void
    let setDefaultPriority: @Sendable @convention(c) (Session) -> Int32
    let setCredentials: @Sendable @convention(c) (Session, Int32, Credentials) -> Int32
    let setServerName: @Sendable @convention(c) (Session, Int32, UnsafePointer<CChar>, Int) -> Int32
    let setVerification: @Sendable @convention(c) (Session, UnsafePointer<CChar>, UInt32) -> Void
    let verificationStatus: @Sendable @convention(c) (Session) -> UInt32
    let setTransport: @Sendable @convention(c) (Session, Int32, Int32) -> Void
    let handshake: @Sendable @convention(c) (Session) -> Int32
    let send: @Sendable @convention(c) (Session, UnsafeRawPointer?, Int) -> Int
    let receive: @Sendable @convention(c) (Session, UnsafeMutableRawPointer?, Int) -> Int
    let direction: @Sendable @convention(c) (Session) -> Int32
    let isFatal: @Sendable @convention(c) (Int32) -> Int32
    let words: @Sendable @convention(c) (Int32) -> UnsafePointer<CChar>
    let makeCredentials: @Sendable @convention(c) (UnsafeMutablePointer<Credentials?>) -> Int32
    let freeCredentials: @Sendable @convention(c) (Credentials) -> Void
    let trustSystem: @Sendable @convention(c) (Credentials) -> Int32
    let trustFile: @Sendable @convention(c) (Credentials, UnsafePointer<CChar>, Int32) -> Int32

    private struct Missing: Error {}

    private init() throws {
        guard let library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
        func find<Function>(_ name: String) throws -> Function {
            guard let symbol = dlsym(library, "gnutls_" + name) else { throw Missing() }
            return unsafeBitCast(symbol, to: Function.self)
        }
        initialize = try find("init")
        finish = try find("deinit")
        setDefaultPriority = try find("set_default_priority")
        setCredentials = try find("credentials_set")
        setServerName = try find("server_name_set")
        setVerification = try find("session_set_verify_cert")
        verificationStatus = try find("session_get_verify_cert_status")
        setTransport = try find("transport_set_int2")
        handshake = try find("handshake")
        send = try find("record_send")
        receive = try find("record_recv")
        direction = try find("record_get_direction")
        isFatal = try find("error_is_fatal")
        words = try find("strerror")
        makeCredentials = try find("certificate_allocate_credentials")
        freeCredentials = try find("certificate_free_credentials")
        trustSystem = try find("certificate_set_x509_system_trust")
        trustFile = try find("certificate_set_x509_trust_file")
    }
}
