/// The APEv2 tag behind an MP3 file, as mp3gain and foobar2000 write it; an ID3v1 tag may follow it.
///
/// Source: APEv2 specification, "APE Tags Header" and "APE Tag Item" (wiki.hydrogenaudio.org).
package enum APETag {
    /// Longer tags have no texts, in bytes.
    private static let longest = 1 << 20

    /// The keys in capitals, in their order; none for other files.
    package static func texts(in file: borrowing RegularFile) -> [(key: String, value: String)] {
        for end in [file.byteCount, file.byteCount - 128] {
            var footer = ByteReader(file.bytes(at: end - 32, count: 32)[...])
            guard footer.take(8)?.elementsEqual("APETAGEX".utf8) == true, footer.littleEndian() == 2000,
                let length = footer.littleEndian(), let count = footer.littleEndian(), length <= longest
            else { continue }
            return texts(in: ByteReader(file.bytes(at: end - Int64(length), count: length - 32)[...]), of: count)
        }
        return []
    }

    private static func texts(in items: ByteReader, of count: Int) -> [(key: String, value: String)] {
        var (rest, texts): (ByteReader, [(String, String)]) = (items, [])
        for _ in 0..<min(count, longest) {
            guard let length = rest.littleEndian(), let flags = rest.littleEndian(), let key = rest.text(unit: 1),
                let value = rest.take(length)
            else { break }
            // A list of texts has zeros in between; data and links have a kind of their own.
            guard flags & 6 == 0, let first = value.split(separator: 0).first else { continue }
            texts.append((String(decoding: key, as: UTF8.self).uppercased(), String(decoding: first, as: UTF8.self)))
        }
        return texts
    }
}

extension TrackTags {
    /// Fills what an MP3 file's other tags do not have.
    mutating func addTexts(ofAPE file: borrowing RegularFile) {
        let found = Dictionary(APETag.texts(in: file)) { first, _ in first }
        for text in Self.texts where self[keyPath: text.path] == nil {
            self[keyPath: text.path] = text.ape.flatMap { found[$0] }
        }
    }
}
