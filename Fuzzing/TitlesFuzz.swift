import AudioModel

@testable import MediaStreams

/// The bytes of a station are the same sound and the same titles, however they come; a title is short, and can be shown.
enum TitlesFuzz {
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first, let interval = bytes.dropFirst().first else { return }
        let stream = Array(bytes.dropFirst(2))
        let whole = take(stream, Int(interval) + 1, pieces: max(stream.count, 1))
        let parts = take(stream, Int(interval) + 1, pieces: Int(first) + 1)
        require(whole.sound == parts.sound, "the sound depends on how its bytes come")
        require(whole.titles.last == parts.titles.last, "the titles depend on how their bytes come")
        for title in parts.titles {
            require(title == title.printable && title.utf8.count <= 3 * 4080, "a title that cannot be shown")
        }
    }

    private static func take(_ bytes: [UInt8], _ interval: Int, pieces: Int) -> (sound: [UInt8], titles: [String]) {
        guard var titles = StationTitles(interval: interval) else { fatalError("no interval") }
        var (sound, found): ([UInt8], [String]) = ([], [])
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            var piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            let result = piece.withUnsafeMutableBytes { titles.take($0) }
            sound += piece[..<result.sound]
            if let title = result.title { found.append(title) }
        }
        return (sound, found)
    }
}
