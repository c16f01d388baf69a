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
        /// Album, format and rate; untrusted text.
        var facts: String?
    }

    /// A list below the tracks.
    enum Panel: Hashable, Sendable {
        case none
        case keys(ListPicker)
        case outputs(DevicePicker.Content)
        case songs(ListPicker.Content)
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
    var isRepeating = false
    var isShuffled = false
    /// A file has several chapters.
    var hasChapters = false
    var route: RouteFacts
    var isSimulated: Bool
    var blockReason: BlockReason?
    var panel = Panel.none
    /// Keys are read now, so they are shown.
    var hasKeys = false

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
        let roomOfList = max(0, room - 3 * now.tracks.count)
        var (keys, list): (StyledLine?, [StyledLine]) = (nil, [])
        switch now.panel {
        case .outputs(let picker):
            list = PickerLayout(glyphs: glyphs).lines(picker, hasKeys: now.hasKeys, width: width, room: room)
        case .songs(let songs): list = songList(songs, room: roomOfList)
        case .keys(let picker) where now.hasKeys: list = keyList(now, picker, room: roomOfList)
        case .none, .keys: keys = now.hasKeys ? keysLine(now, width: width) : nil
        }
        let lines = trackLines(now, keys: keys, width: width, room: room - list.count) + list
        return lines.map { $0.truncated(to: width, ellipsis: glyphs.ellipsis) }
    }

    /// What fits of bars, titles, state and keys; the bars first.
    private func trackLines(_ now: NowPlaying, keys: StyledLine?, width: Int, room: Int) -> [StyledLine] {
        let bars = now.tracks.map { barLine($0, now, width: width) }
        guard room >= 2 * bars.count else { return Array(bars.prefix(room)) }
        var lines = zip(now.tracks, bars).flatMap { [titleLine($0, now, width: width), $1] }
        // The reason replaces the route: nothing plays there now.
        let state = now.blockReason.map { blockReasonLine($0, now) } ?? routeLine(now)
        for line in [state, keys].compactMap(\.self) where lines.count < room { lines.append(line) }
        if now.tracks.count == 1, let facts = now.tracks[0].facts, lines.count < room {
            lines.insert(StyledLine(facts, .dim), at: 1)
        }
        return lines
    }

    /// The title is cut so that what follows it fits.
    private func titleLine(_ track: NowPlaying.Track, _ now: NowPlaying, width: Int) -> StyledLine {
        var rest = StyledLine()
        let modes = [now.isRepeating ? "repeat" : nil, now.isShuffled ? "shuffle" : nil]
        for place in [track.place] + modes { if let place { rest.append("  \(place)", .dim) } }
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
    private func keyList(_ now: NowPlaying, _ picker: ListPicker, room: Int) -> [StyledLine] {
        let keys = PlayKey.all(for: now, glyphs)
        let width = keys.map { DisplayWidth.columns(of: $0.name) }.max() ?? 0
        let list = picker.content(count: keys.count) {
            "\(DisplayWidth.padded(keys[$0].name, to: width))  \(keys[$0].words)"
        }
        return lines(list, title: "Keys", advice: "? close", room: room)
    }

    private func songList(_ songs: ListPicker.Content, room: Int) -> [StyledLine] {
        var songs = songs
        let width = "\(songs.first + songs.titles.count)".count
        songs.titles = songs.titles.enumerated().map { row, title in
            let number = "\(songs.first + row + 1)"
            return String(repeating: " ", count: width - number.count) + "\(number)  \(title)"
        }
        return lines(songs, title: "Files", advice: "enter play, l close", room: room)
    }

    private func lines(_ list: ListPicker.Content, title: String, advice: String, room: Int) -> [StyledLine] {
        let rows = list.titles.enumerated().map { row, title in
            let isAtCursor = list.first + row == list.cursor
            let mark = list.first + row == list.playing ? glyphs.sounding : " "
            return StyledLine("\(isAtCursor ? glyphs.cursor : " ") \(mark) \(title)", isAtCursor ? .bold : .plain)
        }
        var header = StyledLine(title, .bold)
        header.append("  \(list.cursor + 1) of \(list.count)   \(glyphs.upDown) move, \(advice)", .dim)
        let window = PickerLayout.window(of: rows, around: list.cursor - list.first, max(1, room - 1))
        return Array(([header] + window).prefix(room))
    }

    /// The keys that fit; in a narrow terminal the least useful are left out.
    private func keysLine(_ now: NowPlaying, width: Int) -> StyledLine {
        // In a call the session refuses to play.
        let isInCall = now.blockReason == .call || now.blockReason == .callForNow
        var keys = PlayKey.all(for: now, glyphs).compactMap { key -> (text: String, rank: Int)? in
            guard var hint = key.hint else { return nil }
            if now.blockReason == .serverIsLost, key.need != .nothing, key.need != .simulation { return nil }
            if key.actions.values.contains(.togglePlayPause) {
                if isInCall { return nil }
                hint += now.isPlaying ? " pause" : " play"
            }
            return (hint, key.rank)
        }
        let separator = now.isSimulated ? "  " : "   "
        func line() -> StyledLine { StyledLine(keys.map(\.text).joined(separator: separator), .dim) }
        while keys.count > 1, line().columns > width {
            let last = keys.indices.max { keys[$0].rank < keys[$1].rank }
            if let last { keys.remove(at: last) }
        }
        return line()
    }
}
