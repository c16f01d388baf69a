/// Finds the first frame of each word by the loudness of a second rendering.
///
/// espeak-ng tells no times of words. But a command in its text sets the loudness from a word on, and changes nothing else:
/// two renderings, one with a single level and one in which each word has another level than its neighbours, are of the same
/// length, and their quotient says frame by frame which word it is. Decision 56.
enum WordMarks {
    /// In hundredths of the usual loudness; far enough apart that rounding to 16 bits does not confuse them.
    static let levels = [100, 75, 50, 25]

    static func level(ofWord index: Int) -> Int { levels[index % levels.count] }

    /// - Parameters:
    ///   - plain: with the first level throughout, nominal ±1.
    ///   - marked: with the level of each word.
    /// - Returns: one frame a word, ascending. A word that the engine contracts with the one before ("of the") and words that are not
    ///   found lie between their neighbours; all are spread evenly where the two renderings do not belong together.
    static func frames(plain: [Float], marked: [Float], wordCount: Int) -> [Int] {
        guard wordCount > 0 else { return [] }
        var found = [Int?](repeating: nil, count: wordCount)
        if plain.count == marked.count { find(plain, marked, &found) }
        return spread(found, frameCount: plain.count)
    }

    /// Samples below this are too coarse for a quotient.
    private static let quietest: Float = 100 / 32_768
    /// So many in a row are of one level before it counts.
    private static let run = 8

    private static func find(_ plain: [Float], _ marked: [Float], _ found: inout [Int?]) {
        var (word, candidate, count, start) = (-1, -1, 0, 0)
        for frame in plain.indices where plain[frame].magnitude >= quietest {
            let quotient = marked[frame] / plain[frame] * 100
            guard let level = levels.firstIndex(where: { (Float($0) - quotient).magnitude <= 6 }) else { continue }
            if word >= 0, level == word % levels.count {
                candidate = -1
            } else if level == candidate {
                count += 1
                guard count >= run else { continue }
                let next = word + 1 + (level - (word + 1) % levels.count + levels.count) % levels.count
                candidate = -1
                guard next < found.count else { continue }
                found[next] = start
                word = next
            } else {
                (candidate, count, start) = (level, 1, frame)
            }
        }
    }

    /// Those that are not found lie between their neighbours.
    static func spread(_ found: [Int?], frameCount: Int) -> [Int] {
        var frames = [Int](repeating: 0, count: found.count)
        var (index, before) = (0, 0)
        while index < found.count {
            let after = found[index...].firstIndex { $0 != nil } ?? found.count
            let end = after < found.count ? found[after] ?? frameCount : frameCount
            // The one before them begins at `before`; there is none at the beginning.
            let steps = after - index + (index > 0 ? 1 : 0)
            for word in index..<after {
                let step = word - index + (index > 0 ? 1 : 0)
                frames[word] = before + (end - before) * step / max(1, steps)
            }
            if after < found.count { frames[after] = end }
            (index, before) = (after + 1, end)
        }
        return frames
    }
}
