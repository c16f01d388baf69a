import AudioDeviceSelection
import AudioRuntime
import OpenAudioSession
import ProgramRuntime
import QueueRuntime

/// Plays files and reports events to a display.
///
/// The command thread; it waits for nothing but the session.
final class PlayRunner: Runner {
    /// An event of a queue, by its number.
    struct Report: Sendable {
        var queue: Int
        var event: QueuePlayer.Event
    }

    /// Its volume, speed and channel map are those of now: the map is until it no longer fits the output, or the person chooses an
    /// output under multiRoute.
    var plan: PlayPlan { currentPlan.value }
    let currentPlan: CurrentPlan
    let context: RunContext<Report>

    private lazy var queues = plan.queues.enumerated().map { PlayQueue(items: $1, number: $0, run: self) }
    private var itemCount = 0
    /// Paused while the process is stopped.
    private var held: [PlayQueue] = []
    /// The file that played when a library's note was shown last.
    private var lastNotedFile: String?
    /// `mediaServicesLost` was reported.
    private var hasShownLoss = false

    private var isMuted = false
    /// A call of the simulated host is on.
    private var isInCall = false

    /// The list of keys is open.
    private var showsKeys = false
    /// While the list of outputs is open.
    private var picker: DevicePicker?
    /// The name of the chosen output, for the time when it is away.
    private var chosenName = ""
    /// Peaks by the output's uid, and the time when they were read.
    private var levels: (peaks: [String: [Float]], time: Double) = ([:], -.infinity)

    /// The last file has ended, or the person quits.
    private(set) var isDone = false
    /// A file could not be played to its end.
    private(set) var hasFailed = false

    /// The media controls of the desktop; nil without any.
    private let remote: (any RemoteControl)?
    /// When a run without an output ends; nil: it waits for one, or has sounded.
    private(set) var wakeSeconds: Double?
    private static let outputSeconds = 10.0
    /// What they show, and since when.
    private var shown: (status: RemoteStatus?, time: Double) = (nil, 0)

    init(_ context: RunContext<Report>, plan: PlayPlan, remote: (any RemoteControl)? = nil) {
        currentPlan = CurrentPlan(plan)
        self.remote = remote
        self.context = context
    }

    func begin() {
        context.begin(files: plan.items.map(\.name))
        if plan.choice != .automatic { showChoice() }
        if !plan.isInteractive, !plan.waitsForOutput { wakeSeconds = log.stopwatch.seconds + Self.outputSeconds }
        for queue in queues { queue.begin() }
        endIfAllHaveEnded()
        updateRemote()
    }

    func handle(_ input: RunInput<Report>) {
        guard !isDone else { return }
        switch input {
        case .report(let report, let time):
            if !queues[report.queue].isDone { queues[report.queue].handle(report.event, time: time) }
        case .note(let note, let time): handle(note: note, time)
        case .backend(let event, let time): handle(event, time)
        case .key(let key): press(key)
        case .remote(let command): carryOut(command)
        case .signal(.leave): isDone = true
        case .signal(.resize), .signal(.stop), .signal(.continue): break
        }
        endIfAllHaveEnded()
        if log.isClosed { isDone = true }
        updateRemote()
    }

    /// A script would wait for its end.
    func wake() {
        wakeSeconds = nil
        guard backend.isServerConnected, backend.currentRoute.outputs.isEmpty else { return }
        show(.noOutput(afterSeconds: Self.outputSeconds), of: nil, endsTheRun: true)
    }

    func hold() {
        let playing = queues.filter(\.isPlaying)
        for queue in playing { queue.pause() }
        held += playing
    }

    func release() {
        for queue in held where !queue.isLost {
            // If the session was interrupted meanwhile, this only sets `playWhenReady`: no key was pressed.
            queue.resume()
        }
        held = []
    }

    /// Fades out, closes the players, and notifies the sessions that were interrupted.
    ///
    /// Waits for the fades.
    func close() {
        isDone = true
        remote?.show(nil)
        for queue in queues { queue.close() }
        backend.deactivate()
    }

    private func endIfAllHaveEnded() {
        if queues.allSatisfy(\.isDone) { isDone = true }
    }

    // MARK: Events

    func note(_ reset: ChannelMapReset, of queue: PlayQueue, time: Double) {
        currentPlan.value.channelMap = nil
        log.write(.channelMapReset(reset, file: queue.fileName ?? ""), time: time)
    }

