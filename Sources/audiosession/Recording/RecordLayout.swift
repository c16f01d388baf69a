import Foundation
import OpenAVFAudio

/// Lays the picture of a recording out for a terminal's size.
///
/// Pure.
struct RecordLayout {
    /// Below this a meter shows nothing.
    private static let floorDecibels = -60.0

    var glyphs: Glyphs

    /// At most `size.rows` lines, each narrower than the terminal; the first is kept longest.
    func lines(_ now: NowRecording, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        let isRecording = now.state == .recording
        var state = StyledLine(isRecording ? glyphs.chosen : glyphs.paused, isRecording ? .warning : .dim)
        state.append(" \(TimeText.clock(now.duration))  ")
        state.append(now.input)
        let keys = now.hasKeys ? [StyledLine("\(isRecording ? "space pause" : "space record")   q stop", .dim)] : []
        let lines = [state] + now.levels.map { meter($0, width: width) } + keys
        return lines.prefix(max(1, size.rows - 1)).map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    /// "━━━━━━──── -12 dB": the bar is linear in decibels.
    private func meter(_ peak: Float, width: Int) -> StyledLine {
        let decibels = peak > 0 ? max(20 * log10(Double(peak)), Self.floorDecibels) : Self.floorDecibels
        let text = decibels > Self.floorDecibels ? "\(Int(decibels.rounded())) dB" : "silent"
        let room = max(0, min(width - 10, 60))
        let filled = min(room, Int(Double(room) * (1 - decibels / Self.floorDecibels)))
        var line = StyledLine(String(repeating: glyphs.filled, count: filled), peak >= 1 ? .warning : .good)
        line.append(String(repeating: glyphs.empty, count: room - filled), .dim)
        line.append(" \(text)")
        return line
    }
}
