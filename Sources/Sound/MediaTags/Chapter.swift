internal import AudioFiles

/// A named part of a sound, as audio books and podcasts have them; it lasts until the next one begins.
package struct Chapter: Hashable, Sendable {
    /// Untrusted text; empty where the file has none.
    package var title: String
    package var startSeconds: Double
    /// As the file says, which only some of them do.
    var endSeconds: Double?

    package init(title: String, startSeconds: Double) {
        self.init(title: title, startSeconds: startSeconds, endSeconds: nil)
    }

    init(title: String, startSeconds: Double, endSeconds: Double?) {
        self.title = title
        self.startSeconds = startSeconds
        self.endSeconds = endSeconds
    }

    private var isEmpty: Bool { endSeconds.map { $0 <= startSeconds } ?? false }

    /// The chapters in a file's tags, in the order of their times; none for a file that cannot be read.
    ///
    /// Of MPEG-4 files the track of QuickTime, else Nero's list; CHAP frames of MP3, WAV and AIFF files; CHAPTER comments of Ogg
    /// and FLAC files. Any thread; waits for the disk.
    package static func list(path: String) -> [Chapter] {
        guard let file = try? RegularFile(path: path) else { return [] }
        let head = file.bytes(at: 0, count: 12)
        let found =
            switch true {
            case head.dropFirst(4).starts(with: "ftyp".utf8): ChapterTrack.chapters(of: file) ?? nero(file)
            case head.starts(with: "OggS".utf8), head.starts(with: "fLaC".utf8): comments(file)
            default: frames(file)
            }
        var chapters: [Chapter] = []
        // A part of a book may begin with its first chapter.
        let honest = found.filter { (0..<longestSeconds).contains($0.startSeconds) }
        for chapter in honest.sorted(by: { $0.startSeconds < $1.startSeconds }) {
            guard let last = chapters.last, last.startSeconds == chapter.startSeconds else {
                chapters.append(chapter)
                continue
            }
            // Of several with one start, the last is heard: the others end where they begin. One without a title names nothing.
            let isHeard = !chapter.isEmpty && (!chapter.title.isEmpty || last.title.isEmpty)
            if isHeard || last.isEmpty { chapters[chapters.count - 1] = chapter }
        }
        return chapters.map { Chapter(title: $0.title, startSeconds: $0.startSeconds) }
    }

    /// More than any sound has.
    private static let longestSeconds = 1e8

    /// Source: FFmpeg 5.1, libavformat/mov.c (`mov_read_chpl`).
    private static func nero(_ file: borrowing RegularFile) -> [Chapter] {
        guard let box = MPEG4Box.contents(of: ["moov", "udta", "chpl"], in: file), box.count <= 1 << 20 else {
            return []
        }
        var (rest, chapters): (ByteReader, [Chapter]) = (
            ByteReader(file.bytes(at: box.lowerBound, count: box.count)[...]), []
        )
        guard let version = rest.number(1), rest.take(version == 0 ? 3 : 7) != nil, let count = rest.number(1) else {
            return []
        }
        for _ in 0..<count {
            guard let high = rest.number(4), let low = rest.number(4), let length = rest.number(1),
                let title = rest.take(length)
            else { break }
            let ticks = Double(high) * 0x1p32 + Double(low)
            chapters.append(
                Chapter(title: String(decoding: title, as: UTF8.self), startSeconds: ticks / 10_000_000))
        }
        return chapters
    }

    /// Source: ID3v2 Chapter Frame Addendum 1.0 (id3.org).
    private static func frames(_ file: borrowing RegularFile) -> [Chapter] {
        guard let start = ID3Tag.start(in: file) else { return [] }
        return ID3Tag.frames(named: ["CHAP"], in: file, at: start, limit: 16 << 20).compactMap { frame in
            var rest = frame.contents
            // Both as places of the file follow.
            guard rest.text(unit: 1) != nil, let start = rest.number(4), let end = rest.number(4), rest.take(8) != nil
            else { return nil }
            let title = ID3Tag.frames(named: ["TIT2"], in: rest, version: frame.version).first
            return Chapter(
                title: title?.text ?? "", startSeconds: Double(start) / 1000, endSeconds: Double(end) / 1000)
        }
    }

    /// Source: https://wiki.xiph.org/Chapter_Extension.
    private static func comments(_ file: borrowing RegularFile) -> [Chapter] {
        let comments = VorbisComments.all(in: file).filter { $0.key.hasPrefix("CHAPTER") }
        let titles = Dictionary(comments.map { ($0.key, $0.value) }) { first, _ in first }
        return comments.compactMap { key, value in
            guard !key.hasSuffix("NAME"), !key.hasSuffix("URL"), let seconds = seconds(value) else { return nil }
            return Chapter(title: titles[key + "NAME"] ?? "", startSeconds: seconds)
        }
    }

    /// The cue sheet in an Ogg or FLAC file's tags, in UTF-8.
    ///
    /// Any thread; waits for the disk.
    package static func cueSheet(path: String) -> String? {
        guard let file = try? RegularFile(path: path) else { return nil }
        return VorbisComments.all(in: file).first { $0.key == "CUESHEET" }?.value
    }

    /// Of "01:02:03.456".
    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2] else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }
}