    private func handle(_ event: BackendEvent, _ time: Double) {
        log.write(.session(event), time: time, isRepetition: isTold(event))
        switch event {
        case .mediaServicesLost:
            hasShownLoss = true
            endIfLost()
        case .mediaServicesReset: for queue in queues { queue.resumeAfterLoss() }
        case .routeChanged(let reason, _, let current): goOn(on: current, isLoss: reason == .oldDeviceUnavailable, time)
        case .interruptionBegan(reason: .default) where backend.lacksSessionManager:
            show(.lacksSessionManager("the output", next: "Playback continues when it runs."), of: nil)
        case .availableInputsChanged, .interruptionBegan, .interruptionEnded, .secondaryAudioHint: break
        }
    }

    /// Continues what was paused because its output left, if that is back: not over a program that plays since then.
    private func goOn(on route: RouteFacts, isLoss: Bool, _ time: Double) {
        let returned = queues.filter { $0.routeChanged(to: route, isLoss: isLoss, at: time) }
        guard !returned.isEmpty, !backend.isOtherAudioPlaying else { return }
        do throws(BackendError) {
            // Under the interruption by a program or a call, it resumes with its end.
            if let reason = backend.interruption, reason != .default { try backend.activate() }
            for queue in returned { queue.resume() }
        } catch {
            show(error, of: returned.first)
        }
    }

    /// Whether a player's line or an error says it.
    private func isTold(_ event: BackendEvent) -> Bool {
        func hasPaused(_ cause: FilePlayer.Cause) -> Bool { queues.contains { $0.hasPaused(cause) } }
        return switch event {
        case .routeChanged(reason: .oldDeviceUnavailable, _, _): hasPaused(.oldDeviceUnavailable)
        case .interruptionBegan: hasPaused(.interruption) || backend.lacksSessionManager
        case .mediaServicesLost: plan.serverLoss == .quit
        case .routeChanged, .availableInputsChanged, .interruptionEnded, .secondaryAudioHint, .mediaServicesReset: false
        }
    }

    /// A player's state has changed.
    func tell(_ status: FilePlayer.Status, of queue: PlayQueue, time: Double) {
        // The session manager's end is told as an error, with what to do.
        let isTold = status.state == .paused && status.cause == .interruption && backend.lacksSessionManager
        log.write(.player(status, file: queue.fileName ?? ""), time: time, isRepetition: isTold)
        if status.state == .playing { wakeSeconds = nil }
        guard status.state == .paused, status.cause == .oldDeviceUnavailable else { return }
        guard plan.onUnplug != .quit else {
            return show(.outputLeft, of: queue, endsTheRun: true)
        }
        guard !plan.isInteractive else { return }
        let hope = plan.onReturn == .stay ? ": --on-unplug continue or quit would go on or end" : " until it is back"
        log.advise("waiting\(hope); playerctl play continues, Control-C ends")
    }

    /// A library's note on the file that is read, which need not be the one that plays: one for each is enough.
    private func handle(note: String, _ time: Double) {
        let file = queues.first?.fileName
        guard lastNotedFile != file else { return }
        lastNotedFile = file
        log.write(.note(note, file: file), time: time)
    }

    func queueWasLost(_ queue: PlayQueue, _ error: BackendError) {
        switch plan.serverLoss {
        case .quit:
            show(error, of: queue, isFailure: true)
            endIfLost()
        case .wait: showLossReason(error, of: queue)
        case .resume:
            showLossReason(error, of: queue)
            queue.resumeAfterLoss()
        }
    }

    /// That the server stopped is shown by the event and by the live display; any other reason says what to do.
    private func showLossReason(_ error: BackendError, of queue: PlayQueue) {
        if backend.lossReason != nil { show(error, of: queue) }
    }

    /// Ends the run once the loss and the failure of each player were reported: nothing follows.
    private func endIfLost() {
        if plan.serverLoss == .quit, hasShownLoss, queues.allSatisfy({ $0.isLost || $0.isDone }) { isDone = true }
    }

    /// Names an item of a queue, or its next try.
    func nextNumber() -> Int {
        itemCount += 1
        return itemCount
    }

    /// - Parameters:
    ///   - isFailure: a file, or the rest of it, is not played.
    ///   - endsTheRun: no other file can be played.
    func show(_ error: BackendError, of queue: PlayQueue?, isFailure: Bool = false, endsTheRun: Bool = false) {
        if isFailure || endsTheRun { hasFailed = true }
        if endsTheRun { isDone = true }
        log.write(error, file: queue?.fileName)
    }

