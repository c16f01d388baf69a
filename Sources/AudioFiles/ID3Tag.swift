/// The ID3 tags before the sound of an MP3 file, or in a chunk of a WAV or AIFF file.
///
/// Source: ID3v2.2.0, ID3v2.3.0 and ID3v2.4.0 with their frames (id3.org).
struct ID3Tag {
    private let version: UInt8
    private let flags: UInt8
    private let body: [UInt8]

    /// The pictures of all tags that follow one another from `start` on.
    ///
    /// - Parameter limit: longer tags, in bytes together, have none.
    static func pictures(in file: borrowing RegularFile, at start: Int64, limit: Int64) -> [TrackArtwork.Picture] {
        var (pictures, end): ([TrackArtwork.Picture], Int64) = ([], start)
        while case let header = file.bytes(at: end, count: 10), header.count == 10, header.starts(with: "ID3".utf8) {
            let length = Int(header[6...].reduce(0) { $0 << 7 | Int64($1 & 0x7F) })
            let tag = end + 10
            // Some tags of version 4 have a footer.
            end = tag + Int64(length) + (header[5] & 0x10 != 0 ? 10 : 0)
            guard end - start <= limit else { return [] }
            pictures += ID3Tag(version: header[3], flags: header[5], body: file.bytes(at: tag, count: length)).pictures
        }
        return pictures
    }

    private var pictures: [TrackArtwork.Picture] {
        // In version 2, 0x40 is compression.
        guard (2...4).contains(version), version > 2 || flags & 0x40 == 0 else { return [] }
        var rest = ByteReader(flags & 0x80 != 0 && version < 4 ? Self.withoutFill(body[...]) : body[...])
        let bitsPerByte = version == 4 ? 7 : 8
        if flags & 0x40 != 0 {
            // In version 4, the length counts its own four bytes.
            guard let length = rest.number(4, bitsPerByte), rest.take(length - (version == 4 ? 4 : 0)) != nil else {
                return []
            }
        }
        let letters = version == 2 ? 3 : 4
        var pictures: [TrackArtwork.Picture] = []
        // Behind the frames are zeros.
        while let name = rest.take(letters), name.first != 0, let length = rest.number(letters, bitsPerByte),
            let frameFlags = version == 2 ? 0 : rest.number(2), let frame = rest.take(length)
        {
            guard ["PIC", "APIC"].contains(String(decoding: name, as: UTF8.self)) else { continue }
            if let picture = picture(frame, frameFlags) { pictures.append(picture) }
        }
        return pictures
    }

    private func picture(_ frame: ArraySlice<UInt8>, _ frameFlags: Int) -> TrackArtwork.Picture? {
        let (packed, group) = version == 4 ? (0x0C, 0x40) : (0xC0, 0x20)
        guard frameFlags & packed == 0 else { return nil }
        let hasFill = version == 4 && (frameFlags & 0x02 != 0 || flags & 0x80 != 0)
        let hasLength = version == 4 && frameFlags & 0x01 != 0
        var rest = ByteReader(hasFill ? Self.withoutFill(frame) : frame)
        guard rest.take((frameFlags & group != 0 ? 1 : 0) + (hasLength ? 4 : 0)) != nil,
            let encoding = rest.number(1), (version == 2 ? rest.take(3) : rest.text(unit: 1)) != nil,
            let kind = rest.number(1), rest.text(unit: [1, 2].contains(encoding) ? 2 : 1) != nil
        else { return nil }
        return TrackArtwork.Picture(kind: kind, bytes: Array(rest.bytes))
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
