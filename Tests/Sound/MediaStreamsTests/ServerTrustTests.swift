import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaStreams

/// Who may answer at an https address, and where a redirection may lead.
@Suite
struct ServerTrustTests {
    private let directory: TemporaryDirectory
    private let sound: (bytes: [UInt8], frames: [Float])
    private let trust: ServerTrust

    init() throws {
        directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: 0.5, in: directory)
        sound = (
            [UInt8](try Data(contentsOf: URL(filePath: path))),
            try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        )
        let authority = try TestFile.write(bytes: TestCertificate.authority.utf8, named: "authority.pem", in: directory)
        trust = .authorities(path: authority)
    }

    private func server(
        _ certificate: TestCertificate? = nil, redirectsTo location: String? = nil
    ) throws -> HTTPServer {
        try HTTPServer(
            body: sound.bytes, certificate: certificate,
            answers: location.map { [.redirection(to: $0), .redirection(to: $0)] } ?? [])
    }

    /// nil: it played as the file does.
    private func refusal(_ address: String, _ trust: ServerTrust? = nil) throws -> AudioFileError? {
        do {
            let reader = try AudioFileReader(location: address, outputSampleRate: nil, trust: trust ?? self.trust)
            #expect(try reader.readStream() == sound.frames)
            return nil
        } catch let error as AudioFileError {
            return error
        }
    }

    @Test func certificateOfATrustedAuthority_isAccepted_byNameAndByNumber() throws {
        let server = try server(.valid)
        defer { server.stop() }
        #expect(try refusal(server.address) == nil)
        #expect(try refusal("https://localhost:\(server.port)/sound") == nil)
    }

    @Test(arguments: [(TestCertificate.expired, "expired"), (.forAnotherName, "name")])
    func certificateThatIsNotValid_isRefused_withHostReasonAndOption(
        certificate: TestCertificate, reason: String
    ) throws {
        let server = try server(certificate)
        defer { server.stop() }
        let error = try #require(try refusal(server.address))
        #expect(error.kind == .unreachable)
        for part in ["the certificate of \"127.0.0.1\" is not valid: ", reason, "--insecure", "SSL_CERT_FILE"] {
            #expect(error.message.contains(part), "\(error.message)")
        }
        #expect(server.log.entries.isEmpty, "a request was sent")
        #expect(try refusal(server.address, .anyServer) == nil)
    }

    @Test func certificateOfAnUnknownAuthority_isRefused_byTheSystemsList() throws {
        let server = try server(.valid)
        defer { server.stop() }
        let error = try #require(try refusal(server.address, .systemAuthorities))
        #expect(error.message.contains("the certificate of \"127.0.0.1\" is not valid"), "\(error.message)")
        #expect(server.log.entries.isEmpty, "a request was sent")
    }

    @Test func authorities_areThoseOfTheEnvironment() throws {
        #expect(ServerTrust(environment: [:]) == .systemAuthorities)
        #expect(ServerTrust(environment: ["SSL_CERT_FILE": ""]) == .systemAuthorities)
        #expect(ServerTrust(environment: ["SSL_CERT_FILE": "/a.pem"]) == .authorities(path: "/a.pem"))
        let error = try #require(try refusal("https://127.0.0.1:1/", .authorities(path: directory.path("none.pem"))))
        #expect(error.kind == .unreachable)
        let server = try server(.valid)
        defer { server.stop() }
        let missing = try #require(try refusal(server.address, .authorities(path: directory.path("none.pem"))))
        #expect(missing.message.contains("SSL_CERT_FILE is \"\(directory.path("none.pem"))\""), "\(missing.message)")
    }

    @Test func redirection_toHTTPSAndWithinAScheme_isFollowed() throws {
        let secure = try server(.valid)
        let plain = try server()
        defer { for server in [secure, plain] { server.stop() } }
        for target in [secure, plain] {
            let first = try server(redirectsTo: target.address)
            defer { first.stop() }
            #expect(try refusal(first.address) == nil)
        }
        let first = try server(.valid, redirectsTo: secure.address)
        defer { first.stop() }
        #expect(try refusal(first.address) == nil)
    }

    /// https, http, https: what comes last is authentic, but who is in between chooses it.
    @Test(arguments: [1, 2, 3])
    func redirectionFromHTTPSToHTTP_isRefused_beforeTheRequest(plainServers: Int) throws {
        let last = try server(.valid)
        var servers = [last]
        defer { for server in servers { server.stop() } }
        for _ in 0..<plainServers { servers.append(try server(redirectsTo: servers[servers.count - 1].address)) }
        let first = try server(.valid, redirectsTo: servers[servers.count - 1].address)
        servers.append(first)
        let error = try #require(try refusal(first.address))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("redirects from https to http"), "\(error.message)")
        #expect(error.message.contains("--insecure"), "\(error.message)")
        #expect(servers.dropLast().allSatisfy { $0.log.entries.isEmpty }, "a request was sent")
        #expect(try refusal(first.address, .anyServer) == nil)
    }

    @Test func redirectionToHTTPSAndBackToHTTP_isRefused_beforeTheRequest() throws {
        let plain = try server()
        let secure = try server(.valid, redirectsTo: plain.address)
        let first = try server(redirectsTo: secure.address)
        defer { for server in [plain, secure, first] { server.stop() } }
        #expect(try refusal(first.address)?.message.contains("redirects from https to http") == true)
        #expect(plain.log.entries.isEmpty, "a request was sent")
        #expect(try refusal(first.address, .anyServer) == nil)
    }

    /// Someone else has chosen the name and the password.
    @Test func redirectionWithAPassword_isRefused() throws {
        let other = try HTTPServer(body: sound.bytes, answers: [Self.wantsPassword])
        let first = try server(redirectsTo: withPassword(other))
        defer { for server in [other, first] { server.stop() } }
        let error = try #require(try refusal(first.address))
        #expect(error.message.contains("redirects to an address that is not followed"), "\(error.message)")
        #expect(other.log.entries.isEmpty, "a request was sent")
    }

    /// The connection ends without TLS's own end.
    @Test func soundWithoutALength_overHTTPS_playsToItsEnd() throws {
        let server = try HTTPServer(.whole, body: sound.bytes, certificate: .valid)
        defer { server.stop() }
        #expect(try refusal(server.address) == nil)
    }

    @Test func redirectionToHTTPSOfAnUnknownServer_isRefused() throws {
        let bad = try server(.expired)
        defer { bad.stop() }
        let first = try server(redirectsTo: bad.address)
        defer { first.stop() }
        #expect(try refusal(first.address)?.message.contains("expired") == true)
    }

    @Test(arguments: [
        "file:///etc/passwd", "concat:/etc/passwd", "ftp://127.0.0.1/a", "data:audio/wav;base64,AAAA", "",
    ])
    func redirectionToAnotherProtocol_isRefused(location: String) throws {
        let first = try server(redirectsTo: location)
        defer { first.stop() }
        let error = try #require(try refusal(first.address))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("redirects"), "\(error.message)")
    }

    @Test func redirectionToItself_ends() throws {
        let answer = HTTPServer.Answer.redirection(to: "/sound")
        let server = try HTTPServer(body: [], answers: Array(repeating: answer, count: 20))
        defer { server.stop() }
        #expect(try refusal(server.address)?.message.contains("redirects too often") == true)
        #expect(server.log.entries.count == 9)
    }

    // MARK: Names and passwords

    private static let wantsPassword = HTTPServer.Answer(
        status: 401, headers: ["WWW-Authenticate: Basic realm=\"sounds\""])

    private func withPassword(_ server: HTTPServer) -> String {
        server.address.replacingOccurrences(of: "://", with: "://user:secret@")
    }

    @Test func password_isSent_whereTheServerAsks() throws {
        let server = try HTTPServer(body: sound.bytes, certificate: .valid, answers: [Self.wantsPassword])
        defer { server.stop() }
        #expect(try refusal(withPassword(server)) == nil)
        #expect(server.log.entries.prefix(2) == ["GET 0", "GET 0 with a password"])
    }

    @Test func password_goesAlong_toAnotherPathOfItsServer() throws {
        let server = try HTTPServer(
            body: sound.bytes, answers: [.redirection(to: "/a"), .redirection(to: "/b"), Self.wantsPassword])
        defer { server.stop() }
        #expect(try refusal(withPassword(server)) == nil)
        #expect(server.log.entries.prefix(4) == ["GET 0", "GET 0", "GET 0", "GET 0 with a password"])
    }

    @Test func password_staysWithItsServer_whileAnotherAsks() throws {
        let other = try HTTPServer(body: sound.bytes, certificate: .valid, answers: [Self.wantsPassword])
        defer { other.stop() }
        let first = try server(.valid, redirectsTo: other.address)
        defer { first.stop() }
        let error = try #require(try refusal(withPassword(first)))
        #expect(error.kind == .notReadable)
        #expect(!error.message.contains("secret"))
        #expect(other.log.entries == ["GET 0"])
    }

    @Test func password_isNotSentOverHTTP_afterARedirection() throws {
        // The refused redirection makes a connection, and sends nothing.
        let plain = try HTTPServer(body: sound.bytes, answers: [Self.wantsPassword, Self.wantsPassword])
        defer { plain.stop() }
        let first = try server(.valid, redirectsTo: plain.address)
        defer { first.stop() }
        #expect(try refusal(withPassword(first)) != nil)
        #expect(plain.log.entries.isEmpty)
        // Not even where the redirection is allowed.
        #expect(try refusal(withPassword(first), .anyServer)?.kind == .notReadable)
        #expect(plain.log.entries == ["GET 0"])
    }

    // MARK: Proxies

    /// Of the environment, which only a process of its own can change.
    @Test func proxy_isThatOfTheUser_unlessTheHostIsAnException() async {
        await #expect(processExitsWith: .success) {
            let server = try HTTPServer(.whole, body: Array("#EXTM3U".utf8))
            setenv("http_proxy", "http://user:secret@127.0.0.1:\(server.port)", 1)
            func read() -> ServerPlaylist? {
                try? ServerPlaylist.read("http://127.0.0.1:1/", trust: .systemAuthorities, cancellation: Cancellation())
            }
            precondition(read()?.bytes == Array("#EXTM3U".utf8))
            setenv("no_proxy", "localhost, 127.0.0.1", 1)
            precondition(read() == nil, "asked the proxy")
            precondition(server.log.entries.filter { $0 != "closed" } == ["GET 0"])
        }
    }
}