    // MARK: Keys

    private func press(_ key: Key) {
        if picker == nil || !pressInPicker(key) { pressInPlayer(key) }
    }

    private func pressInPlayer(_ key: Key) {
        let seekSeconds = 5.0
        let volumeStep: Float = 0.05
        switch key {
        case .character("q"), .character("Q"): isDone = true
        case .character(" "): pressSpace()
        case .character("d"), .character("D"): picker = DevicePicker(in: outputs)
        case .character("u"): backend.simulator?.unplugHeadphones()
        case .character("p"): backend.simulator?.plugHeadphones()
        case .character("c"): toggleCall()
        case .character("x"): toggleServer()
        case .left: for queue in queues { queue.seek(bySeconds: -seekSeconds) }
        case .right: for queue in queues { queue.seek(bySeconds: seekSeconds) }
        case .up: setVolume(plan.volume + volumeStep)
        case .down: setVolume(plan.volume - volumeStep)
        case .character("n"), .character(">"): if let queue = onlyQueue { queue.skipForward() }
        case .character("b"), .character("<"): if let queue = onlyQueue { queue.skipBack() }
        case .character("."): for queue in queues { queue.seekToNextChapter() }
        case .character(","): for queue in queues { queue.seekToPreviousChapter() }
        case .character("m"): isMuted.toggle()
        case .character("]"): setSpeed(plan.speed + 0.1)
        case .character("["): setSpeed(plan.speed - 0.1)
        case .backspace: setSpeed(1)
        case .character("?"): showsKeys.toggle()
        case .enter, .escape: showsKeys = false
        case .character: break
        }
        applyVolume()
    }

    private func applyVolume() {
        for queue in queues { queue.setVolume(soundingVolume) }
    }

    /// nil where files play at the same time: they have no next one.
    private var onlyQueue: PlayQueue? { queues.count == 1 ? queues[0] : nil }

    private func pressSpace() {
        if queues.contains(where: \.isLost) {
            // Without a server, the live display says that it is missing.
            if backend.isServerConnected { for queue in queues { queue.playAgain() } }
        } else if queues.contains(where: \.isPlaying) {
            for queue in queues { queue.pause() }
        } else {
            playAll()
        }
    }

    private func toggleCall() {
        isInCall.toggle()
        if isInCall { backend.simulator?.receiveCall() } else { backend.simulator?.endCall() }
    }

    private func toggleServer() {
        if backend.isServerConnected { backend.simulator?.crashServer() } else { backend.simulator?.restartServer() }
        isInCall = false
    }

    /// While the session is interrupted, `play` alone would only set `playWhenReady`; the person wants sound now.
    private func playAll() {
        do throws(BackendError) {
            if backend.interruption != nil { try backend.activate() }
        } catch {
            return show(error, of: queues.first)
        }
        for queue in queues where !queue.isDone { queue.play() }
    }

    /// The volume of every player.
    var soundingVolume: Float { isMuted ? 0 : plan.volume }

    private func setVolume(_ volume: Float) {
        currentPlan.value.volume = min(max(volume, 0), 1)
        isMuted = false
    }

    private func setSpeed(_ speed: Float) {
        do throws(BackendError) { try backend.checkSpeed() } catch { return show(error, of: nil) }
        // Ten steps of 0.1 are 1.
        let rounded = (speed * 10).rounded() / 10
        let speed = min(max(rounded, PlayPlan.speeds.lowerBound), PlayPlan.speeds.upperBound)
        currentPlan.value.speed = speed
        for queue in queues { queue.setSpeed(speed) }
    }

    // MARK: The desktop's media controls

    /// As the keys do.
    private func carryOut(_ command: RemoteCommand) {
        switch command {
        case .play: if !queues.contains(where: \.isPlaying) { pressSpace() }
        case .pause: for queue in queues { queue.pause() }
        case .togglePlayPause: pressSpace()
        case .next: onlyQueue?.skipForward()
        case .previous: onlyQueue?.skipBack()
        case .seek(let seconds): for queue in queues { queue.seek(toSeconds: seconds) }
        case .speed(let speed): setSpeed(speed)
        case .volume(let volume): setVolume(volume)
        case .loop(let isOn): setLoop(isOn)
        case .shuffle(let isOn): setShuffle(isOn)
        }
        applyVolume()
    }

    private func setLoop(_ isOn: Bool) {
        currentPlan.value.rounds = isOn ? nil : 1
        for queue in queues { queue.roundsChanged() }
    }

