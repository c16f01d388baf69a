import AudioDeviceSelection
import AudioRuntime
import Foundation
import OpenAudioSession
import ProgramRuntime

/// What to play, and how.
struct PlayPlan: Sendable {
    /// A track in a file that a cue sheet divides.
    struct Part: Hashable, Sendable {
        /// In seconds of the file.
        var begin: Double
        /// nil: the file's own end.
        var end: Double?
        /// Instead of what the file's tags say.
        var title: String
        var performer: String?
        var album: String?
    }

    struct Item: Sendable {
        var source: MediaSource
        /// The name in events.
        var name: String
        /// The title in a live display; nil for the file's own title, or its name.
        var title: String?
        /// The only output of this file, which plays beside the others; nil follows the session's route.
        var output: PortFacts?
        /// nil: the whole file.
        var part: Part?

        /// Where it begins, in seconds of its file.
        var begin: Double { part?.begin ?? 0 }

        /// In seconds; 0 if it is not known.
        func duration(ofFile seconds: Double) -> Double {
            // A sheet may be that of another file.
            let end = part?.end.map { seconds > 0 ? min($0, seconds) : $0 } ?? seconds
            return max(0, end - begin)
        }

        /// The last component of the name.
        var shortName: String { name.withoutAddressSecrets.split(separator: "/").last.map(String.init) ?? name }

        init(source: MediaSource, name: String, title: String? = nil) {
            (self.source, self.name, self.title) = (source, name, title)
        }

        init(_ path: FilePath) { self.init(source: .file(path), name: path.name) }

        /// nil for what is no file, and for a name that is not UTF-8.
        var absolutePath: String? {
            guard case .file(let path) = source else { return nil }
            return path.text.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        }
    }

    /// What to do when the output in use is disconnected.
    enum Unplug: String, CaseIterable, Sendable {
        /// Pause until a person, or a program for it, plays on.
        case pause
        /// Play on, on another output.
        case `continue`
        /// End the run with an error.
        case quit
    }

    /// What to do when the sound server stops.
    enum ServerLoss: String, CaseIterable, Sendable {
        /// End the run with an error.
        case quit
        /// Continue when a server is running again and the person presses a key.
        case wait
        /// Continue automatically when a server is running again, on an output that an unplug would allow.
        case resume
    }

    /// By which tags all files are as loud as each other.
    enum Gain: String, CaseIterable, Sendable {
        case off, track, album

        /// The next one, and after the last the first.
        var next: Gain { [.off: .track, .track: .album][self] ?? .off }
    }

    var items: [Item]
    var settings = SessionSettings()
    var policy = FilePlayer.Policy()
    /// Which servers may answer at an https address.
    var trust = FilePlayer.ServerTrust()
    /// PipeWire's `media.role`.
    var role = "Music"
    /// 0...1, linear amplitude.
    var volume: Float = 1
    /// The item that plays first.
    var startIndex = 0
    /// Where that item begins, in seconds.
    var startSeconds = 0.0
    /// The file of `PlayMemory`; nil: the run keeps nothing.
    var memory: String?
    /// In a terminal, it begins with the volume that the run before had.
    var keepsVolume = false
    /// It begins where a run before has left one of the files, and keeps where it leaves them.
    var resumes = false
    /// How fast it plays, at the same pitch.
    var speed: Float = 1
    var gain = Gain.off
    /// How often everything plays; nil: without end.
    var rounds: Int? = 1
    /// The items play in random order.
    var isShuffled = false
    /// The output; it is chosen before the run begins.
    var choice = AudioDevices.Choice.automatic
    /// What the sound of each file goes through, in this order.
    var effects: [EffectListing.Unit] = []
    /// For each channel of the output a channel of the file, or -1.
    var channelMap: [Int]?
    var onUnplug = Unplug.pause
    /// What to do when that output is back.
    var onReturn = ReturnRule.Limit.stay
    /// nil: `wait` if the run is interactive, else `quit`.
    var onServerLoss: ServerLoss?
    /// The desktop's media controls show and control the run.
    var isRemoteControlled = false
    /// A person can press keys, so it makes sense to wait for one.
    var isInteractive = false
    /// A run that no person watches begins without an output too, and plays when there is one.
    var waitsForOutput = true

    var serverLoss: ServerLoss { onServerLoss ?? (isInteractive ? .wait : .quit) }

    /// The files of each queue; files with their own outputs play at the same time.
    var queues: [[Item]] { canChooseOutput ? [items] : items.map { [$0] } }

