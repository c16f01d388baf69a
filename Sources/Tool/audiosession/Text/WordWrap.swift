/// Breaks a text into lines at its spaces.
///
/// Pure.
enum WordWrap {
    /// - Parameters:
    ///   - text: printable.
    ///   - columns: a line's greatest width; a longer word has a line of its own.
    ///   - indent: of the lines after the first, in columns.
    static func lines(_ text: String, columns: Int, indent: Int = 2) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if DisplayWidth.columns(of: longer) <= columns || line.allSatisfy({ $0 == " " }) {
                line = longer
            } else {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            }
        }
        return lines + [line]
    }

    /// Of a line of a help text: what follows is below the second column where it is a row of a table.
    static func lines(ofHelp line: String, columns: Int) -> [String] {
        let start = line.prefix { $0 == " " }.count
        let row = line.firstMatch(of: /^ *\S+(?: \S+)*? {2,}(?=\S)/) ?? line.firstMatch(of: /^  [-<].{22} (?=\S)/)
        let indent = line.hasPrefix("USAGE: ") ? 7 : row.map { $0.0.count } ?? start
        let rest = min(indent, columns / 2) - start
        return lines(String(line.dropFirst(start)), columns: columns - start, indent: max(0, rest))
            .map { String(repeating: " ", count: start) + $0 }
    }
}
