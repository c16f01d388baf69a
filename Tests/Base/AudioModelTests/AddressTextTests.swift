import Testing

@testable import AudioModel

@Suite struct AddressTextTests {
    @Test(arguments: [
        ("https://user:secret@example.org/a/x.mp3?token=t#now", "https://example.org/a/x.mp3"),
        ("HTTP://user@example.org:8000", "HTTP://example.org:8000"),
        ("http://a@b@example.org/p@q", "http://example.org/p@q"),
        ("http://example.org?user@x", "http://example.org"),
        ("http://example.org/a b", "http://example.org/a b"),
        ("/music/what?.flac", "/music/what?.flac"),
        ("song #1 at http://x/?y", "song #1 at http://x/?y"),
        ("", ""),
    ])
    func addresses_loseWhatMayBeSecret(_ text: String, _ shown: String) {
        #expect(text.withoutAddressSecrets == shown)
    }

    @Test func passwordAlone_isTaken_whereTheQueryTellsWhichSoundItIs() {
        #expect("http://u:p@h/x?id=1".withoutAddressPassword == "http://h/x?id=1")
        #expect("ftp://u:p@h".withoutAddressPassword == "ftp://h")
    }
}
