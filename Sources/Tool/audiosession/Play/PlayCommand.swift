import ArgumentParser
import AudioRuntime
import Glibc
import OpenAudioSession
import ProgramRuntime
import SessionRuntime

/// `audiosession play`.
struct PlayCommand: ParsableCommand {
    enum InterruptionChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case ignore
    }

    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play files, directories, playlists and addresses one after another, without a gap.",
        // The list of files has an empty default, so that `validate` can explain that one is required.
        usage: "audiosession play [<options>] <file> ...",
        discussion: """
            A directory stands for the sound files in it and in its directories, sorted; a playlist (.m3u, .m3u8, .pls), also \
            one at an address, for what it names; a cue sheet (.cue) for its tracks; - for the standard input, which is read to its end first. An address (http, https) is \
            that of a file or a radio station. After --, a name may begin with a dash.

            KEYS
            \(PlayKey.help)

            In a terminal; those for several files, for chapters and for the simulated host (the first three) are there with them. \
            Elsewhere each event is a line of text, or of JSON (docs/events.md). The desktop's media controls and playerctl work anywhere.

            OUTPUTS
            When the output in use is disconnected, playback pauses. It goes on when that output is back within 10 minutes, unless you \
            have paused it or another program plays (--on-return, --return-within). --device and --port-type choose an output for whenever it \
            is connected. --channel-map gives, for each channel of the output, the channel of the \
            file that it plays, from 0, or -1 for silence. --multi-route opens all wired outputs at once: the map then \
            covers the channels of all outputs in order, and without a map the first two channels of the first output \
            play. With --to after each file, all files play at once, each on its own output.

            OTHER PROGRAMS
            Of two players, the newer one interrupts the older one, which resumes when the newer one ends, unless one of them mixes \
            (--options mixWithOthers) or ignores interruptions. Space takes the sound back, except from a call.

            If the sound server stops, playback waits for it and for the key space in a terminal, and ends with status 1 elsewhere. \
            With --on-server-loss resume it needs no key; what was not on the speaker then waits for the same output or for headphones.

            DEFAULTS
            The file ~/.config/audiosession/play.conf, and /etc/audiosession/play.conf before it, may have options that the command line \
            outranks:
              play.settings = { on-return = stay speed = 1.2 resume = true }

            ERRORS
            A file that cannot be played is reported, the next one plays, and the exit status is 1. SIGINT (Control-C) and SIGTERM fade out \
            and quit, a second one at once. A server of https proves its name by the system's authorities or the file SSL_CERT_FILE, unless \
            --insecure.

            EXAMPLES
              audiosession play song.flac
              audiosession play Music/Album --shuffle --loop --volume 0.5
              audiosession play talk.m4a --start 1:02:30 --speed 1.5
              audiosession play book.m4b --resume
              curl -s https://example.org/song.mp3 | audiosession play -
              audiosession play song.wav --events json | jq .event
              audiosession play song.flac --port-type headphones
              audiosession play talk.mp3 --effect mda-limiter:thresh=0.5
              audiosession play film.flac --to HDMI music.flac --to headphones
            """)

    @Argument(
        help: ArgumentHelp(
            "Files (WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3, M4A and others), directories, playlists, http addresses, "
                + "or -; --to may follow each file.",
            valueName: "file"),
        completion: .file())
    var words: [PlayWord] = []

    var files: [FilePath] { words.compactMap { if case .file(let path) = $0 { path } else { nil } } }

    @OptionGroup var session: SessionOption

    @Option(
        help: ArgumentHelp(
            "Play on this output while it is connected: its uid or name ('audiosession route' lists them).",
            valueName: "uid|name"),
        completion: .custom { _, _, _ in Completions.outputs() })
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Play on the first output of this type while one is connected: "
                + "\(PortTypeWords.words.joined(separator: ", ")), or a raw value of AVAudioSession.Port.",
            valueName: "type"),
        completion: .list(PortTypeWords.words), transform: { try PortTypeWords.value(for: $0) })
    var portType: AVAudioSession.Port?

    @Option(
        help: ArgumentHelp(
            "After each file: the only output of this file, by uid, name or port type. All files play at once.",
            valueName: "output"),
        completion: .custom { _, _, _ in Completions.outputsAndTypes() })
    var to: String?

    @Flag(help: "Open all wired outputs at once (category multiRoute).")
    var multiRoute = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "For each channel of the outputs, a channel of the file, from 0, or -1 for silence: 0,1,-1,-1.",
            valueName: "channel,..."),
        transform: { try channelList($0) })
    var channelMap: [Int]?

    @Option(help: ArgumentHelp("When the output in use is disconnected: pause, continue or quit.", valueName: "action"))
    var onUnplug = PlayPlan.Unplug.pause

    @OptionGroup var back: ReturnOption

    @Option(help: ArgumentHelp("When another program takes over the audio: pause or ignore.", valueName: "action"))
    var onInterruption: InterruptionChoice = .pause

    @Option(help: ArgumentHelp("When the sound server stops: quit, wait or resume.", valueName: "action"))
    var onServerLoss: PlayPlan.ServerLoss?

    @OptionGroup var host: HostOption

    // Unconditional: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The volume, from 0 (silent) to 1 (unchanged). (default: in a terminal as you left it, otherwise 1)",
            valueName: "volume"),
        transform: {
            try number($0, in: 0...1, rule: "from 0 (silent) to 1 (unchanged), for example: --volume 0.5")
        })
    var volume: Double?

    @Option(help: ArgumentHelp("The format of events: text or json.", valueName: "format"))
    var events: EventStyle = .text

    @Option(
        help: ArgumentHelp(
            "Play everything again: --loop without end, --loop 3 three times in all. (default: 1)", valueName: "count"),
        transform: { try Rounds($0) })
    var loop = Rounds(1)

    @Flag(help: "Play in random order.")
    var shuffle = false

    @Flag(
        inversion: .prefixedNo,
        help: "Begin where the last run with --resume has left one of the files, and keep where this one leaves it.")
    var resume = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where the first file begins: 90, 1:30 or 1:02:30. (default: 0)", valueName: "time"),
        transform: { try startTime($0) })
    var start: Double = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How fast to play, from 0.25 to 4, at the same pitch. (default: 1)", valueName: "speed"),
        transform: { try number($0, in: 0.25...4, rule: "from 0.25 to 4, for example: --speed 1.5") })
    var speed: Double = 1

    @Option(
        help: ArgumentHelp(
            "Play all files as loud as each other, by their tags (ReplayGain, R128): track, album (the songs of one keep "
                + "their differences) or off.", valueName: "which"))
    var replayGain = PlayPlan.Gain.off

    @Option(
        help: ArgumentHelp(
            "An effect that the sound goes through, with settings; may be given several times ('audiosession effects' lists "
                + "them): NAME or NAME:key=value:key=value.",
            valueName: "effect"),
        completion: .custom { _, _, _ in EffectListing.all.map(\.word) }, transform: { try EffectChoice($0) })
    var effect: [EffectChoice] = []

    @Flag(
        help: ArgumentHelp(
            "Play https addresses of servers that cannot prove who they are, and those that redirect to http; anybody on the "
                + "way can then read and change what is played."))
    var insecure = false

    @Flag(
        help: ArgumentHelp(
            "Wait for an output where there is none. (default: in a terminal; otherwise an error after 10 s)"))
    var wait = false

    @Flag(name: .shortAndLong, help: "Print only errors, and events if --events json is given.")
    var quiet = false

    func validate() throws {
        try validateOutputs()
        guard session.settings.category != .record else {
            let words = SessionWords.categories.words.filter { $0 != "record" }
            throw ValidationError(
                "the category 'record' has no output. Use one of: \(words.joined(separator: ", ")).")
        }
    }

    private func validateOutputs() throws {
        _ = try PlayWord.pairs(words)
        guard !files.isEmpty else {
            throw ValidationError("no file was given. Give at least one, for example: audiosession play song.flac")
        }
        func exclude(_ option: String, _ isGiven: Bool, with other: String, because reason: String) throws {
            guard isGiven else { return }
            throw ValidationError("\(option) and \(other) cannot be combined: \(reason). Remove one of them.")
        }
        if isPerFile || multiRoute, let category = session.givenCategory, category != .multiRoute {
            throw ValidationError(
                "\(isPerFile ? "--to" : "--multi-route") requires category multiRoute, but --category is "
                    + "'\(SessionWords.categories.word(for: category))'. Remove one of them.")
        }
        try exclude(
            "--device", device != nil && portType != nil, with: "--port-type", because: "both choose the output")
        if isPerFile {
            try exclude("--to", shuffle, with: "--shuffle", because: "all files play at once")
            let reason = "--to chooses the output of each file"
            try exclude("--to", device != nil, with: "--device", because: reason)
            try exclude("--to", portType != nil, with: "--port-type", because: reason)
            try exclude("--to", channelMap != nil, with: "--channel-map", because: "each file has its own output")
        }
        if channelMap != nil, category == .multiRoute {
            let reason = "the map covers the channels of all outputs"
            try exclude("--channel-map", device != nil, with: "--device under multiRoute", because: reason)
            try exclude("--channel-map", portType != nil, with: "--port-type under multiRoute", because: reason)
        }
    }

    /// Of each file, where they have one.
    private var outputs: [String] { words.compactMap { if case .output(let name) = $0 { name } else { nil } } }

    private var isPerFile: Bool { !outputs.isEmpty }

    /// A file's own output may be the speaker; it is silent where none names it.
    private var namesSpeaker: Bool {
        isPerFile || portType == .builtInSpeaker || device.flatMap(PortTypeWords.type) == .builtInSpeaker
    }

    /// The session's category, by all options.
    private var category: AVAudioSession.Category {
        multiRoute || isPerFile ? .multiRoute : session.settings.category
    }

    var trust: FilePlayer.ServerTrust { insecure ? .anyServer : FilePlayer.ServerTrust() }

    private var deviceSelector: DeviceSelector? {
        isPerFile ? .perFile(outputs) : device.map(DeviceSelector.device) ?? portType.map(DeviceSelector.portType)
    }

    func run() throws {
        var settings = session.settings
        settings.category = category
        // Who names the speaker means it; the variable of the environment still decides where it is set.
        if namesSpeaker { setenv(SessionEnvironment.multiRouteSpeakerVariable, "always", 0) }
        var plan = PlayPlan(
            items: isPerFile ? files.map(PlayPlan.Item.init) : [], settings: settings,
            policy: FilePlayer.Policy(
                onDeviceLoss: onUnplug == .continue ? .continue : .pause,
                onInterruption: onInterruption == .ignore ? .ignore : .pauseAndResume),
            volume: Float(volume ?? 1), startSeconds: start, speed: Float(speed), rounds: loop.count,
            onServerLoss: onServerLoss)
        plan.onUnplug = onUnplug
        plan.onReturn = back.rule
        plan.channelMap = channelMap
        plan.trust = trust
        plan.effects = effect.map(\.unit)
        plan.gain = replayGain
        plan.isRemoteControlled = true
        plan.memory = PlayMemory.path
        (plan.resumes, plan.keepsVolume) = (resume && !isPerFile, volume == nil)
        plan.waitsForOutput = wait
        try plan.run(
            listing: isPerFile ? [] : files, isShuffled: shuffle, on: deviceSelector, host: host.host,
            style: events == .json ? .json : quiet ? .errorsOnly : .live)
    }
}

