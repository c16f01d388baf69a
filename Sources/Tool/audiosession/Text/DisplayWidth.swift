/// How many terminal columns text takes; an estimate, as only the terminal knows it exactly.
enum DisplayWidth {
    static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    /// A character takes two columns if it has a wide or emoji-style scalar, none if all its scalars are marks.
    static func columns(of character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            if isWide(scalar) || scalar == emojiStyle { return 2 }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: break
            default: width = 1
            }
        }
        return width
    }

    /// The longest beginning of `text` that fits, with an ellipsis if something was left out.
    static func truncate(_ text: String, to limit: Int, ellipsis: String = "…") -> String {
        if columns(of: text) <= limit { return text }
        let room = limit - columns(of: ellipsis)
        guard room >= 0 else { return "" }
        var (kept, used) = ("", 0)
        for character in text {
            let width = columns(of: character)
            if used + width > room { break }
            kept.append(character)
            used += width
        }
        return kept + ellipsis
    }

    /// `text`, padded with spaces to `width` columns.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - columns(of: text)))
    }

    /// Untrusted text, as long as a device's own name or uid may be in a table; JSON has all of it.
    static func cell(_ text: String) -> String { truncate(text.printable, to: 100) }

    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"

    // The blocks whose East_Asian_Width is W or F, joined where only unassigned code points lie between them.
    // Source: Unicode 15.1, EastAsianWidth.txt.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18D08, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}

/// Rows of text in aligned columns.
struct Table {
    var header: [String] = []
    var rows: [[String]]

    /// One line per row, columns two spaces apart, without trailing spaces.
    var lines: [String] {
        let all = header.isEmpty ? rows : [header] + rows
        let count = all.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            all.map { column < $0.count ? DisplayWidth.columns(of: $0[column]) : 0 }.max() ?? 0
        }
        return all.map { row in
            let cells = row.enumerated().map { DisplayWidth.padded($0.element, to: widths[$0.offset]) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
