import AudioRuntime

/// The chapters of the item that plays, in their order.
struct ChapterList {
    private var chapters: [FilePlayer.Chapter]

    init(_ chapters: [FilePlayer.Chapter] = []) { self.chapters = chapters }

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
