/// Finds the word that was meant.
enum Spelling {
    /// The nearest of `words`: the same but for case, else one that begins with `typed`, else one within a third of its
    /// length in edits; nil when none is near.
    static func nearest(to typed: String, in words: [String]) -> String? {
        let wanted = typed.lowercased()
        guard !wanted.isEmpty else { return nil }
        if let same = words.first(where: { $0.lowercased() == wanted }) { return same }
        let beginning = words.filter { $0.lowercased().hasPrefix(wanted) }
        if beginning.count == 1 { return beginning[0] }
        let scored = words.map { (word: $0, edits: edits(wanted, $0.lowercased())) }
        guard let best = scored.min(by: { $0.edits < $1.edits }), best.edits <= max(1, best.word.count / 3) else {
            return nil
        }
        return best.word
    }

    /// Levenshtein's distance: insertions, deletions and substitutions.
    static func edits(_ a: String, _ b: String) -> Int {
        let target = Array(b)
        var row = Array(0...target.count)
        for (i, character) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in target.indices {
                let substituted = diagonal + (character == target[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[target.count]
    }
}
