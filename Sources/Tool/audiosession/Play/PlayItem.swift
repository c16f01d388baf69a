import AudioRuntime
import Glibc
import ProgramRuntime
import QueueRuntime
import Synchronization

/// One playing of an item: opens it, sets its player up, and keeps it.
///
/// Any thread.
final class PlayItem: QueueItem, FrameFilter {
    let item: PlayPlan.Item
    /// Its place in the queue.
    let index: Int
    /// Names it: another number is another playing.
    let number: Int
    /// Where it starts, in its own seconds; above 0 by `--start`, or after a loss of the server.
    let start: Double
    let policy: FilePlayer.Policy
    /// A single item begins again in its player.
    private let isOnly: Bool
    private let plan: CurrentPlan
    private let state = Mutex(State())
    private let cancellation = FilePlayer.Cancellation()

    private struct State {
        var player: (any Player)?
        var info: FilePlayer.Info?
        var chapters = ChapterList()
        var gains = FilePlayer.ReplayGain()
        /// What the last frames were multiplied by.
        var factor: Float?
    }

    /// - Parameter continuesPrivately: it continues by itself after a loss of the server.
    init(
        _ item: PlayPlan.Item, index: Int, number: Int, isOnly: Bool, start: Double = 0,
        continuesPrivately: Bool, plan: CurrentPlan
    ) {
        (self.item, self.index, self.number, self.start) = (item, index, number, start)
        (self.isOnly, self.plan) = (isOnly, plan)
        var policy = plan.value.policy
        policy.continuesPrivately = continuesPrivately
        if let output = item.output { policy.target = .ports(uids: [output.uid]) }
        self.policy = policy
    }

    /// Its server is asked when its turn comes.
    var isSeparate: Bool { item.source.isSlow }
    var startSeconds: Double { item.begin + start }
    var endSeconds: Double? { item.part?.end }
    var role: String { plan.value.role }
    var trust: FilePlayer.ServerTrust { plan.value.trust }

    /// Opened for this item; nil for one that joined the player of the item before it.
    var player: (any Player)? { state.withLock { $0.player } }
    /// As it was opened.
    var info: FilePlayer.Info? { state.withLock { $0.info } }
    var chapters: ChapterList { state.withLock { $0.chapters } }

    func open(outputSampleRate: Double) throws(FilePlayer.FileError) -> sending FilePlayer.Reader {
        try item.source.withPath(name: item.name, unless: cancellation) { path throws(FilePlayer.FileError) in
            let reader = try FilePlayer.Reader(
                location: path, outputSampleRate: outputSampleRate, trust: trust, cancellation: cancellation)
            let length = reader.info.duration
            guard length == 0 || item.begin < length else {
                throw FilePlayer.FileError(
                    .notAudio,
                    "'\(item.name.printable)' has \(NumberText.clock(length)), and its cue sheet begins a track at "
                        + "\(NumberText.clock(item.begin)); give the sheet of this file.")
            }
            let own = item.source.isSlow ? nil : path
            noteOpened(
                reader.info, own.map { item.part == nil ? ChapterList.chapters(path: $0) : [] } ?? [],
                FilePlayer.ReplayGain(path: own, tags: reader.info.tags))
            return reader
        }
    }

    func noteOpened(
        _ info: FilePlayer.Info, _ chapters: [FilePlayer.Chapter],
        _ gains: FilePlayer.ReplayGain = FilePlayer.ReplayGain()
    ) {
        state.withLock { ($0.info, $0.chapters, $0.gains) = (info, ChapterList(chapters), gains) }
    }

    // MARK: ReplayGain

    /// Where the tags have none of an album, that of the track; nil: there is none, or none is wanted.
    var gain: (of: PlayPlan.Gain, level: FilePlayer.ReplayGain.Level)? {
        let (wanted, gains) = (plan.value.gain, state.withLock { $0.gains })
        if wanted == .album, let album = gains.album { return (.album, album) }
        return wanted == .off ? nil : gains.track.map { (.track, $0) }
    }

    /// "track gain -6.2 dB"; nil where none is wanted.
    var gainText: String? {
        guard let gain else { return plan.value.gain == .off ? nil : "no gain in the tags" }
        let factor = gain.level.factor
        return "\(gain.of) gain \(factor > 1 ? "+" : "")\((20 * log10(Double(factor))).fixed(1)) dB"
    }

    var filter: (any FrameFilter)? { self }

    /// What a key changes is heard when what was read before has sounded: less than a second.
    var isActive: Bool { false }

    func filter(_ frames: UnsafeMutableBufferPointer<Float>, at place: FramePlace) {
        let new = gain?.level.factor ?? 1
        let old = state.withLock { state in
            defer { state.factor = new }
            return state.factor ?? new
        }
        guard new != 1 || old != 1 else { return }
        // A step would be a click.
        let slope = (new - old) / Float(place.frames)
        for frame in 0..<place.frames {
            let factor = old + slope * Float(frame + 1)
            for index in frame * place.channels..<(frame + 1) * place.channels { frames[index] *= factor }
        }
    }

    func cancelOpening() { cancellation.cancel() }

    func prepare(_ player: FilePlayer) throws(FilePlayer.PlaybackError) {
        if !plan.value.effects.isEmpty { try player.setEffects(plan.value.effects) }
        try prepare(player as any Player)
    }

    func prepare(_ player: any Player) throws(FilePlayer.PlaybackError) {
        // With the lock held: a change that is not in this plan finds the player.
        let plan = state.withLock { [plan = self.plan] state in
            state.player = player
            return plan.value
        }
        if let map = plan.channelMap { try player.setChannelMap(map) }
        if isOnly { player.repetitions = plan.repetitions }
        guard start > 0 else { return }
        guard !player.isLive else {
            throw fault(
                "'\(item.name.printable)' is a live stream, which has a present only; leave out --start.")
        }
        let duration = item.duration(ofFile: player.info.duration)
        guard duration == 0 || start < duration || plan.resumes else {
            throw fault(
                "'\(item.name.printable)' has \(NumberText.clock(duration)), and --start is "
                    + "\(NumberText.clock(start)); give an earlier time.")
        }
    }

    private func fault(_ message: String) -> FilePlayer.PlaybackError { .init(.badParam, message) }
}

/// The plan as it is now: a person changes it while others read it.
///
/// Any thread.
final class CurrentPlan: Sendable {
    private let plan: Mutex<PlayPlan>

    init(_ plan: PlayPlan) { self.plan = Mutex(plan) }

    var value: PlayPlan {
        get { plan.withLock { $0 } }
        set { plan.withLock { $0 = newValue } }
    }
}
