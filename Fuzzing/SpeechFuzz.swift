import OpenSpeech

/// What a speech provider sends is never more than it has sent, and what is cut off is the beginning of the whole.
enum SpeechFuzz {
    static func run(_ bytes: [UInt8]) {
        _ = SpeechStream.Format(String(decoding: bytes.prefix(100), as: UTF8.self))
        guard let format = SpeechStream.Format("audio/x-spiel,format=S16LE,channels=1,rate=22050"),
            let cut = bytes.first, let whole = SpeechStream(Array("0.01".utf8) + bytes.dropFirst(), format)
        else { return }
        require(whole.samples.count <= bytes.count && whole.samples.count % 2 == 0, "more sound than was sent")
        require(whole.words.allSatisfy { $0.frame * 2 <= whole.samples.count + 1 }, "a word after the sound")
        let part = Array(bytes.dropFirst().prefix(Int(cut)))
        guard let begun = SpeechStream(Array("0.01".utf8) + part, format) else {
            fatalError("the beginning is refused")
        }
        require(whole.samples.starts(with: begun.samples), "the sound depends on what comes after it")
        require(whole.words.starts(with: begun.words), "the words depend on what comes after them")
    }
}
