/// The difference of two texts as `patch` reads it.
enum LineDiff {
    private static let context = 3

    static func unified(_ old: String, _ new: String, path: String) -> String {
        let (before, after) = (lines(of: old), lines(of: new))
        let difference = after.difference(from: before)
        let removed = Set(difference.removals.map(offset))
        let inserted = Set(difference.insertions.map(offset))
        var lines: [(mark: Character, text: String, old: Int, new: Int)] = []
        var (i, j) = (0, 0)
        while i < before.count || j < after.count {
            if removed.contains(i) {
                lines.append(("-", before[i], i, j))
                i += 1
            } else if inserted.contains(j) {
                lines.append(("+", after[j], i, j))
                j += 1
            } else {
                lines.append((" ", before[i], i, j))
                i += 1
                j += 1
            }
        }
        let changed = lines.indices.filter { lines[$0].mark != " " }
        guard !changed.isEmpty else { return "" }
        var hunks: [Range<Int>] = []
        for index in changed {
            let range = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        var text = "--- a/\(path)\n+++ b/\(path)\n"
        for hunk in hunks {
            let first = lines[hunk.lowerBound]
            let oldCount = lines[hunk].count { $0.mark != "+" }
            let newCount = lines[hunk].count { $0.mark != "-" }
            text += "@@ -\(first.old + 1),\(oldCount) +\(first.new + 1),\(newCount) @@\n"
            for line in lines[hunk] { text += "\(line.mark)\(line.text)\n" }
        }
        return text
    }

    /// Without the empty one behind the last newline.
    private static func lines(of text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.last == "" ? lines.dropLast() : lines
    }

    private static func offset(_ change: CollectionDifference<String>.Change) -> Int {
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
