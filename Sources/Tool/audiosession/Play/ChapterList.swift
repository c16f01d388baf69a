import AudioRuntime

/// The chapters of the item that plays, in their order.
struct ChapterList {
    private var chapters: [FilePlayer.Chapter]

    init(_ chapters: [FilePlayer.Chapter] = []) { self.chapters = chapters }

    /// Those in a file's tags, else the tracks of the cue sheet in them.
    static func chapters(path: String) -> [FilePlayer.Chapter] {
        let chapters = FilePlayer.Chapter.list(path: path)
        guard chapters.isEmpty, let sheet = FilePlayer.Chapter.cueSheet(path: path) else { return chapters }
        let tracks = CueSheet(Array(sheet.utf8)).tracks
        return tracks.prefix { $0.file == tracks[0].file }
            .map { .init(title: $0.part.title, startSeconds: $0.part.begin) }
    }

    /// There is one to go to.
    var isUseful: Bool { chapters.count > 1 }

    /// "2/5 Title"; nil before the first one.
    func label(at position: Double) -> String? {
        guard let index = chapters.lastIndex(where: { $0.startSeconds <= position }) else { return nil }
        return "\(index + 1)/\(chapters.count) \(chapters[index].title)"
    }

    func start(after position: Double) -> Double? { chapters.first { $0.startSeconds > position }?.startSeconds }

    /// Of the chapter at a position; in its first 3 s, of the one before it.
    func start(before position: Double) -> Double? {
        (chapters.last { $0.startSeconds <= position - 3 } ?? chapters.first)?.startSeconds
    }
}
