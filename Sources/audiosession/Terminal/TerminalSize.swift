/// A terminal's size in characters.
struct TerminalSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}
