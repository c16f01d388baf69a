/// Finds the first frame of each word by the loudness of a second rendering.
///
/// espeak-ng does not report when words begin. But a command in its text sets the loudness from a word on, and changes
/// nothing else. So a passage is rendered twice: with one level, and with different levels for neighbouring
/// words. Both renderings have the same length, and their quotient is the level of each frame. Decision 56.
enum WordMarks {
    /// Levels in hundredths of the usual loudness.
    ///
    /// They differ by more than the rounding to 16 bits changes.
    static let levels = [100, 75, 50, 25]

    static func level(ofWord index: Int) -> Int { levels[index % levels.count] }

    /// - Parameters:
    ///   - plain: rendered with the first level only, nominal ±1.
    ///   - marked: rendered with the level of each word.
    /// - Returns: one frame for each word, ascending. A word that the engine contracts with the one before ("of the")
    ///   and words that are not found lie between their neighbours. All words are spread evenly if the two renderings
    ///   differ in length.
    static func frames(plain: [Float], marked: [Float], wordCount: Int) -> [Int] {
        guard wordCount > 0 else { return [] }
        var found = [Int?](repeating: nil, count: wordCount)
        if plain.count == marked.count { find(plain, marked, &found) }
        return spread(found, frameCount: plain.count)
    }

    /// Quieter samples are not used: the rounding to 16 bits makes their quotient too inexact.
    private static let quietest: Float = 100 / 32_768
    /// How many samples of one level in a row make a word's start.
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

    /// Spreads the words that were not found evenly between their neighbours.
    static func spread(_ found: [Int?], frameCount: Int) -> [Int] {
        var frames = [Int](repeating: 0, count: found.count)
        var (index, before) = (0, 0)
        while index < found.count {
            let after = found[index...].firstIndex { $0 != nil } ?? found.count
            let end = after < found.count ? found[after] ?? frameCount : frameCount
            // The word before these begins at `before`; the first words have none before them.
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
