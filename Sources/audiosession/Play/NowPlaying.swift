import AudioRuntime
import OpenAVFAudio

/// Everything that a live display shows of a playing run.
struct NowPlaying: LiveContent, Hashable, Sendable {
    /// Why the run does not play, other than the person's own pause.
    enum BlockReason: Hashable, Sendable {
        /// Playback resumes if the other program deactivates its session and notifies the others.
        case interruptedForNow
        case interrupted
        /// A call is on.
        case refused
        case serverIsLost
        /// A server is running again.
        case serverWasLost
    }

    /// An open file.
    struct Track: Hashable, Sendable {
        /// Untrusted text, like `output`.
        var title: String
        /// "2 of 5"; nil for a single file.
        var place: String?
        /// The file's own output; nil if it follows the route.
        var output: String?
        var state: FilePlayer.State
        /// Seconds.
        var position: Double
        /// Seconds; 0 if the file does not say.
        var duration: Double
    }

    /// At least one; several if each file has its own output.
    var tracks: [Track]
    /// 0...1.
    var volume: Float
    var route: RouteFacts
    var isSimulated: Bool
    var blockReason: BlockReason?
    /// While the list of outputs is open.
    var picker: DevicePicker.Content?
    /// Keys are read now, so they are shown.
    var hasKeys = false

    var isPlaying: Bool { tracks.contains { $0.state == .playing } }

    func lines(size: TerminalSize, glyphs: Glyphs) -> [StyledLine] {
        PlayLayout(glyphs: glyphs).lines(self, size: size)
    }
}

/// Lays out what is playing for a terminal's size.
///
/// Pure.
struct PlayLayout {
    var glyphs: Glyphs

    /// As `LiveContent.lines`; the bar is the last to be left out.
    func lines(_ now: NowPlaying, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        // One line is left for the events that scroll above.
        let room = max(1, size.rows - 1)
        let lines: [StyledLine]
        if let picker = now.picker {
            let list = PickerLayout(glyphs: glyphs).lines(picker, hasKeys: now.hasKeys, width: width, room: room)
            lines = trackLines(now, keys: nil, width: width, room: room - list.count) + list
        } else {
            lines = trackLines(now, keys: now.hasKeys ? keysLine(now) : nil, width: width, room: room)
        }
        return lines.map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    /// What fits of bars, titles, state and keys; the bars first.
    private func trackLines(_ now: NowPlaying, keys: StyledLine?, width: Int, room: Int) -> [StyledLine] {
        let bars = now.tracks.map { barLine($0, volume: now.volume, width: width) }
        guard room >= 2 * bars.count else { return Array(bars.prefix(room)) }
        var lines = zip(now.tracks, bars).flatMap { [titleLine($0), $1] }
        // The reason replaces the route: nothing plays there now.
        let state = now.blockReason.map { blockReasonLine($0, hasKeys: now.hasKeys) } ?? routeLine(now)
        for line in [state, keys].compactMap(\.self) where lines.count < room { lines.append(line) }
        return lines
    }

    private func titleLine(_ track: NowPlaying.Track) -> StyledLine {
        var line = StyledLine(track.title, .bold)
        if let place = track.place { line.append("  \(place)", .dim) }
        if let output = track.output { line.append("  \(glyphs.arrow) \(output)", .dim) }
        return line
    }

    /// "▶ 0:12 ━━━━━━──── 3:25  80 %"; without the bar if it would be shorter than 8 columns.
    private func barLine(_ track: NowPlaying.Track, volume: Float, width: Int) -> StyledLine {
        let isPlaying = track.state == .playing
        let elapsed = NumberText.clock(track.duration > 0 ? min(track.position, track.duration) : track.position)
        let total = track.duration > 0 ? NumberText.clock(track.duration) : "-:--"
        let volume = "\(Int((volume * 100).rounded())) %"
        var line = StyledLine(isPlaying ? glyphs.playing : glyphs.paused, isPlaying ? .good : .warning)
        let room = width - DisplayWidth.columns(of: "x \(elapsed)  \(total)  \(volume)")
        guard room >= 8 else {
            line.append(" \(elapsed)/\(total)")
            return line
        }
        let fraction = track.duration > 0 ? min(max(track.position / track.duration, 0), 1) : 0
        let filled = Int((Double(room) * fraction).rounded(.down))
        line.append(" \(elapsed) ")
        line.append(String(repeating: glyphs.filled, count: filled), .good)
        line.append(String(repeating: glyphs.empty, count: room - filled), .dim)
        line.append(" \(total)  \(volume)")
        return line
    }

    private func routeLine(_ now: NowPlaying) -> StyledLine {
        var line = StyledLine("\(glyphs.arrow) ", .dim)
        line.append(now.route.label, now.route.outputs.isEmpty ? .warning : .plain)
        if now.isSimulated { line.append("  (simulated: no audio output)", .warning) }
        return line
    }

    private func blockReasonLine(_ blockReason: NowPlaying.BlockReason, hasKeys: Bool) -> StyledLine {
        let (text, remedy): (String, String?) =
            switch blockReason {
            case .interruptedForNow: ("interrupted; resumes after the other program", "space plays now")
            case .interrupted: ("interrupted", "space plays now")
            case .refused: ("not allowed during a call", "space tries again")
            case .serverIsLost: ("the sound server stopped; waiting for it", nil)
            case .serverWasLost: ("the sound server is running again", "space resumes")
            }
        return StyledLine([text, hasKeys ? remedy : nil].compactMap(\.self).joined(separator: "; "), .warning)
    }

    private func keysLine(_ now: NowPlaying) -> StyledLine {
        var words = [
            now.isPlaying ? "space pause" : "space play", "\(glyphs.leftRight) seek", "\(glyphs.upDown) volume",
            "d device", "q quit",
        ]
        if now.blockReason == .serverIsLost { words.removeFirst(2) }
        guard now.isSimulated else { return StyledLine(words.joined(separator: "   "), .dim) }
        words = ["u/p plug", "c call", "x server"] + words
        return StyledLine(words.joined(separator: "  "), .dim)
    }
}
