/// Lays out the list of outputs for the room in a terminal.
///
/// Pure.
struct PickerLayout {
    var glyphs: Glyphs

    /// - Parameters:
    ///   - width: the greatest number of columns of a line.
    ///   - room: the greatest number of lines, 1 or more.
    func lines(_ picker: DevicePicker.Content, hasKeys: Bool, width: Int, room: Int) -> [StyledLine] {
        let keys = hasKeys && room >= 3 ? [keysLine(picker, width: width)] : []
        let rows = rowLines(picker.rows, width: width)
        let cursor = picker.rows.firstIndex(where: \.isAtCursor) ?? 0
        let list = Self.window(
            of: rows.isEmpty ? [StyledLine("no output", .warning)] : rows, around: cursor, room - keys.count)
        let header = list.count + keys.count < room ? [headerLine(picker)] : []
        return header + list + keys
    }

    /// As many lines as fit, including this one.
    static func window(of lines: [StyledLine], around index: Int, _ count: Int) -> [StyledLine] {
        guard lines.count > count else { return lines }
        let first = min(max(index - count / 2, 0), lines.count - count)
        return Array(lines[first..<first + count])
    }

    private func headerLine(_ picker: DevicePicker.Content) -> StyledLine {
        var line = StyledLine("Outputs", .bold)
        let legend = "\(glyphs.sounding) in use" + (picker.canChoose ? "  \(glyphs.chosen) chosen" : "")
        line.append("  \(legend)", .dim)
        return line
    }

    private func keysLine(_ picker: DevicePicker.Content, width: Int) -> StyledLine {
        let words = picker.canChoose ? ["\(glyphs.upDown) move", "enter choose", "d close"] : ["d close"]
        return StyledLine(words.joined(separator: width < 50 ? "  " : "   "), .dim)
    }

    // MARK: Rows

    /// The width of each column; 0 leaves it out.
    private struct Columns {
        var name: Int
        var type: Int
        var count: Int
        var levels: Int

        /// The prefix and the name, and two spaces before each other column.
        func total(prefix: Int) -> Int {
            prefix + name + [type, count, levels].reduce(0) { $0 + ($1 > 0 ? $1 + 2 : 0) }
        }
    }

    private func rowLines(_ rows: [DevicePicker.Content.Row], width: Int) -> [StyledLine] {
        let columns = columns(for: rows, width: width)
        return rows.map { row in
            let look: StyledLine.Look = row.isAtCursor ? .bold : .plain
            var line = StyledLine(row.isAtCursor ? "\(glyphs.cursor) " : "  ", look)
            line.append(Self.cell(row.isInUse ? glyphs.sounding : "", to: 1) + " ", .good)
            line.append(Self.cell(row.isChosen ? glyphs.chosen : "", to: 1) + " ", .good)
            guard case .output(let port) = row.kind else {
                line.append(Self.name(of: row), look)
                return line
            }
            let name = DisplayWidth.truncate(port.name.printable, to: columns.name, ellipsis: glyphs.ellipsis)
            line.append(Self.cell(name, to: columns.name), look)
            if columns.type > 0 { line.append("  " + Self.cell(port.portType.printable, to: columns.type), .dim) }
            if columns.count > 0 { line.append("  " + Self.cell(Self.count(port), to: columns.count), .dim) }
            if columns.levels > 0 { line.append("  " + levels(row.levels, room: columns.levels), .good) }
            return line
        }
    }

    private static let prefix = 6
    private static let shortestName = 8

    /// In a narrow terminal, names are cut first; then the types are left out, then the counts, then the levels.
    private func columns(for rows: [DevicePicker.Content.Row], width: Int) -> Columns {
        let ports = rows.compactMap { row in if case .output(let port) = row.kind { port } else { nil } }
        func widest(_ text: (PortFacts) -> String) -> Int {
            ports.map { DisplayWidth.columns(of: text($0)) }.max() ?? 0
        }
        var columns = Columns(
            name: widest { $0.name.printable }, type: widest { $0.portType.printable }, count: widest(Self.count),
            levels: min(ports.map(\.channels).max() ?? 0, max(2, width / 4)))
        func shorten() {
            let excess = columns.total(prefix: Self.prefix) - width
            if excess > 0 { columns.name = max(min(columns.name, Self.shortestName), columns.name - excess) }
        }
        shorten()
        if columns.total(prefix: Self.prefix) > width {
            columns.type = 0
            columns.name = widest { $0.name.printable }
            shorten()
        }
        if columns.total(prefix: Self.prefix) > width { columns.count = 0 }
        return columns
    }

    private static func count(_ port: PortFacts) -> String { "\(port.channels) ch" }

    private static func cell(_ text: String, to width: Int) -> String { DisplayWidth.padded(text, to: width) }

    private static func name(of row: DevicePicker.Content.Row) -> String {
        switch row.kind {
        case .automatic(several: false): "automatic"
        case .automatic(several: true): "all (channel map)"
        case .output(let port): port.name.printable
        case .away(let name): "\(name.printable) (not connected)"
        }
    }

    /// One mark per channel; the channels that do not fit are left out.
    ///
    /// Silence has its own mark, so that every channel is visible.
    private func levels(_ peaks: [Float], room: Int) -> String {
        peaks.prefix(room).map { $0 > 0 ? glyphs.level($0) : glyphs.silence }.joined()
    }
}
