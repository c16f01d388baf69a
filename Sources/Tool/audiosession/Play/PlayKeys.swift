/// What a key, the desktop or a media key asks a player for.
enum PlayAction: Hashable, Sendable {
    case play, pause, togglePlayPause, quit, mute, next, previous
    case seek(PlaySeek)
    /// From 0 to 1, and a change of it.
    case setVolume(Float), volume(Float)
    /// A speed, and a change of it; nil: the file's own.
    case setSpeed(Float), speed(Float?)
    /// Everything plays again without end, or once; in random order, or as given; nil: the other one.
    case loop(Bool?), shuffle(Bool?)
    /// The next of `PlayPlan.Gain`.
    case gain
    /// Lists that open and close.
    case songs, outputs, keys
    /// Of the simulated machine.
    case plug(Bool), call, server
}

/// Where a key seeks to in an item.
enum PlaySeek: Hashable, Sendable {
    /// Seconds.
    case by(Double), to(Double)
    case tenths(Int)
    case nextChapter, previousChapter

    /// In seconds; nil where there is no such place.
    ///
    /// - Parameter duration: in seconds; 0 if it is not known.
    func target(from position: Double, duration: Double, chapters: ChapterList = ChapterList()) -> Double? {
        switch self {
        // A key that is held stays in the last second: it does not run into the next item.
        case .by(let seconds) where seconds > 0 && duration > 0: max(0, min(position + seconds, duration - 1))
        case .by(let seconds): max(0, position + seconds)
        case .to(let seconds): max(0, seconds)
        case .tenths(let tenths): duration > 0 ? duration * Double(tenths) / 10 : nil
        case .nextChapter: chapters.start(after: position)
        case .previousChapter: chapters.start(before: position)
        }
    }
}

/// A key, or several that belong together: what they do, and what the screen and the help say of it.
struct PlayKey {
    /// What has to be there so that the key does something.
    enum Need { case nothing, sound, several, chapters, simulation }

    /// "n b", "next file, previous file".
    let name, words: String
    let actions: [Key: PlayAction]
    /// In the line of keys; nil: it is in the list only.
    let hint: String?
    /// The greatest is the first that a narrow terminal leaves out.
    let rank: Int
    let need: Need

    private init(
        _ name: String, _ words: String, _ actions: [Key: PlayAction], _ hint: String? = nil, _ rank: Int = 0,
        _ need: Need = .nothing
    ) {
        (self.name, self.words, self.actions) = (name, words, actions)
        (self.hint, self.rank, self.need) = (hint, rank, need)
    }

    static func action(_ key: Key) -> PlayAction? {
        guard case .character(let letter) = key else { return actions[key] }
        return actions[.character(Character(letter.lowercased()))]
    }

    private static let actions = all(.ascii).reduce(into: [:]) { $0.merge($1.actions) { $1 } }

    /// The lines of the help.
    static let help = all(.ascii).map { "  \(DisplayWidth.padded($0.name, to: 10))  \($0.words)" }
        .joined(separator: "\n")

    /// Those that do something now.
    static func all(for now: NowPlaying, _ glyphs: Glyphs) -> [PlayKey] {
        let lacks: [Need: Bool] = [.several: !now.canSkip, .chapters: !now.hasChapters, .simulation: !now.isSimulated]
        return all(glyphs).filter { lacks[$0.need] != true }
    }

    static func all(_ glyphs: Glyphs) -> [PlayKey] {
        let tenths = (0...9).map { (Key.character(Character("\($0)")), PlayAction.seek(.tenths($0))) }
        let (sides, heights) = (glyphs.leftRight, glyphs.upDown)
        let skips: [Key: PlayAction] = ["n": .next, ">": .next, "b": .previous, "<": .previous]
        let chapters: [Key: PlayAction] = [",": .seek(.previousChapter), ".": .seek(.nextChapter)]
        let plug: [Key: PlayAction] = ["u": .plug(false), "p": .plug(true)]
        return [
            .init("u p", "unplug the headphones, plug them in", plug, "u/p plug", 3, .simulation),
            .init("c", "a call comes in, or ends", ["c": .call], "c call", 7, .simulation),
            .init("x", "the sound server stops, or starts", ["x": .server], "x server", 8, .simulation),
            .init("space", "pause, play", [" ": .togglePlayPause], "space", 0, .sound),
            .init(sides, "5 s back, on", [.left: .seek(.by(-5)), .right: .seek(.by(5))], "\(sides) seek", 4, .sound),
            .init("PgDn PgUp", "60 s back, on", [.pageDown: .seek(.by(-60)), .pageUp: .seek(.by(60))]),
            .init("0 to 9", "go to 0 %, 10 %, and so on to 90 %", Dictionary(uniqueKeysWithValues: tenths)),
            .init("n b", "next file, previous file", skips, "n/b next", 3, .several),
            .init("l", "list of files: choose one", ["l": .songs], "l list", 7, .several),
            .init("s", "shuffle, or as given", ["s": .shuffle(nil)], nil, 0, .several),
            .init("r", "repeat, or not", ["r": .loop(nil)]),
            .init(", .", "previous chapter, next chapter", chapters, ",/. chapter", 3, .chapters),
            .init(heights, "louder, quieter", [.up: .volume(0.05), .down: .volume(-0.05)], "\(heights) volume", 5),
            .init("m", "mute", ["m": .mute], "m mute", 9),
            .init("[ ]", "slower, faster", ["[": .speed(-0.1), "]": .speed(0.1)], "[/] speed", 10),
            .init("g", "gain by the tags: of the track, of the album, off", ["g": .gain]),
            .init("backspace", "the file's own speed", [.backspace: .speed(nil)]),
            .init("d", "list of outputs: choose one", ["d": .outputs], "d device", 6),
            .init("?", "this list", ["?": .keys], "? keys", 2), .init("q", "quit", ["q": .quit], "q quit", 1),
        ]
    }
}
