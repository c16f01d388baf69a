import AudioRuntime

/// Everything that a live display shows of a playing run.
struct NowPlaying: Hashable, Sendable {
    /// Why the run does not play, other than the person's own pause.
    enum BlockReason: Hashable, Sendable {
        /// Playback resumes if the other program deactivates its session and notifies the others.
        case interruptedForNow
        case interrupted
        /// A call interrupted; playback resumes when it ends.
        case callForNow
        /// A call interrupted, and the person had paused.
        case call
        /// A call did not let it begin.
        case refused
        /// The output in use was disconnected; playback resumes if these are connected again.
        case outputLeft(waitsFor: [String] = [])
        /// The item is being opened.
        case opening
        /// What comes next has not come from the item's server.
        case waitingForServer
        /// The output takes no sound.
        case outputStands
        case serverIsLost
        /// A server is running again.
        case serverWasLost
        /// It played on an output that is gone with the server, and would continue on one that others hear.
        case outputIsNotPrivate
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
        /// "2/5 Title", of the file's chapters; untrusted text, nil without them.
        var chapter: String?
    }

    /// At least one; several if each file has its own output.
    var tracks: [Track]
    /// 0...1.
    var volume: Float
    var isMuted = false
    /// 1 is the file's own.
    var speed: Float = 1
    /// There are several items, one after the other.
    var canSkip = false
    /// A file has several chapters.
    var hasChapters = false
    var route: RouteFacts
    var isSimulated: Bool
    var blockReason: BlockReason?
    /// While the list of outputs is open.
    var picker: DevicePicker.Content?
    /// Keys are read now, so they are shown.
    var hasKeys = false
    /// The list of all keys is open.
    var showsKeys = false

    var isPlaying: Bool { tracks.contains { $0.state == .playing } }
}

/// Lays out what is playing for a terminal's size.
///
/// Pure.
struct PlayLayout {
    var glyphs: Glyphs

