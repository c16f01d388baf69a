internal import AudioFiles

/// The tags of an Ogg or FLAC file.
///
/// Source: Vorbis I specification, section 5; RFC 7845, section 5.2; RFC 9639, section 8.6; RFC 3533, section 6.
enum VorbisComments {
    /// Longer tags have none, in bytes.
    private static let longest = 16 << 20

    /// The keys in capitals, in their order; none for other files.
    static func all(in file: borrowing RegularFile) -> [(key: String, value: String)] {
        switch file.bytes(at: 0, count: 4) {
        case Array("fLaC".utf8):
            FLACBlocks.contents(ofKind: 4, in: file, limit: Int64(longest)).flatMap { comments($0[...]) }
        case Array("OggS".utf8): secondPacket(of: file).map(comments) ?? []
        default: []
        }
    }

    private static func comments(_ bytes: ArraySlice<UInt8>) -> [(key: String, value: String)] {
        var (rest, comments): (ByteReader, [(String, String)]) = (ByteReader(bytes), [])
        guard let vendor = rest.littleEndian(), rest.take(vendor) != nil, let count = rest.littleEndian() else {
            return []
        }
        for _ in 0..<min(count, 100_000) {
            guard let length = rest.littleEndian(), let comment = rest.take(length) else { break }
            let parts = comment.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            comments.append(
                (String(decoding: parts[0], as: UTF8.self).uppercased(), String(decoding: parts[1], as: UTF8.self)))
        }
        return comments
    }

    /// Without the codec's mark.
    private static func secondPacket(of file: borrowing RegularFile) -> ArraySlice<UInt8>? {
        var (packet, isSecond, offset): ([UInt8], Bool, Int64) = ([], false, 0)
        var serial: [UInt8]?
        // A page has a header of 27 bytes, its serial at 14, its number of segments at 26.
        while packet.count <= longest, offset <= Int64(2 * longest) {
            let header = file.bytes(at: offset, count: 27 + 255)
            guard header.count >= 27, header.starts(with: "OggS".utf8), header.count >= 27 + Int(header[26]) else {
                return nil
            }
            let lacing = header[27..<27 + Int(header[26])]
            let (start, length) = (offset + 27 + Int64(lacing.count), lacing.reduce(0) { $0 + Int($1) })
            offset = start + Int64(length)
            serial = serial ?? Array(header[14..<18])
            guard header[14..<18] == serial?[...] else { continue }
            var payload = ByteReader(file.bytes(at: start, count: length)[...])
            for segment in lacing {
                guard let bytes = payload.take(Int(segment)) else { return nil }
                if isSecond { packet += bytes }
                guard segment < 255 else { continue }
                if isSecond { return withoutMark(packet) }
                isSecond = true
            }
        }
        return nil
    }

    private static func withoutMark(_ packet: [UInt8]) -> ArraySlice<UInt8>? {
        for mark in [[3] + Array("vorbis".utf8), Array("OpusTags".utf8)] where packet.starts(with: mark) {
            return packet.dropFirst(mark.count)
        }
        // FLAC in Ogg has its blocks as packets.
        return packet.first.map { $0 & 0x7F } == 4 ? packet.dropFirst(4) : nil
    }
}
