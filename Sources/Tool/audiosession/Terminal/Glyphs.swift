/// The characters for a terminal, in Unicode or ASCII.
struct Glyphs: Hashable, Sendable {
    var playing: String
    var paused: String
    var filled: String
    var empty: String
    var arrow: String
    var ellipsis: String
    var leftRight: String
    var upDown: String
    /// Marks the row that keys act on.
    var cursor: String
    var chosen: String
    /// The output in use.
    var sounding: String
    /// A silent channel.
    var silence: String
    /// From silence to full scale.
    var levels: [String]

    static let unicode = Glyphs(
        playing: "▶", paused: "‖", filled: "━", empty: "─", arrow: "→", ellipsis: "…", leftRight: "←/→", upDown: "↑/↓",
        cursor: "›", chosen: "●", sounding: "♪", silence: "·",
        levels: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])

    static let ascii = Glyphs(
        playing: ">", paused: "=", filled: "#", empty: "-", arrow: "->", ellipsis: "...", leftRight: "left/right",
        upDown: "up/down", cursor: ">", chosen: "*", sounding: "~", silence: "_",
        levels: [" ", ".", ":", "-", "=", "+", "*", "#", "@"])

    /// The mark of a linear level: blank for silence, else at least the lowest mark; each step above it is 6 dB.
    func level(_ level: Float) -> String {
        guard level > 0 else { return levels[0] }
        var (mark, threshold) = (levels.count - 1, Float(0.5))
        while mark > 1, level < threshold {
            mark -= 1
            threshold /= 2
        }
        return levels[mark]
    }

    /// Unicode if the locale's encoding is UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set decides.
    static func forLocale(_ environment: [String: String]) -> Glyphs {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let name = (locale ?? "").lowercased()
        return name.contains("utf-8") || name.contains("utf8") ? .unicode : .ascii
    }
}
