import AudioRuntime
import Foundation

/// Everything that a live display shows of a recording.
struct NowRecording: Hashable, Sendable {
    var state: FileRecorder.State
    /// Seconds in the file.
    var duration: Double
    /// Untrusted text.
    var input: String
    /// Linear peaks, one for each channel.
    var levels: [Float]
    /// Keys are read now, so they are shown.
    var hasKeys = false
}

/// Lays out what is recording for a terminal's size.
///
/// Pure.
struct RecordLayout {
    /// The level at which a meter is empty.
    private static let floorDecibels = -60.0

    var glyphs: Glyphs

    /// As `LiveContent`; the first line is the last to be left out.
    func lines(_ now: NowRecording, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        let isRecording = now.state == .playing
        var state = StyledLine(isRecording ? glyphs.chosen : glyphs.paused, isRecording ? .warning : .dim)
        state.append(" \(NumberText.clock(now.duration))  ")
        state.append(now.input)
        if isRecording, now.duration == 0 { state.append("  no sound yet", .warning) }
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
