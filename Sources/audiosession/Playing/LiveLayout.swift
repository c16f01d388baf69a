import OpenAVFAudio

/// Lays the moving picture out for a terminal's size.
///
/// Pure.
struct LiveLayout {
    var glyphs: Glyphs

    /// At most `size.rows` lines, each narrower than the terminal, so that none wraps; the bar goes last of all.
    func lines(_ now: NowPlaying, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        // A line is left for the events that scroll above.
        let room = max(1, size.rows - 1)
        let lines =
            if let picker = now.picker { pickerLines(picker, of: now, width: width, room: room) } else {
                trackLines(now, keys: now.hasKeys ? keysLine(now) : nil, width: width, room: room)
            }
        return lines.map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    /// What fits of bars, titles, state and keys; the bars first.
    func trackLines(_ now: NowPlaying, keys: StyledLine?, width: Int, room: Int) -> [StyledLine] {
        let bars = now.tracks.map { barLine($0, volume: now.volume, width: width) }
        guard room >= 2 * bars.count else { return Array(bars.prefix(room)) }
        var lines = zip(now.tracks, bars).flatMap { [titleLine($0), $1] }
        // In place of the route: nothing sounds there now.
        let state = now.hindrance.map { hindranceLine($0, hasKeys: now.hasKeys) } ?? routeLine(now)
        for line in [state, keys].compactMap(\.self) where lines.count < room { lines.append(line) }
        return lines
    }

    private func titleLine(_ track: NowPlaying.Track) -> StyledLine {
        var line = StyledLine(track.title, .bold)
        if let place = track.place { line.append("  \(place)", .dim) }
        if let output = track.output { line.append("  \(glyphs.arrow) \(output)", .dim) }
        return line
    }

    /// "▶ 0:12 ━━━━━━──── 3:25  80 %"; without the bar where it would be shorter than 8 columns.
    func barLine(_ track: NowPlaying.Track, volume: Float, width: Int) -> StyledLine {
        let isPlaying = track.state == .playing
        let elapsed = TimeText.clock(track.duration > 0 ? min(track.position, track.duration) : track.position)
        let total = track.duration > 0 ? TimeText.clock(track.duration) : "-:--"
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
        if now.isSimulated { line.append("  (simulated: no sound comes out)", .warning) }
        return line
    }

    private func hindranceLine(_ hindrance: NowPlaying.Hindrance, hasKeys: Bool) -> StyledLine {
        let (words, remedy): (String, String?) =
            switch hindrance {
            case .interruptedForNow: ("interrupted; goes on when the other one is done", "space takes the sound back")
            case .interrupted: ("interrupted", "space takes the sound back")
            case .refused: ("a call had the sound", "space tries again")
            case .serverIsLost: ("the sound server went away; waiting for it", nil)
            case .serverWasLost: ("the sound server is there again", "space plays on")
            }
        return StyledLine([words, hasKeys ? remedy : nil].compactMap(\.self).joined(separator: "; "), .warning)
    }

    private func keysLine(_ now: NowPlaying) -> StyledLine {
        var words = [
            now.isPlaying ? "space pause" : "space play", "\(glyphs.leftRight) seek", "\(glyphs.upDown) volume",
            "d device", "q quit",
        ]
        if now.hindrance == .serverIsLost { words.removeFirst(2) }
        guard now.isSimulated else { return StyledLine(words.joined(separator: "   "), .dim) }
        words = ["u/p plug", "c call", "x server"] + words
        return StyledLine(words.joined(separator: "  "), .dim)
    }
}
