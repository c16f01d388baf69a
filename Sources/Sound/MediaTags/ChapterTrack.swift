internal import AudioFiles

/// The track of an MPEG-4 file whose samples are the titles of the chapters of another track.
///
/// Source: QuickTime File Format Specification, "Chapter lists" and "Text sample data"; ISO/IEC 14496-12, section 8.
enum ChapterTrack {
    /// Enough for any honest file.
    private static let mostChapters = 4096

    /// Nil where the file has no such track.
    static func chapters(of file: borrowing RegularFile) -> [Chapter]? {
        guard let movie = MPEG4Box.contents(of: ["moov"], in: file) else { return nil }
        let tracks = MPEG4Box.all("trak", in: movie, of: file, limit: 64)
        var numbers: Set<Int> = []
        for track in tracks {
            guard let list = table(["tref", "chap"], of: track, in: file) else { continue }
            numbers.formUnion(stride(from: 0, to: list.count - 3, by: 4).map { list.number(at: $0, bytes: 4) })
        }
        for track in tracks {
            guard let header = table(["tkhd"], of: track, in: file), header.count >= 24,
                numbers.contains(header.number(at: header[0] == 0 ? 12 : 20, bytes: 4)),
                // Other chapter tracks have pictures.
                let handler = table(["mdia", "hdlr"], of: track, in: file), handler.count >= 12,
                ["text", "sbtl"].contains(handler.text(at: 8)),
                let chapters = chapters(in: track, of: file)
            else { continue }
            return chapters
        }
        return nil
    }

    private static func table(
        _ names: [String], of track: Range<Int64>, in file: borrowing RegularFile
    ) -> [UInt8]? {
        guard let range = MPEG4Box.contents(of: names, in: file, within: track) else { return nil }
        return file.bytes(at: range.lowerBound, count: min(range.count, 16 * mostChapters))
    }

    private static func chapters(in track: Range<Int64>, of file: borrowing RegularFile) -> [Chapter]? {
        guard let header = table(["mdia", "mdhd"], of: track, in: file), header.count >= 24,
            let samples = MPEG4Box.contents(of: ["mdia", "minf", "stbl"], in: file, within: track),
            let durations = table(["stts"], of: samples, in: file)?.entries(fields: [4, 4]),
            let sizes = table(["stsz"], of: samples, in: file), sizes.count >= 12,
            let runs = table(["stsc"], of: samples, in: file)?.entries(fields: [4, 4, 4]),
            let chunks = table(["stco"], of: samples, in: file)?.entries(fields: [4])
                ?? table(["co64"], of: samples, in: file)?.entries(fields: [8])
        else { return nil }
        let rate = header.number(at: header[0] == 0 ? 12 : 20, bytes: 4)
        guard rate > 0 else { return nil }
        var starts: [Double] = [0]
        for entry in durations {
            for _ in 0..<min(entry[0], mostChapters - starts.count) {
                starts.append(starts[starts.count - 1] + Double(entry[1]) / Double(rate))
            }
        }
        // One size for all, or their sizes.
        let (commonSize, count) = (sizes.number(at: 4, bytes: 4), sizes.number(at: 8, bytes: 4))
        var (chapters, run): ([Chapter], Int) = ([], 0)
        for (index, chunk) in chunks.enumerated() {
            while run + 1 < runs.count, runs[run + 1][0] <= index + 1 { run += 1 }
            guard runs.indices.contains(run) else { break }
            var offset = Int64(clamping: chunk[0])
            for _ in 0..<min(runs[run][1], mostChapters) {
                let sample = chapters.count
                guard sample < min(count, starts.count - 1) else { return chapters }
                guard commonSize > 0 || 16 + 4 * sample <= sizes.count else { return chapters }
                let size = commonSize > 0 ? commonSize : sizes.number(at: 12 + 4 * sample, bytes: 4)
                chapters.append(Chapter(title: title(file, at: offset, size), startSeconds: starts[sample]))
                offset = offset.addingReportingOverflow(Int64(size)).partialValue
            }
        }
        return chapters
    }

    private static func title(_ file: borrowing RegularFile, at offset: Int64, _ size: Int) -> String {
        var rest = ByteReader(file.bytes(at: offset, count: min(size, 2 + 65_535))[...])
        guard let length = rest.number(2), let text = rest.take(length) else { return "" }
        return text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE])
            ? String(utf16: text, isBigEndian: true) : String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// The caller has checked that the bytes are there.
    fileprivate func number(at offset: Int, bytes: Int) -> Int {
        Int(clamping: integer(at: offset, bytes: bytes, bigEndian: true))
    }

    /// The entries of a table behind its version and their number, as far as they are there.
    fileprivate func entries(fields: [Int]) -> [[Int]] {
        guard count >= 8 else { return [] }
        let size = fields.reduce(0, +)
        return (0..<Swift.min(number(at: 4, bytes: 4), (count - 8) / size)).map { index in
            var offset = 8 + index * size
            return fields.map { bytes in
                defer { offset += bytes }
                return number(at: offset, bytes: bytes)
            }
        }
    }
}
