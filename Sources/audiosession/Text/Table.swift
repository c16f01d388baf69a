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
