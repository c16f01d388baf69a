internal import AudioFiles

/// A part of an MPEG-4 file: a length, a name of four letters, and its contents, which may be boxes.
///
/// Source: ISO/IEC 14496-12, section 4.2.
struct MPEG4Box {
    let name: String
    /// Bytes of the file.
    let contents: Range<Int64>

    /// - Returns: nil where no whole box begins.
    init?(at offset: Int64, before end: Int64, of file: borrowing RegularFile) {
        let header = file.bytes(at: offset, count: 16)
        guard offset + 8 <= end, header.count >= 8 else { return nil }
        name = header.text(at: 4)
        var (length, start) = (header.integer(at: 0, bytes: 4, bigEndian: true), offset + 8)
        if length == 1, header.count == 16 {
            (length, start) = (header.integer(at: 8, bytes: 8, bigEndian: true), offset + 16)
        } else if length == 0 {
            length = UInt64(end - offset)
        }
        guard length >= UInt64(start - offset), length <= UInt64(end - offset) else { return nil }
        contents = start..<offset + Int64(length)
    }

    /// The contents of the first box that is in others with these names, from outside in; nil: there is none.
    ///
    /// - Parameter range: where the outermost is; nil: the file.
    static func contents(
        of names: [String], in file: borrowing RegularFile, within range: Range<Int64>? = nil
    ) -> Range<Int64>? {
        var contents = range ?? 0..<file.byteCount
        for name in names {
            guard let inner = all(name, in: contents, of: file, limit: 1).first else { return nil }
            contents = inner
            // A version of four bytes comes before the boxes of `meta`, except in QuickTime's files.
            if name == "meta", MPEG4Box(at: inner.lowerBound, before: inner.upperBound, of: file)?.name != "hdlr" {
                contents = min(inner.lowerBound + 4, inner.upperBound)..<inner.upperBound
            }
        }
        return contents
    }

    /// The contents of the boxes with a name that follow one another in a range.
    static func all(
        _ name: String, in range: Range<Int64>, of file: borrowing RegularFile, limit: Int = .max
    ) -> [Range<Int64>] {
        var (offset, found): (Int64, [Range<Int64>]) = (range.lowerBound, [])
        // Enough for any honest file; a damaged one must not keep the walk busy.
        for _ in 0..<4096 where found.count < limit {
            guard let box = MPEG4Box(at: offset, before: range.upperBound, of: file) else { break }
            if box.name == name { found.append(box.contents) }
            offset = box.contents.upperBound
        }
        return found
    }
}
