/// The lines at the bottom of a terminal that are painted over and over, while other lines scroll away above them.
///
/// Pure: gives the characters to write. The cursor rests at the end of the last painted line.
struct LiveRegion {
    private var painted: [StyledLine] = []
    private var paintedColumns = 0

    /// Paints `lines` in place of those before; nothing to write when they are the same.
    ///
    /// - Parameter columns: the terminal's width; a line at least that wide would wrap and must not be given.
    mutating func paint(_ lines: [StyledLine], columns: Int, inColor: Bool) -> String {
        guard lines != painted || columns != paintedColumns else { return "" }
        let erasing = erase(columns: columns)
        painted = lines
        paintedColumns = columns
        return erasing + lines.map { $0.rendered(inColor: inColor) }.joined(separator: "\r\n")
    }

    /// Takes the region off the screen; the cursor is where its first line began.
    mutating func erase(columns: Int) -> String {
        guard !painted.isEmpty else { return "" }
        // Terminals wrap lines anew when they become narrower: count the rows that the old lines fill now.
        let width = max(1, columns)
        let rows = painted.reduce(0) { $0 + max(1, ($1.columns + width - 1) / width) }
        painted = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }
}
