import Testing

@testable import MediaStreams

/// The parts of HTTP that need no server.
struct HTTPTests {
    @Test func address_hasItsParts() throws {
        let address = try #require(HTTPAddress("HTTPS://us%20er:pass@Example.org:8443/a%20b?c=d#e"))
        #expect((address.scheme, address.host, address.port) == (.https, "example.org", 8443))
        #expect(address.target == "/a%20b?c=d")
        #expect(address.credentials == HTTPAddress.Credentials(user: "us er", password: "pass"))
        #expect(address.text == "https://example.org:8443/a%20b?c=d")
        #expect(HTTPAddress("http://[::1]:80")?.text == "http://[::1]/")
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

    @Test func head_hasStatusAndFields() {
        let head = HTTPHead(status: 206, fields: [("Content-Range", "bytes 5-9/10"), ("CONTENT-LENGTH", "5")])
        #expect(head.status == 206)
        #expect(head.contentRange?.first == 5)
        #expect(head.contentRange?.size == 10)
        #expect(head.contentLength == 5)
        #expect(!head.isStation)
        #expect(HTTPHead(status: 200, fields: [], isShoutcast: true).isStation)
        #expect(HTTPHead(status: 200, fields: [("Icy-Name", "a")]).isStation)
    }

    @Test(arguments: ["-1", "+1", "1 2", "99999999999999999999", "0x10", ""])
    func length_whileItIsNoNumber_isNone(text: String) {
        #expect(HTTPHead(status: 200, fields: [("Content-Length", text)]).contentLength == nil)
    }
}
