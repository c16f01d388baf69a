/// The ID3 tags before the sound of an MP3 file, or in a chunk of a WAV or AIFF file.
///
/// Source: ID3v2.2.0, ID3v2.3.0 and ID3v2.4.0 with their frames (id3.org).
package struct ID3Tag {
    private let version: UInt8
    private let flags: UInt8
    private let body: [UInt8]

    /// A frame without what stands before its contents.
    package struct Frame {
        package let version: UInt8
        package let name: String
        package var contents: ByteReader
    }

    /// Where the tag of an MP3, WAV or AIFF file begins; nil for the others.
    package static func start(in file: borrowing RegularFile) -> Int64? {
        func chunk(bigEndian: Bool) -> Int64? {
            file.firstChunk(bigEndian: bigEndian, among: 1000) { $0.name.lowercased() == "id3 " }?.offset
        }
        return switch file.bytes(at: 0, count: 4) {
        case let start where start.starts(with: "ID3".utf8): 0
        case Array("RIFF".utf8): chunk(bigEndian: false)
        case Array("FORM".utf8): chunk(bigEndian: true)
        default: nil
        }
    }

    /// The frames of all tags that follow one another from `start` on.
    ///
    /// - Parameters:
    ///   - names: in every version.
    ///   - limit: longer tags, in bytes together, have none.
    package static func frames(
        named names: Set<String>, in file: borrowing RegularFile, at start: Int64, limit: Int64
    ) -> [Frame] {
        var (frames, end): ([Frame], Int64) = ([], start)
        while case let header = file.bytes(at: end, count: 10), let length = length(header: header[...]) {
            let tag = end + 10
            end += length.whole
            guard end - start <= limit else { return [] }
            frames += ID3Tag(version: header[3], flags: header[5], body: file.bytes(at: tag, count: length.body))
                .frames(named: names)
        }
        return frames
    }

    /// In bytes, of a tag that begins with these ten: all of it, and what stands between them and its footer; nil where no tag
    /// begins.
    static func length(header: ArraySlice<UInt8>) -> (whole: Int64, body: Int)? {
        guard header.count == 10, header.starts(with: "ID3".utf8) else { return nil }
        let body = header.dropFirst(6).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        // Some tags of version 4 have a footer.
        return (10 + Int64(body) + (header[header.startIndex + 5] & 0x10 != 0 ? 10 : 0), body)
    }

    private func frames(named names: Set<String>) -> [Frame] {
        // In version 2, 0x40 is compression.
        guard (2...4).contains(version), version > 2 || flags & 0x40 == 0 else { return [] }
        var rest = ByteReader(flags & 0x80 != 0 && version < 4 ? Self.withoutFill(body[...]) : body[...])
        if flags & 0x40 != 0 {
            // In version 4, the length counts its own four bytes.
            guard let length = rest.number(4, version == 4 ? 7 : 8), rest.take(length - (version == 4 ? 4 : 0)) != nil
            else { return [] }
        }
        return Self.frames(named: names, in: rest, version: version, isFilled: version == 4 && flags & 0x80 != 0)
    }

    /// The frames in a tag, or in a frame that has others.
    ///
    /// - Parameter isFilled: each frame has a zero behind each 0xFF.
    package static func frames(
        named names: Set<String>, in bytes: ByteReader, version: UInt8, isFilled: Bool = false
    ) -> [Frame] {
        var rest = bytes
        let (letters, bitsPerByte) = (version == 2 ? 3 : 4, version == 4 ? 7 : 8)
        var frames: [Frame] = []
        // Behind the frames are zeros.
        while let name = rest.take(letters), name.first != 0, let length = rest.number(letters, bitsPerByte),
            let flags = version == 2 ? 0 : rest.number(2), let frame = rest.take(length)
        {
            let name = String(decoding: name, as: UTF8.self)
            guard names.contains(name) else { continue }
            let (packed, group) = version == 4 ? (0x0C, 0x40) : (0xC0, 0x20)
            guard flags & packed == 0 else { continue }
            let hasFill = version == 4 && (flags & 0x02 != 0 || isFilled)
            let hasLength = version == 4 && flags & 0x01 != 0
            var contents = ByteReader(hasFill ? withoutFill(frame) : frame)
            guard contents.take((flags & group != 0 ? 1 : 0) + (hasLength ? 4 : 0)) != nil else { continue }
            frames.append(Frame(version: version, name: name, contents: contents))
        }
        return frames
    }

    /// Without the zero that was put behind each 0xFF.
    private static func withoutFill(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (result, before): ([UInt8], UInt8) = ([], 0)
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte != 0 || before != 0xFF { result.append(byte) }
            before = byte
        }
        return result[...]
    }
}

extension ID3Tag.Frame {
    /// Of a frame of text: the first one.
    package var text: String? {
        var rest = contents
        return rest.number(1).map { rest.lastID3Text(encoding: $0) }
    }
}

/// The texts in a frame of ID3; its first byte is their encoding.
extension ByteReader {
    /// Up to a zero, which is read too.
    package mutating func id3Text(encoding: Int) -> String? {
        text(unit: encoding == 1 || encoding == 2 ? 2 : 1).map { String(id3: $0, encoding: encoding) }
    }

    /// Up to a zero, or to the end where there is none.
    package mutating func lastID3Text(encoding: Int) -> String {
        id3Text(encoding: encoding) ?? String(id3: bytes, encoding: encoding)
    }
}

extension TrackTags {
    /// The texts that an MP3 file's ID3 tag has.
    mutating func setTexts(ofID3 file: borrowing RegularFile) {
        guard let start = ID3Tag.start(in: file) else { return }
        let all = Self.texts.reduce(into: Set<String>()) { $0.formUnion($1.id3) }
        let frames = ID3Tag.frames(named: all, in: file, at: start, limit: 16 << 20)
        for text in Self.texts {
            let found = frames.first { text.id3.contains($0.name) }?.text
            if let found, !found.isEmpty { self[keyPath: text.path] = found }
        }
    }
}

extension String {
    fileprivate init(id3 bytes: ArraySlice<UInt8>, encoding: Int) {
        switch encoding {
        case 0: self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case 1, 2: self.init(utf16: bytes, isBigEndian: encoding == 2)
        default: self.init(decoding: bytes, as: UTF8.self)
        }
    }

    /// - Parameter isBigEndian: where no mark says the order.
    package init(utf16 bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        let hasMark = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let isBig = hasMark ? bytes.first == 0xFE : isBigEndian
        let rest = Array(hasMark ? bytes.dropFirst(2) : bytes)
        let units = stride(from: 0, to: rest.count - 1, by: 2).map { index in
            UInt16(rest.integer(at: index, bytes: 2, bigEndian: isBig))
        }
        self.init(decoding: units, as: UTF16.self)
    }
}