    /// As `LiveContent`; the bar is the last to be left out.
    func lines(_ now: NowPlaying, size: TerminalSize) -> [StyledLine] {
        let width = max(1, size.columns - 1)
        // One line is left for the events that scroll above.
        let room = max(1, size.rows - 1)
        let lines: [StyledLine]
        if let picker = now.picker {
            let list = PickerLayout(glyphs: glyphs).lines(picker, hasKeys: now.hasKeys, width: width, room: room)
            lines = trackLines(now, keys: nil, width: width, room: room - list.count) + list
        } else if now.showsKeys, now.hasKeys {
            let list = keyList(now).prefix(max(0, room - 3 * now.tracks.count))
            lines = trackLines(now, keys: nil, width: width, room: room - list.count) + list
        } else {
            lines = trackLines(now, keys: now.hasKeys ? keysLine(now, width: width) : nil, width: width, room: room)
        }
        return lines.map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    /// What fits of bars, titles, state and keys; the bars first.
    private func trackLines(_ now: NowPlaying, keys: StyledLine?, width: Int, room: Int) -> [StyledLine] {
        let bars = now.tracks.map { barLine($0, now, width: width) }
        guard room >= 2 * bars.count else { return Array(bars.prefix(room)) }
        var lines = zip(now.tracks, bars).flatMap { [titleLine($0, width: width), $1] }
        // The reason replaces the route: nothing plays there now.
        let state = now.blockReason.map { blockReasonLine($0, now) } ?? routeLine(now)
        for line in [state, keys].compactMap(\.self) where lines.count < room { lines.append(line) }
        return lines
    }

    /// The title is cut so that what follows it fits.
    private func titleLine(_ track: NowPlaying.Track, width: Int) -> StyledLine {
        var rest = StyledLine()
        if let place = track.place { rest.append("  \(place)", .dim) }
        if let output = track.output { rest.append("  \(glyphs.arrow) \(output)", .dim) }
        if let chapter = track.chapter {
            let room = width - rest.columns - 2 * Self.shortestTitle
            let text = DisplayWidth.truncate(chapter.printable, to: max(0, room), ellipsis: glyphs.ellipsis)
            if room >= Self.shortestTitle { rest = StyledLine("  \(text)") + rest }
        }
        let room = max(Self.shortestTitle, width - rest.columns)
        let title = DisplayWidth.truncate(track.title.printable, to: room, ellipsis: glyphs.ellipsis)
        return StyledLine(title, .bold) + rest
    }

    private static let shortestTitle = 8

    /// "▶ 0:12 ━━━━━━──── 3:25  80 %"; without the bar if it would be shorter than 8 columns.
    private func barLine(_ track: NowPlaying.Track, _ now: NowPlaying, width: Int) -> StyledLine {
        let isPlaying = track.state == .playing
        let elapsed = NumberText.clock(track.duration > 0 ? min(track.position, track.duration) : track.position)
        let total = track.duration > 0 ? NumberText.clock(track.duration) : "-:--"
        let speed = now.speed == 1 ? "" : "  \(Double(now.speed).fixed(1))x"
        let volume = (now.isMuted ? "muted" : "\(Int((now.volume * 100).rounded())) %") + speed
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

    private func blockReasonLine(_ blockReason: NowPlaying.BlockReason, _ now: NowPlaying) -> StyledLine {
        let output = now.route.outputs.map(\.name.printable).joined(separator: " + ")
        let (text, remedy): (String, String?) =
            switch blockReason {
            case .interruptedForNow: ("interrupted; resumes by itself", "space plays now on \(output)")
            case .interrupted: ("interrupted", "space plays now on \(output)")
            case .callForNow: ("a call is on; resumes when it ends", nil)
            case .call: ("a call is on; nothing plays until it ends", nil)
            case .refused: ("a call is on; nothing plays until it ends", "then space plays")
            case .outputLeft(let names):
                (
                    names.isEmpty
                        ? "paused: the output was disconnected"
                        : "\(names.joined(separator: " + ")) left; resumes when it is back", "space plays on \(output)"
                )
            case .opening: ("opening", nil)
            case .waitingForServer: ("waiting for the server of the sound", nil)
            case .outputStands: ("the output takes no sound", "d chooses another")
            case .serverIsLost: ("no connection to the sound server; waiting for it", nil)
            case .serverWasLost: ("the sound server is running again", "space plays on \(output)")
            case .outputIsNotPrivate: ("waiting for the output that played, or headphones", "space plays on \(output)")
            }
        // Without an output there is nothing to play on.
        let advice = now.hasKeys && !(now.route.outputs.isEmpty && blockReason != .refused) ? remedy : nil
        return StyledLine([text, advice].compactMap(\.self).joined(separator: "; "), .warning)
    }

    /// Every key and what it does, one a line.
    private func keyList(_ now: NowPlaying) -> [StyledLine] {
        var keys = [
            ("space", "pause, play"), (glyphs.leftRight, "5 s back, 5 s forward"), (glyphs.upDown, "louder, quieter"),
            ("m", "mute"), ("[ ]", "slower, faster"), ("backspace", "the file's own speed"),
        ]
        if now.canSkip { keys.append(("n b", "next file, previous file")) }
        if now.hasChapters { keys.append((", .", "previous chapter, next chapter")) }
        keys += [("d", "list of outputs"), ("?", "close this list"), ("q", "quit")]
        if now.isSimulated {
            keys += [
                ("u p", "unplug the headphones, plug them in"), ("c", "a call comes in, or ends"),
                ("x", "the sound server stops, or starts"),
            ]
        }
        let width = keys.map { DisplayWidth.columns(of: $0.0) }.max() ?? 0
        return keys.map { key, action in
            var line = StyledLine("  \(DisplayWidth.padded(key, to: width))")
            line.append("  \(action)", .dim)
            return line
        }
    }

    /// The keys that fit; in a narrow terminal the least useful are left out.
    private func keysLine(_ now: NowPlaying, width: Int) -> StyledLine {
        // A smaller rank stays longer.
        var keys: [(text: String, rank: Int)] = []
        if now.isSimulated { keys += [("u/p plug", 3), ("c call", 7), ("x server", 8)] }
        // In a call the session refuses to play.
        let isInCall = now.blockReason == .call || now.blockReason == .callForNow
        if now.blockReason != .serverIsLost {
            if !isInCall { keys.append((now.isPlaying ? "space pause" : "space play", 0)) }
            keys.append(("\(glyphs.leftRight) seek", 4))
            if now.canSkip { keys.append(("n/b next", 3)) }
            if now.hasChapters { keys.append((",/. chapter", 3)) }
        }
        keys += [
            ("\(glyphs.upDown) volume", 5), ("m mute", 9), ("[/] speed", 10), ("d device", 6), ("? keys", 2),
            ("q quit", 1),
        ]
        let separator = now.isSimulated ? "  " : "   "
        func line() -> StyledLine { StyledLine(keys.map(\.text).joined(separator: separator), .dim) }
        while keys.count > 1, line().columns > width {
            let last = keys.indices.max { keys[$0].rank < keys[$1].rank }
            if let last { keys.remove(at: last) }
        }
        return line()
    }
}
