import ArgumentParser
import AudioModel
import SessionCore

/// `audiosession play`.
struct PlayCommand: ParsableCommand {
    enum UnplugChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case `continue`
    }

    enum InterruptionChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case ignore
    }

    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play files one after another.",
        // The list of files has an empty default so that `validate` can say in its own words that one is needed.
        usage: "audiosession play [<options>] <file> ...",
        discussion: """
            In a terminal: space pauses and resumes, left and right seek 5 s, up and down change the volume, d shows the \
            outputs (up and down move, enter chooses, d closes), q quits; on the simulated host u unplugs the headphones \
            and p plugs them in again, c lets a call come and end, and x kills the server and starts it again. Elsewhere: \
            a line for each event, or with --events json an object (docs/events.md); then nobody can press space after an \
            unplug, so use --on-unplug continue where the music must go on.

            --device and --port-type choose an output. While it is away the sound goes where it would without them, and \
            once it returns goes back there. --channel-map says for each channel of the output which channel of the file \
            it plays, from 0, or -1 for silence. --multi-route opens all wired outputs at once: the map is then for their \
            channels in turn, and without one the first two channels of the first output play. --to after each file plays \
            all of them at once, each on its own output.

            Two players do not play at once: the newer interrupts the older, which goes on when the newer one is done, \
            unless one of them mixes (--options mixWithOthers) or is told to ignore the other (--on-interruption). While \
            interrupted, space takes the sound back; while a call is on it cannot.

            When the sound server dies the music is over: --on-server-loss quit ends with exit status 1, wait goes on \
            where it was when you press space and a server is there again, resume goes on by itself. (default: wait in a \
            terminal, quit elsewhere)

            A file that cannot be played is named on standard error and the others are played; the exit status is then 1.
            SIGINT and SIGTERM fade out and leave; a second one leaves at once.

            EXAMPLES
              audiosession play song.flac
              audiosession play a.ogg b.ogg --volume 0.5 --on-unplug continue
              audiosession play talk.mp3 --mode spokenAudio
              audiosession play rain.ogg --options mixWithOthers
              audiosession play song.wav --events json | jq .event
              audiosession play song.flac --port-type headphones
              audiosession play quad.wav --multi-route --channel-map 0,1,2,3
              audiosession play film.flac --to HDMI music.flac --to headphones
            """)

    @Argument(
        help: ArgumentHelp(
            "Audio files: WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3; each with its --to, if any.", valueName: "file"),
        completion: .file())
    var words: [PlayWord] = []

    var files: [String] { words.compactMap { if case .file(let path) = $0 { path } else { nil } } }

    @OptionGroup var session: SessionOption

    @Option(
        help: ArgumentHelp(
            "Play on this output while it is there, by its uid or name ('audiosession route' lists them).",
            valueName: "uid|name"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Play on the first output of this type while there is one: \(PortTypeWords.words.joined(separator: ", ")), "
                + "or a raw value of AVAudioSession.Port.", valueName: "type"),
        completion: .list(PortTypeWords.words), transform: { try portKind($0) })
    var portType: PortKind?

    @Option(
        help: ArgumentHelp(
            "After each file: play it on this output only, by uid, name or port type, and all files at once.",
            valueName: "output"))
    var to: String?

    @Flag(help: "Open all wired outputs at once (category multiRoute).")
    var multiRoute = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "For each channel of the outputs the file's channel, from 0, or -1 for silence: 0,1,-1,-1.",
            valueName: "channel,..."),
        transform: { try channelList($0) })
    var channelMap: [Int]?

    @Option(help: ArgumentHelp("When the output in use goes away: pause or continue.", valueName: "what"))
    var onUnplug: UnplugChoice = .pause

    @Option(help: ArgumentHelp("When another program takes the sound: pause or ignore it.", valueName: "what"))
    var onInterruption: InterruptionChoice = .pause

    @Option(help: ArgumentHelp("When the sound server dies: quit, wait or resume.", valueName: "what"))
    var onServerLoss: PlayPlan.ServerLoss?

    @OptionGroup var host: HostOption

    // Unconditionally: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Loudness from 0 (silent) to 1 (as it is in the file). (default: 1)", valueName: "volume"),
        transform: { try loudness($0) })
    var volume: Double = 1

    @Option(help: ArgumentHelp("How to report events: text or json.", valueName: "style"))
    var events: EventStyle = .text

    @Flag(name: .shortAndLong, help: "Nothing but errors; events only where --events json asks for them.")
    var quiet = false

    func validate() throws {
        try validateOutputs()
        guard RoutePolicy.hasOutput(session.category) else {
            let words = SessionWords.categories.entries.filter { RoutePolicy.hasOutput($0.value) }.map(\.word)
            throw ValidationError(
                "the category '\(session.category)' has no output to play on. "
                    + "Use one of: \(words.joined(separator: ", ")).")
        }
    }

    private func validateOutputs() throws {
        let isSpread = try PlayWord.pairs(words).contains { $0.output != nil }
        guard !files.isEmpty else {
            throw ValidationError("no file is named. Name at least one: audiosession play song.flac, say.")
        }
        func exclude(_ option: String, _ isGiven: Bool, with other: String, because reason: String) throws {
            guard isGiven else { return }
            throw ValidationError("\(option) and \(other) exclude each other: \(reason). Leave one of them out.")
        }
        if isSpread || multiRoute, let category = session.givenCategory, category != .multiRoute {
            throw ValidationError(
                "\(isSpread ? "--to" : "--multi-route") means --category multiRoute, and --category is '\(category)'. "
                    + "Leave one of the two out.")
        }
        try exclude(
            "--device", device != nil && portType != nil, with: "--port-type", because: "each names the output")
        if isSpread {
            let reason = "--to names the output of each file"
            try exclude("--to", device != nil, with: "--device", because: reason)
            try exclude("--to", portType != nil, with: "--port-type", because: reason)
            try exclude("--to", channelMap != nil, with: "--channel-map", because: "each file has an output of its own")
        }
        if channelMap != nil, category == .multiRoute {
            let reason = "the map names the channels of all outputs"
            try exclude("--channel-map", device != nil, with: "--device under multiRoute", because: reason)
            try exclude("--channel-map", portType != nil, with: "--port-type under multiRoute", because: reason)
        }
    }

    /// That of the session, once all options are heard.
    private var category: SessionCategory {
        multiRoute || words.contains { if case .output = $0 { true } else { false } } ? .multiRoute : session.category
    }

    private var wish: DeviceWish? {
        let outputs = words.compactMap { if case .output(let name) = $0 { name } else { nil } }
        if !outputs.isEmpty { return .perFile(outputs) }
        return device.map(DeviceWish.device) ?? portType.map(DeviceWish.portType)
    }

    func run() throws {
        var configuration = session.configuration
        configuration.category = category
        var plan = PlayPlan(
            items: PlayPlan.items(files), configuration: configuration,
            policy: StreamPolicy(
                onDeviceLoss: onUnplug == .continue ? .continue : .pause,
                onInterruption: onInterruption == .ignore ? .ignore : .pause),
            volume: Float(volume), onServerLoss: onServerLoss)
        plan.channelMap = channelMap
        let performance = Performance(
            plan: plan, device: wish, host: host.host, style: events == .json ? .json : quiet ? .quiet : .text)
        if try performance.run() == false { throw ExitCode(1) }
    }
}

extension PlayPlan.ServerLoss: ExpressibleByArgument {}

private func portKind(_ word: String) throws -> PortKind {
    do {
        return try PortTypeWords.value(for: word)
    } catch {
        throw ValidationError("\(error)")
    }
}

private func channelList(_ words: String) throws -> [Int] {
    try words.split(separator: ",", omittingEmptySubsequences: false).map { word in
        guard let channel = Int(word), channel >= -1 else {
            throw ValidationError(
                "'\(word)' is no channel. Give one for each channel of the outputs, from 0, or -1 for silence: "
                    + "--channel-map 0,1,-1,-1, say.")
        }
        return channel
    }
}

private func loudness(_ word: String) throws -> Double {
    guard let volume = Double(word), (0...1).contains(volume) else {
        throw ValidationError("it must be a number from 0 (silent) to 1 (full): --volume 0.5, say.")
    }
    return volume
}
