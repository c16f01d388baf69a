import OpenAVFAudio

/// Lays the moving picture out for a terminal's size.
///
/// Pure.
struct LiveLayout {
    var glyphs: Glyphs

    /// At most `size.rows` lines, each narrower than the terminal, so that none wraps; the bar goes last of all.
    func lines(_ now: NowPlaying, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        // In place of the route: nothing sounds there now.
        let state = now.hindrance.map { hindranceLine($0, hasKeys: now.hasKeys) } ?? routeLine(now)
        var lines = [titleLine(now), barLine(now, width: width), state]
        if now.hasKeys { lines.append(keysLine(now)) }
        switch size.rows {
        case ...2: lines = [lines[1]]
        case 3: lines = Array(lines[..<2])
        case 4: lines = Array(lines[..<3])
        default: break
        }
        return lines.map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    private func titleLine(_ now: NowPlaying) -> StyledLine {
        var line = StyledLine(now.title, .bold)
        if let place = now.place { line.append("  \(place)", .dim) }
        return line
    }

    /// "▶ 0:12 ━━━━━━──── 3:25  80 %"; without the bar where it would be shorter than 8 columns.
    func barLine(_ now: NowPlaying, width: Int) -> StyledLine {
        let isPlaying = now.state == .playing
        let elapsed = TimeText.clock(now.duration > 0 ? min(now.position, now.duration) : now.position)
        let total = now.duration > 0 ? TimeText.clock(now.duration) : "-:--"
        let volume = "\(Int((now.volume * 100).rounded())) %"
        var line = StyledLine(isPlaying ? glyphs.playing : glyphs.paused, isPlaying ? .good : .warning)
        let room = width - DisplayWidth.columns(of: "x \(elapsed)  \(total)  \(volume)")
        guard room >= 8 else {
            line.append(" \(elapsed)/\(total)")
            return line
        }
        let fraction = now.duration > 0 ? min(max(now.position / now.duration, 0), 1) : 0
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
            now.state == .playing ? "space pause" : "space play", "\(glyphs.leftRight) seek", "\(glyphs.upDown) volume",
            "q quit",
        ]
        if now.hindrance == .serverIsLost { words.removeFirst(2) }
        guard now.isSimulated else { return StyledLine(words.joined(separator: "   "), .dim) }
        words = ["u/p headphones", "c call", "x server"] + words
        return StyledLine(words.joined(separator: "  "), .dim)
    }
}
