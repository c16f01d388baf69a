import Testing

@testable import AudioFiles

/// The parts of HTTP that need no server.
struct HTTPTests {
    @Test func address_hasItsParts() throws {
        let address = try #require(HTTPAddress("HTTPS://us%20er:pass@Example.org:8443/a%20b?c=d#e"))
        #expect((address.scheme, address.host, address.port) == (.https, "example.org", 8443))
        #expect(address.target == "/a%20b?c=d")
        #expect(address.credentials == HTTPAddress.Credentials(user: "us er", password: "pass"))
        #expect(address.text == "https://example.org:8443/a%20b?c=d")
        #expect(HTTPAddress("http://[::1]:80")?.text == "http://[::1]/")
        #expect(
            HTTPAddress.Credentials(user: "Aladdin", password: "open sesame").basic
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func address_whileItHasOtherCharacters_isEncoded() {
        #expect(HTTPAddress("http://a/b c\r\nX: y")?.target == "/b%20c%0D%0AX:%20y")
        #expect(HTTPAddress("http://a/ü")?.target == "/%C3%BC")
    }

    @Test(arguments: [
        ("b c%20d%C3%BC", "/b%20c%20d%C3%BC"), ("100% ü", "/100%25%20%C3%BC"), ("a%2", "/a%252"),
        ("[b] %5B", "/%5Bb%5D%20%5B"), ("b?c=d e%20f", "/b?c=d%20e%20f"),
    ])
    func address_whileSomeOfItIsEncoded_isNotEncodedAgain(text: String, target: String) {
        #expect(HTTPAddress("http://a/\(text)")?.target == target)
        #expect(HTTPAddress("http://a/")?.redirected(to: text)?.target == target)
        #expect(HTTPAddress("http://a/")?.redirected(to: "//a/\(text)")?.target == target)
    }

    @Test(arguments: [
        "", "http://", "http:///a", "http:a", "ftp://a/", "http://a:0/", "http://a:99999/", "http://a b/",
    ])
    func address_whileItIsIncomplete_isNone(text: String) { #expect(HTTPAddress(text) == nil) }

    @Test(
        arguments: [
            ("http://u:p@a/b/c", "d", "http://a/b/d", true), ("http://u:p@a/b/c", "/d?e", "http://a/d?e", true),
            ("http://u:p@a/b", "?e", "http://a/b?e", true), ("http://u:p@a/b/c", "../d", "http://a/d", true),
            ("http://u:p@a/", "//a/d", "http://a/d", true), ("http://u:p@a/", "//b/d", "http://b/d", false),
            ("http://u:p@a/", "http://A:80/d", "http://a/d", true),
            ("http://u:p@a/", "http://a:81/d", "http://a:81/d", false),
            ("http://u:p@a/", "https://a/d", "https://a/d", true),
            ("https://u:p@a/", "http://a/d", "http://a/d", false),
            ("http://u:p@a:81/", "https://a/d", "https://a/d", false),
            ("http://u:p@a/", "http://x:y@a.b/", "http://a.b/", false),
            ("http://u:p@a/", "http://u:p@a@b/", nil, false), ("http://u:p@a/", "http://a\\@b/", nil, false),
        ] as [(String, String, String?, Bool)])
    func redirection_isRelative_andKeepsThePasswordForItsServer(
        base: String, location: String, expected: String?, hasPassword: Bool
    ) throws {
        let next = try #require(HTTPAddress(base)).redirected(to: location)
        #expect((next?.credentials != nil) == hasPassword)
        // What two programs may read as two hosts goes to neither with a password.
        if let expected { #expect(next?.text == expected) }
    }

    @Test func proxy_isThatOfTheUser_unlessTheHostIsAnException() throws {
        let address = try #require(HTTPAddress("https://www.example.org/"))
        let environment = ["http_proxy": "http://u:p@proxy:3128"]
        let proxy = try #require(HTTPProxy(for: address, environment: environment))
        #expect(proxy.address.endpoint == "proxy:3128")
        #expect(proxy.authorization == "Proxy-Authorization: Basic dTpw\r\n")
        for exceptions in ["*", "localhost, .example.org", "www.example.org"] {
            let both = environment.merging(["no_proxy": exceptions]) { $1 }
            #expect(HTTPProxy(for: address, environment: both) == nil)
        }
        #expect(HTTPProxy(for: address, environment: environment.merging(["no_proxy": "ample.org"]) { $1 }) != nil)
        #expect(HTTPProxy(for: address, environment: [:]) == nil)
        #expect(HTTPProxy(for: address, environment: ["http_proxy": "socks://a"]) == nil)
    }

    @Test func head_hasStatusAndFields() throws {
        let text = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/10\r\nCONTENT-LENGTH:5\r\n\r\n"
        let head = try #require(HTTPHead(text.utf8))
        #expect((head.status, head.phrase) == (206, "Partial Content"))
        #expect(head.contentRange?.first == 5)
        #expect(head.contentRange?.size == 10)
        #expect(head.contentLength == 5)
        #expect(!head.isStation)
        #expect(try #require(HTTPHead("ICY 200 OK\r\n\r\n".utf8)).isStation)
        #expect(try #require(HTTPHead("HTTP/1.0 200\nicy-name: a\n\n".utf8)).isStation)
    }

    @Test(arguments: [
        "", "\r\n", "HTTP/2 200 OK", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 2000", "SSH-2.0",
    ])
    func head_whileItIsNoAnswer_isNone(text: String) { #expect(HTTPHead(text.utf8) == nil) }

    @Test(arguments: ["-1", "+1", "1 2", "99999999999999999999", "0x10", ""])
    func length_whileItIsNoNumber_isNone(text: String) {
        #expect(HTTPHead("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\n".utf8)?.contentLength == nil)
    }
}
