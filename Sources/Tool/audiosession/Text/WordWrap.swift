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
}
