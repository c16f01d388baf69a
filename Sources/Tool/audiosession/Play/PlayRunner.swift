import AudioDeviceSelection
import AudioRuntime
import OpenAudioSession
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

    private let firstVolume: Float
    private var isMuted = false
    /// A call of the simulated host is on.
    private var isInCall = false

    private var panel = PlayPanel.none
    /// The name of the chosen output, for the time when it is away.
    private var chosenName = ""
    private var levels = LevelReader()

    /// The last file has ended, or the person quits.
    private(set) var isDone = false
    /// A file could not be played to its end.
    private(set) var hasFailed = false

    /// The media controls of the desktop; nil without any.
    private var remote: RemoteDisplay?
    /// When a run without an output ends; nil: it waits for one, or has sounded.
    private(set) var wakeSeconds: Double?
    private static let outputSeconds = 10.0

    init(_ context: RunContext<Report>, plan: PlayPlan, remote: (any RemoteControl)? = nil) {
        (currentPlan, firstVolume) = (CurrentPlan(plan), plan.volume)
        self.remote = remote.map { RemoteDisplay(remote: $0) }
        self.context = context
    }

    func begin() {
        context.begin(files: plan.items.map(\.name))
        if plan.choice != .automatic { showChoice() }
        if !plan.isInteractive, !plan.waitsForOutput { wakeSeconds = log.stopwatch.seconds + Self.outputSeconds }
        for queue in queues { queue.begin() }
        endIfAllHaveEnded()
        remote?.update(remoteStatus, at: log.stopwatch.seconds)
    }

    func handle(_ input: RunInput<Report>) {
        guard !isDone else { return }
        switch input {
        case .report(let report, let time):
            if !queues[report.queue].isDone { queues[report.queue].handle(report.event, time: time) }
        case .note(let note, let time): handle(note: note, time)
        case .backend(let event, let time): handle(event, time)
        case .key(let key): press(key)
        case .remote(let action): carryOut(action)
        case .signal(.leave): isDone = true
        case .signal(.resize), .signal(.stop), .signal(.continue): break
        }
        endIfAllHaveEnded()
        if log.isClosed { isDone = true }
        remote?.update(remoteStatus, at: log.stopwatch.seconds)
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
        remember { [plan] memory in
            if plan.isInteractive, plan.volume != firstVolume { memory.volume = plan.volume }
            guard plan.resumes, let place = queues[0].place, !queues[0].isDone else { return }
            memory.note(place.file, at: place.seconds)
        }
        remote?.update(nil, at: log.stopwatch.seconds)
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
        log.write(
            .player(status, file: queue.fileName ?? "", lost: queue.lostOutputs), time: time, isRepetition: isTold)
        if status.state == .playing { wakeSeconds = nil }
        if plan.resumes, let place = queue.place, [.paused, .finished].contains(status.state) {
            // A machine without power closes nothing.
            remember { $0.note(place.file, at: queue.isHeard(status) ? nil : place.seconds) }
        }
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

    private func remember(_ change: (inout PlayMemory) -> Void) {
        guard let path = plan.memory else { return }
        do throws(BackendError) { try PlayMemory.change(path, change) } catch { show(error, of: nil) }
    }

    // MARK: Keys

    private func press(_ key: Key) {
        switch panel {
        case .none: if let action = PlayKey.action(key) { carryOut(action) }
        case .keys(var picker):
            let outcome = picker.press(key, count: nowPlaying.map { PlayKey.all(for: $0, .ascii).count } ?? 0)
            panel = .keys(picker)
            follow(outcome, key) { _ in panel = .none }
        case .songs(var picker):
            let outcome = picker.press(key, count: queues[0].order.items.count)
            panel = .songs(picker)
            follow(outcome, key) { queues[0].jump(to: $0) }
        case .outputs(var picker):
            let outcome = picker.press(key, in: outputs, canChoose: plan.canChooseOutput)
            panel = .outputs(picker)
            follow(outcome, key, choose)
        }
    }

    private func follow<Choice>(_ outcome: PickerOutcome<Choice>, _ key: Key, _ choose: (Choice) -> Void) {
        switch outcome {
        case .passes: if let action = PlayKey.action(key) { carryOut(action) }
        case .stays: break
        case .closes: panel = .none
        case .chooses(let choice): choose(choice)
        }
    }

    private func carryOut(_ action: PlayAction) {
        switch action {
        case .play: if !queues.contains(where: \.isPlaying) { pressSpace() }
        case .pause: for queue in queues { queue.pause() }
        case .togglePlayPause: pressSpace()
        case .quit: isDone = true
        case .mute: isMuted.toggle()
        case .next: onlyQueue?.skipForward()
        case .previous: onlyQueue?.skipBack()
        case .seek(let seek): for queue in queues { queue.seek(seek) }
        case .setVolume(let volume): setVolume(volume)
        case .volume(let step): setVolume(plan.volume + step)
        case .setSpeed(let speed): setSpeed(speed)
        case .speed(let step): setSpeed(step.map { plan.speed + $0 } ?? 1)
        case .loop(let isOn): setLoop(isOn ?? (plan.rounds == 1))
        case .shuffle(let isOn): setShuffle(isOn ?? !plan.isShuffled)
        case .gain: currentPlan.value.gain = plan.gain.next
        case .outputs: panel = .outputs(DevicePicker(in: outputs))
        case .songs: toggleSongs()
        case .keys: if case .keys = panel { panel = .none } else { panel = .keys(ListPicker()) }
        case .plug(true): backend.simulator?.plugHeadphones()
        case .plug(false): backend.simulator?.unplugHeadphones()
        case .call: toggleCall()
        case .server: toggleServer()
        }
        for queue in queues { queue.setVolume(soundingVolume) }
    }

    private func toggleSongs() {
        if case .songs = panel { return panel = .none }
        if let queue = onlyQueue { panel = .songs(ListPicker(at: queue.order.index)) }
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

    /// Of the first queue; nil while nothing is open.
    private var remoteStatus: RemoteStatus? {
        guard let queue = queues.first, let player = queue.player else { return nil }
        return RemoteStatus(
            queue, player.info, plan, isPlaying: queues.contains(where: \.isPlaying), volume: soundingVolume,
            canSkip: onlyQueue?.hasNext ?? false)
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

    var isMoving: Bool { panel.showsOutputs || queues.contains(where: \.isPlaying) }

    func liveContent(hasKeys: Bool) -> LiveContent? {
        readLevels()
        guard var now = nowPlaying else { return nil }
        now.hasKeys = hasKeys
        return { [now] in PlayLayout(glyphs: $1).lines(now, size: $0) }
    }

    func readLevels() {
        levels.read(panel.showsOutputs ? queues.compactMap(\.player) : nil, at: log.stopwatch.seconds)
    }

    /// nil between files.
    var nowPlaying: NowPlaying? {
        let tracks = queues.compactMap(\.track)
        guard !tracks.isEmpty else { return nil }
        return NowPlaying(
            tracks: tracks, volume: plan.volume, isMuted: isMuted, speed: plan.speed,
            canSkip: plan.items.count > 1 && queues.count == 1, isRepeating: plan.rounds != 1,
            isShuffled: plan.isShuffled, hasChapters: queues.contains(where: \.hasChapters),
            route: backend.currentRoute,
            isSimulated: backend.simulator != nil,
            blockReason: queues.lazy.compactMap(\.blockReason).first, panel: shownPanel)
    }

    private var shownPanel: NowPlaying.Panel {
        switch panel {
        case .none: .none
        case .keys(let picker): .keys(picker)
        case .songs(let picker): .songs(queues[0].order.content(of: picker))
        case .outputs(let picker):
            .outputs(
                picker.content(
                    of: outputs, levels: levels.peaks, awayName: chosenName,
                    isMultiRoute: plan.settings.category == .multiRoute, canChoose: plan.canChooseOutput))
        }
    }
}