    /// Of a player that plays everything.
    var repetitions: Int { rounds.map { $0 - 1 } ?? -1 }

    static let speeds: ClosedRange<Float> = 0.25...4

    /// No file has its own output.
    var canChooseOutput: Bool { items.allSatisfy { $0.output == nil } }

    /// Files under their own names.
    static func items(_ files: [String]) -> [Item] { files.map { Item(FilePath($0)) } }
}

/// The output that a person selected on the command line, before the connected outputs are known.
enum DeviceSelector: Hashable, Sendable {
    /// The uid or the name of an output.
    case device(String)
    case portType(AVAudioSession.Port)
    /// The uid, the name or the port type of the output of each file, in their order.
    case perFile([String])
}

extension PlayPlan {
    /// The plan with connected outputs.
    ///
    /// - Throws: `BackendError` for a name that no output has, and for an output of two files.
    func selecting(_ selector: DeviceSelector?, in query: DeviceQuery) throws(BackendError) -> PlayPlan {
        var plan = self
        switch selector {
        case nil: break
        case .device(let name): plan.choice = .device(uid: try query.resolve(name).uid)
        case .portType(let type):
            try query.expect(type)
            plan.choice = .portType(type)
        case .perFile(let names):
            for (index, name) in names.enumerated() {
                let output = try query.resolve(name, allowsPortTypes: true)
                if let other = plan.items[..<index].first(where: { $0.output == output }) {
                    throw BackendError(
                        .deviceNamedTwice,
                        "'\(output.name.printable)' is assigned to both '\(other.name.printable)' and "
                            + "'\(items[index].name.printable)'. Give each file its own output.")
                }
                plan.items[index].output = output
            }
        }
        return plan
    }
}

extension PlayPlan {
    /// Begins as the run before has ended.
    mutating func takeOver() throws(BackendError) {
        guard isInteractive || resumes else { return memory = nil }
        let kept = try memory.map { (path) throws(BackendError) in try PlayMemory.read(path) } ?? PlayMemory()
        if keepsVolume, isInteractive { volume = kept.volume ?? volume }
        guard resumes, startSeconds == 0, let start = kept.start(of: items.map(\.absolutePath)) else { return }
        (startIndex, startSeconds) = start
        if let path = items[startIndex].absolutePath, items[startIndex].part != nil {
            let parts = items.indices.filter { items[$0].absolutePath == path && items[$0].begin <= start.seconds }
            startIndex = parts.max { items[$0].begin < items[$1].begin } ?? startIndex
            startSeconds = max(0, start.seconds - items[startIndex].begin)
        }
        guard isShuffled else { return }
        // The others follow it.
        items.swapAt(0, startIndex)
        startIndex = 0
    }

    /// Plays the files, as `audiosession play` does.
    ///
    /// Main thread.
    ///
    /// - Parameters:
    ///   - names: directories, playlists and files, whose items play instead of the plan's; empty for those.
    ///   - isShuffled: whether the items of the names play in random order.
    ///   - device: nil follows the session's route.
    ///   - host: nil for the library's default.
    /// - Throws: as `CommandRun.run`.
    func run(
        listing names: [FilePath] = [], isShuffled: Bool = false, on device: DeviceSelector? = nil,
        host: AudioSessionHost?, style: CommandRun.Style
    ) throws {
        let hasSoundOnInput =
            names.contains(MediaList.standardInput)
            || items.contains { if case .standardInput = $0.source { true } else { false } }
        let run = CommandRun(
            settings: settings, host: host, style: style, diesOfInterrupt: true, patience: 5,
            hasSoundOnInput: hasSoundOnInput, outlivesReader: true, cutsShort: true)
        try run.run { context throws(BackendError) -> PlayRunner in
            let backend = context.backend
            let query = DeviceQuery(
                usable: backend.outputs.all, connected: backend.ports.outputs, category: settings.category)
            var plan = try selecting(device, in: query)
            plan.isInteractive = context.isInteractive
            if !names.isEmpty { plan.items = try MediaList.items(names, trust: trust, unless: context.isToldToLeave) }
            plan.isShuffled = isShuffled
            if isShuffled { plan.items.shuffle() }
            do throws(BackendError) { try plan.takeOver() } catch { context.log.write(error) }
            if plan.choice != .automatic { try backend.choose(plan.choice) }
            if plan.speed != 1 { try backend.checkSpeed() }
            let remote =
                isRemoteControlled ? DesktopControls { [deliver = context.deliver] in deliver(.remote($0)) } : nil
            return PlayRunner(context, plan: plan, remote: remote)
        }
    }
}