    /// Of the files that come; the next one may have been opened already, and stays the next.
    private func setShuffle(_ isOn: Bool) {
        guard let queue = onlyQueue else { return }
        currentPlan.value.isShuffled = isOn
        queue.setOrder(isShuffled: isOn)
    }

    private func updateRemote() {
        guard let remote else { return }
        let (status, now) = (remoteStatus, log.stopwatch.seconds)
        if let status, let old = shown.status, status.follows(from: old, after: now - shown.time) { return }
        guard status != nil || shown.status != nil else { return }
        shown = (status, now)
        remote.show(status)
    }

    /// Of the first queue; nil while nothing is open.
    private var remoteStatus: RemoteStatus? {
        guard let queue = queues.first, let player = queue.player else { return nil }
        let info = player.info
        return RemoteStatus(
            title: info.title ?? queue.shortName, artist: info.artist, album: info.tags.album, number: queue.itemNumber,
            path: queue.address,
            duration: info.duration, position: queue.position, isPlaying: queues.contains(where: \.isPlaying),
            speed: plan.speed, volume: soundingVolume, canSkip: onlyQueue?.hasNext ?? false,
            isLooping: plan.rounds == nil, isShuffled: plan.isShuffled)
    }

    // MARK: Outputs

    /// The outputs in the list.
    private var outputs: OutputFacts {
        var outputs = backend.outputs
        if !plan.canChooseOutput {
            let own = plan.items.compactMap(\.output?.uid)
            outputs.current.removeAll { !own.contains($0.uid) }
        }
        return outputs
    }

    /// False if the key is not for the list.
    private func pressInPicker(_ key: Key) -> Bool {
        switch picker?.press(key, in: outputs, canChoose: plan.canChooseOutput) ?? .passes {
        case .passes: return false
        case .stays: break
        case .closes: picker = nil
        case .chooses(let choice): choose(choice)
        }
        return true
    }

    private func choose(_ choice: AudioDevices.Choice) {
        do throws(BackendError) {
            try backend.choose(choice)
            if plan.settings.category == .multiRoute, plan.channelMap != nil {
                // A map set by hand has priority over the choice.
                currentPlan.value.channelMap = nil
                for queue in queues { try queue.setChannelMap(nil) }
            }
            showChoice()
        } catch {
            show(error, of: nil)
        }
    }

    private func showChoice() {
        let outputs = backend.outputs
        chosenName = outputs.current.first?.name ?? ""
        log.write(.deviceChosen(outputs.choice, outputs: outputs.current))
    }

    // MARK: Live content

    var isMoving: Bool { picker != nil || queues.contains(where: \.isPlaying) }

    func liveContent(hasKeys: Bool) -> LiveContent? {
        readLevels()
        guard var now = nowPlaying else { return nil }
        now.hasKeys = hasKeys
        now.showsKeys = showsKeys
        return { [now] in PlayLayout(glyphs: $1).lines(now, size: $0) }
    }

    /// How loud each output was since the last call; only while the list is open.
    func readLevels() {
        guard picker != nil else {
            levels.time = -.infinity
            return
        }
        let now = log.stopwatch.seconds
        // At least one cycle lies between two reads (8192 frames at 96 kHz take 85 ms).
        guard now - levels.time >= 0.09 else { return }
        levels = ([:], now)
        for player in queues.compactMap(\.player) {
            levels.peaks.merge(player.takeLevels(), uniquingKeysWith: Self.loudest)
        }
    }

    private static func loudest(_ one: [Float], _ other: [Float]) -> [Float] {
        (0..<max(one.count, other.count)).map { index in
            max(index < one.count ? one[index] : 0, index < other.count ? other[index] : 0)
        }
    }

    /// nil between files.
    var nowPlaying: NowPlaying? {
        let tracks = queues.compactMap(\.track)
        guard !tracks.isEmpty else { return nil }
        return NowPlaying(
            tracks: tracks, volume: plan.volume, isMuted: isMuted, speed: plan.speed,
            canSkip: plan.items.count > 1 && queues.count == 1, hasChapters: queues.contains(where: \.hasChapters),
            route: backend.currentRoute,
            isSimulated: backend.simulator != nil,
            blockReason: queues.lazy.compactMap(\.blockReason).first,
            picker: picker?.content(
                of: outputs, levels: levels.peaks, awayName: chosenName,
                isMultiRoute: plan.settings.category == .multiRoute, canChoose: plan.canChooseOutput))
    }
}
