/// The stream of a speech provider (Spiel): samples of 16 bits of one channel, with the starts of words between them.
///
/// Source: libspeechprovider 1.0, speech-provider-common.h and org.freedesktop.Speech.Provider.xml.
package struct SpeechStream: Hashable, Sendable {
    /// The format in which a voice sends its sound.
    package struct Format: Hashable, Sendable {
        package var sampleRate: Int
        /// Whether the stream has chunks with events; otherwise it has samples only.
        package var hasEvents: Bool

        /// - Parameter text: the provider's name of the format, "audio/x-spiel,format=S16LE,channels=1,rate=22050".
        /// - Returns: nil for another format.
        package init?(_ text: String) {
            let fields = text.prefix(200).split(separator: ",").map { $0.filter { $0 != " " } }
            guard let type = fields.first, ["audio/x-raw", "audio/x-spiel"].contains(type) else { return nil }
            func value(_ name: String) -> String? {
                fields.first { $0.hasPrefix(name + "=") }.map { field in
                    // GStreamer also writes the type: rate=(int)22050.
                    String(field.dropFirst(name.count + 1).split(separator: ")").last ?? "")
                }
            }
            guard value("format") == "S16LE", value("channels") == "1", let rate = value("rate").flatMap({ Int($0) }),
                (8_000...192_000).contains(rate)
            else { return nil }
            (sampleRate, hasEvents) = (rate, type == "audio/x-spiel")
        }
    }

    package struct Word: Hashable, Sendable {
        /// The start of the word in the sent text, in Unicode scalars.
        package var textStart: Int
        package var frame: Int
    }

    /// The samples, little-endian.
    package private(set) var samples: [UInt8] = []
    /// The words in the order in which they arrived.
    package private(set) var words: [Word] = []

    /// - Parameters:
    ///   - bytes: the whole stream; of a truncated stream, the part that exists is used.
    ///   - format: the format of the voice.
    /// - Returns: nil if the stream does not have this format.
    package init?(_ bytes: [UInt8], _ format: Format) {
        if format.hasEvents {
            guard bytes.starts(with: Array("0.01".utf8)) else { return nil }
            guard readChunks(bytes.dropFirst(4)) else { return nil }
        } else {
            samples = bytes
        }
        samples.removeLast(samples.count % 2)
    }

    private mutating func readChunks(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        func number() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while let kind = rest.popFirst() {
            switch kind {
            case 1:
                guard let size = number() else { return true }
                samples += rest.prefix(size)
                rest = rest.dropFirst(size)
            case 2:
                guard let event = rest.popFirst(), let start = number(), number() != nil, let nameSize = number() else {
                    return true
                }
                // 1 is a word; sentences, ranges and marks are ignored.
                if event == 1 { words.append(Word(textStart: start, frame: samples.count / 2)) }
                rest = rest.dropFirst(nameSize)
            default: return false
            }
        }
        return true
    }
}
