/// One benchmark's section of the results.
struct Report {
    var title: String
    /// What is compared with what, and how.
    var comparison: String
    /// Column heads; the first column names the row.
    var columns: [String]
    var rows: [[String]] = []
    var notes: [String] = []

    /// The columns are padded, so that the text is a readable table as it stands.
    var markdown: String {
        let lines = [columns] + rows
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max().map { max($0, 3) } ?? 3 }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                return index == 0 ? cell + padding : padding + cell
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { index, width in
            index == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
        }
        let table = [line(columns), "| " + rule.joined(separator: " | ") + " |"] + rows.map(line)
        let notes = notes.map { "- " + $0 }
        return (["## \(title)", "", comparison, ""] + table + (notes.isEmpty ? [] : [""] + notes) + [""])
            .joined(separator: "\n")
    }
}