extension PlayPlan.ServerLoss: ExpressibleByArgument {}
extension PlayPlan.Unplug: ExpressibleByArgument {}
extension PlayPlan.Gain: ExpressibleByArgument {}

/// How often everything plays.
struct Rounds: Hashable {
    /// The word of `--loop` without a number.
    static let endless = "endless"

    /// nil: without end.
    var count: Int?

    init(_ count: Int) { self.count = count }

    init(_ word: String) throws {
        count = Int(word)
        guard word == Self.endless || (1...1_000_000).contains(count ?? 0) else {
            throw ValidationError("it must be a whole number from 1 to 1000000, for example: --loop 3")
        }
    }
}

/// Seconds: "90", "1:30.5" or "1:02:30".
private func startTime(_ word: String) throws -> Double {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    let isValid =
        (1...3).contains(parts.count) && parts.allSatisfy { $0.map { $0 >= 0 && $0.isFinite } ?? false }
        && parts.dropFirst().allSatisfy { ($0 ?? 60) < 60 }
    let seconds = parts.reduce(0) { $0 * 60 + ($1 ?? 0) }
    guard isValid, seconds <= 360_000 else {
        throw ValidationError(
            "it must be a time in seconds, minutes:seconds or hours:minutes:seconds, at most 100 hours, for example: --start 1:30"
        )
    }
    return seconds
}

private func channelList(_ words: String) throws -> [Int] {
    try words.split(separator: ",", omittingEmptySubsequences: false).map { word in
        guard let channel = Int(word), channel >= -1 else {
            throw ValidationError(
                "'\(word)' is not a channel. Give one for each channel of the outputs, from 0, or -1 for silence, for "
                    + "example: --channel-map 0,1,-1,-1")
        }
        return channel
    }
}
