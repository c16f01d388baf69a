internal import AudioFiles
internal import AudioModel
internal import AudioRuntime
package import QueueCore
internal import SessionCore
package import SessionRuntime
internal import Synchronization
internal import TransportCore

/// Plays the first item of a queue at a rate, and the next one after it, by one `FilePlayer` at a time (decision 22).
///
/// Where the next item has the same channels, the `FilePlayer` plays it too, and there is no gap.
///
/// Any thread may call it; no call waits. A call changes the `QueueMachine`, so that it can be read at once; the session
/// thread then carries out the machine's steps (`carryOutSteps`), in order with the events of the session.
///
/// The session thread knows items by their ids only. The items themselves, and what waits for a seek, belong to the app:
/// the last reference to one is released by the caller's, the poster's or the loader's thread.
package final class QueuePlayer: Sendable {
    package typealias EndAction = QueueMachine.EndAction
    package typealias Phase = QueueMachine.Phase

    package let runtime: SessionRuntime
    private let state = Mutex(QueueState())
    private let onEvent: @Sendable (Event) -> Void
    private let onTime: @Sendable (Double) -> Double
    /// Opens items and closes sounds: a slow disk, or a fade, must not delay a pause.
    private let loader = DeliveryThread(name: "oav-loader")
    private let lossWatch = Mutex<SessionRuntime.WatchID?>(nil)
    private let lookSeconds: Double

    /// - Parameters:
    ///   - lookSeconds: between two looks whether it gets on.
    ///   - onEvent: called after each change, on the thread that called this player, on the poster's or on the one that
    ///     opens items, with no lock held.
    ///   - onTime: called while the first item plays, on its reader thread, with the position in seconds; returns after
    ///     how many seconds of the host's clock it wants to be called again at the latest. Neither closure may be the last to
    ///     keep an object of the app's.
    package init(
        runtime: SessionRuntime, lookSeconds: Double = StuckWatch.lookSeconds,
        onEvent: @escaping @Sendable (Event) -> Void, onTime: @escaping @Sendable (Double) -> Double
    ) {
        self.runtime = runtime
        self.lookSeconds = lookSeconds
        self.onEvent = onEvent
        self.onTime = onTime
        runtime.notices.include(loader, holdsTime: true)
        let watch = runtime.observeOutputLosses { [weak self] in self?.loseOutput() }
        lossWatch.withLock { $0 = watch }
    }

    // MARK: Any thread

    package var status: Status { state.withLock { $0.status } }

    package var items: [any QueueItem] { state.withLock { $0.allItems } }

    package var firstItem: (any QueueItem)? { state.withLock { $0.firstItem } }

    /// Seconds into the first item, or where a seek goes; 0 while it is not open.
    package var position: Double {
        let (seek, player) = state.withLock { ($0.machine.seek?.seconds, $0.firstPlayer) }
        return seek ?? player?.status.position ?? 0
    }

    package var endAction: EndAction {
        get { state.withLock { $0.machine.endAction } }
        set {
            state.withLock { $0.machine.endAction = newValue }
            proceed()
        }
    }

    /// 0...1, linear amplitude.
    package func setVolume(_ volume: Float) {
        state.withLock {
            $0.volume = volume
            $0.player?.volume = volume
        }
    }

    /// - Parameters:
    ///   - rate: 0 is a pause.
    ///   - knownLosses: `SessionRuntime.outputLosses` when the user asked for it; nil: now.
    /// - Returns: false where an output has left since that the user may have meant: nothing has changed then.
    @discardableResult
    package func setRate(_ rate: Float, knownLosses: UInt64? = nil) -> Bool {
        let activates: Bool? = state.withLock { state in
            // With the lock held: a loss that is not seen here comes to `loseOutput` afterwards.
            if let knownLosses, knownLosses < runtime.outputLosses, state.isPausedByLoss { return nil }
            state.machine.setRate(rate)
            return rate != 0 && state.player != nil && state.firstItem?.policy.onInterruption != .ignore
        }
        guard let activates else { return false }
        if activates { runtime.noteActivationRequest() }
        tell(.request)
        proceed()
        return true
    }

    /// How fast it plays when it plays; above 0.
    package func setSpeed(_ speed: Float) {
        state.withLock {
            $0.machine.setSpeed(speed)
            $0.player?.rate = Self.playerRate(speed)
        }
        tell(.request)
    }

    private static func playerRate(_ rate: Float) -> Float? { rate == 1 ? nil : rate }

    /// Changes the queue; if the first item is another one, that is opened, and played at the rate.
    package func changeItems(_ body: (inout [any QueueItem]) -> Void) {
        let change = state.withLock { $0.changeItems(body) }
        tell(.request)
        change.dropped?(false)
        // The thread that waits for its server is to open others.
        for item in change.unwanted { item.cancelOpening() }
        forget(change.left)
        proceed()
    }

    /// Goes to a time of the first item.
    ///
    /// - Parameter completion: called once: true where the seek was carried out, false where another took its place or
    ///   the item is not the first any more.
    package func seek(
        _ item: any QueueItem, toSeconds seconds: Double, completion: @escaping @Sendable (Bool) -> Void
    ) {
        state.withLock { $0.seek(item, toSeconds: seconds, completion) }?(false)
        proceed()
    }

    package func cancelSeeks(of item: any QueueItem) {
        let dropped = state.withLock { state in
            state.takeCompletion(state.id(of: item).flatMap { state.machine.removeSeek(of: $0) })
        }
        dropped?(false)
    }

    /// The item's `endSeconds` is another now.
    package func endChanged(of item: any QueueItem) {
        state.withLock { state in
            guard let id = state.id(of: item) else { return }
            // Read under the lock: the newest end is the last one that the machine is told.
            state.machine.setEnd(of: id, seconds: item.endSeconds)
        }
        proceed()
    }

    /// `onTime` is called soon.
    package func wakeClock() { state.withLock { $0.player }?.wakeClock() }

    /// Ends the sound soon.
    package func close() {
        changeItems { $0 = [] }
        if let watch = lossWatch.withLock({ $0.take() }) { runtime.endWatch(watch) }
        // Openings that are queued have no use any more; what is queued before this closes the sound.
        if !runtime.asynchronously({ [loader] _ in loader.close() }) { loader.close() }
    }

    /// As `close`; waits until the sound has faded out, at most 1 s.
    package func closeAndWait() {
        close()
        runtime.synchronously { _ in }
        _ = loader.drain(atMostSeconds: 1)
    }

    // MARK: Events

    /// Tells of what has changed since the last time; the transport may have changed by itself.
    private func tell(_ cause: RateCause) {
        let (old, new, isLoss, stalled, beginsWatch) = state.withLock { state in
            let (old, new, isLoss) = (state.lastSent, state.status, state.isLossUntold)
            (state.lastSent, state.isLossUntold) = (new, false)
            let hasStalled = old.phase == .playing && [.waitingForSound, .waitingForOutput].contains(new.phase)
            return (old, new, isLoss, hasStalled ? state.firstItem : nil, state.beginWatch())
        }
        if beginsWatch { lookLater() }
        if old.rate != new.rate { onEvent(.rateChanged(isLoss ? .session : cause)) }
        onEvent(.changed)
        if let stalled { onEvent(.stalled(stalled)) }
    }

    private func lookLater() { runtime.after(seconds: lookSeconds) { [weak self] in self?.look() } }

    /// Session thread, every few seconds while something is to play.
    private func look() {
        let (goesOn, change) = state.withLock { $0.look() }
        if goesOn { lookLater() }
        guard let (item, lack) = change else { return }
        post(item) { item in lack.map { [.stuck(item, lack: $0)] } ?? [] }
    }

    /// Tells of an item, which is still there, on the poster thread.
    private func post(
        _ item: QueueItemID, afterChange: Bool = true, _ events: @escaping @Sendable (any QueueItem) -> [Event]
    ) {
        runtime.notices.enqueue { [self] in
            guard let item = state.withLock({ $0[item] }) else { return }
            if afterChange { tell(.request) }
            for event in events(item) { onEvent(event) }
        }
    }

    /// After the events that are on their way.
    private func forget(_ left: [QueueItemID]) {
        guard !left.isEmpty else { return }
        runtime.notices.enqueue { [self] in state.change { $0.forget(left) } }
    }

    private func finishSeek(_ number: UInt64, _ isCarriedOut: Bool) {
        runtime.notices.enqueue { [self] in
            state.withLock { $0.takeCompletion(number) }?(isCarriedOut)
        }
    }

    /// Poster thread: the session or the sound has changed the transport.
    ///
    /// - Parameter item: that the sound was opened for.
    private func follow(_ status: FilePlayer.Status, of item: (any QueueItem)?) {
        if let item { onEvent(.reported(item, status)) }
        guard let transport = state.withLock({ $0.transport }) else { return }
        switch transport.state {
        case .finished, .failed: proceed()
        case .ready, .playing, .paused: tell(transport.cause == .refusal ? .refusal : .session)
        }
    }

    // MARK: Loader thread

    private enum Opened: Sendable {
        case player(FilePlayer)
        case failed(ItemError)
    }

    /// Closes the sound of the item before, which is silent by then, and opens an item.
    private func replace(_ old: FilePlayer?, with id: QueueItemID?) {
        old?.close()
        // A queue may have gone on while this waited.
        guard let id, state.withLock({ $0.machine.isOpening(id) }) else { return }
        whenCome { $0.open(id) }
    }

    /// Calls `open` at once; on a simulated machine with slow servers when the item has come.
    private func whenCome(_ open: @escaping @Sendable (QueuePlayer) -> Void) {
        let isDelayed = runtime.host.delayOpening { [weak self] in
            guard let self else { return }
            loader.enqueue { open(self) }
        }
        if !isDelayed { open(self) }
    }

    private func open(_ id: QueueItemID) {
        guard let item = state.withLock({ $0.machine.isOpening(id) ? $0[id] : nil }) else { return }
        switch open(item) {
        case .player(let player):
            player.setEnd(atSeconds: item.endSeconds, ofFile: 0)
            if item.startSeconds > 0 { player.seek(toSeconds: item.startSeconds) }
            guard state.withLock({ $0.machine.isOpening(id) }) else { return player.close() }
            // First: it may bring a seek that comes before the sound.
            onEvent(.opened(item))
            let isFirst = state.withLock { state in
                guard state.machine.open(id) else { return false }
                state.player = player
                player.volume = state.volume
                return true
            }
            guard isFirst else { return player.close() }
            player.stream?.onChange { [weak self] in
                self?.state.withLock { $0.arrivals += 1 }
                self?.onEvent(.changed)
            }
            proceed()
        case .failed(let error):
            let (isFirst, dropped) = state.withLock { state in
                let (isFirst, dropped) = state.machine.failOpening(id)
                return (isFirst, state.takeCompletion(dropped))
            }
            guard isFirst else { return }
            dropped?(false)
            // After the end of the item before it.
            post(id) { [.failed($0, error, wasOpen: false)] }
        }
    }

    private func open(_ item: any QueueItem) -> Opened {
        do throws(AudioFileError) {
            let reader = try item.open(outputSampleRate: runtime.host.sampleRate)
            do throws(SessionError) {
                let player = try FilePlayer(
                    reader: reader, filter: item.filter, runtime: runtime, policy: item.policy, role: item.role,
                    volume: state.withLock { $0.volume },
                    onChange: { [weak self, weak item] in self?.follow($0, of: item) },
                    onChannelMapReset: { [weak self] in self?.onEvent(.channelMapReset($0)) }, onTime: onTime,
                    onNextFile: { [weak self] number in self?.begin(file: number) })
                try item.prepare(player)
                return .player(player)
            } catch {
                return .failed(.playback(.session(error)))
            }
        } catch {
            return .failed(.file(error))
        }
    }

    private func join(_ id: QueueItemID, to player: FilePlayer) {
        guard let item = state.withLock({ $0.machine.isJoining(id) ? $0[id] : nil }) else { return }
        // Where it cannot be opened, that is told when its turn comes.
        guard !item.isSeparate, let reader = try? item.openAtStart(outputSampleRate: runtime.host.sampleRate),
            state.withLock({ $0.player === player && $0.machine.isJoining(id) }),
            let number = player.setNext(reader, filter: item.filter, endSeconds: item.endSeconds)
        else { return state.withLock { $0.machine.keepSeparate(id) } }
        let isJoined = state.withLock { $0.player !== player || $0.machine.join(id, file: number) }
        // Another item that joins comes after this one, on this thread.
        if !isJoined { player.setNext(nil) }
        proceed()
    }

    // MARK: Reader thread

    /// The item that was joined sounds: it is the first one now.
    private func begin(file number: UInt64) {
        guard let (old, new, dropped) = state.withLock({ $0.machine.begin(file: number) }) else { return }
        if let dropped { finishSeek(dropped, false) }
        post(new) { [.opened($0)] }
        post(old, afterChange: false) { [.ended($0, isFollowed: true)] }
        forget([old])
        proceed()
    }

    // MARK: Session thread

    /// An output of the route has left; nothing is linked to what is left yet.
    private func loseOutput() {
        let isConcerned = state.withLock { state in
            guard state.isPausedByLoss else { return false }
            state.machine.loseOutput()
            state.isLossUntold = true
            return true
        }
        guard isConcerned else { return }
        runtime.notices.enqueue { [self] in tell(.session) }
        proceed()
    }

    /// Has the session thread carry out what is to be done; any thread.
    private func proceed() {
        let isTaken = runtime.asynchronously { [self] in carryOutSteps(&$0) }
        if !isTaken { endWithSession() }
    }

    private func carryOutSteps(_ context: inout SessionRuntime.SessionThread) {
        while let (step, player) = state.withLock({ state in
            state.machine.nextStep(state.transport).map { ($0, state.player) }
        }) {
            carryOut(step, player, &context)
        }
    }

    private func carryOut(
        _ step: QueueMachine.Step, _ player: FilePlayer?, _ context: inout SessionRuntime.SessionThread
    ) {
        switch step {
        case .open(let item, let unwanted):
            state.withLock { $0.player = nil }
            player?.streams.apply(.closeRequested)
            guard let unwanted else { return loader.enqueue { [self] in replace(player, with: item) } }
            // The loader may wait for the server of an item that was to be joined: that item is the app's.
            runtime.notices.enqueue { [self] in
                state.withLock { $0[unwanted] }?.cancelOpening()
                loader.enqueue { [self] in replace(player, with: item) }
            }
        case .play(let rate):
            player?.rate = Self.playerRate(rate)
            player?.play(&context) { [weak self] error in
                guard let error, let self else { return }
                runtime.notices.enqueue {
                    self.tell(.refusal)
                    self.onEvent(.refused(error))
                }
            }
            state.withLock { $0.machine.carriedOut(.play(rate: rate)) }
        case .pause:
            player?.streams.pause(.output, &context)
            state.withLock { $0.machine.carriedOut(.pause) }
        case .seek(let seek):
            player?.goTo(seconds: seek.seconds)
            state.withLock { $0.machine.carriedOut(seek) }
            post(seek.item) { [.jumped($0)] }
            finishSeek(seek.number, true)
        case .setEnd(let item, let seconds, let file):
            guard let player else { return }
            player.moveEnd(toSeconds: seconds, ofFile: file)
            goOnBehindEnd(of: item, seconds: seconds, player)
        case .separate:
            player?.takeNextAway()
        case .join(let item):
            guard let player else { return }
            // Not kept by a machine that never gets so far.
            loader.enqueue { [self, weak player] in
                whenCome { [weak player] queue in
                    if let player { queue.join(item, to: player) }
                }
            }
        case .tellEnd(let item):
            post(item) { [.ended($0, isFollowed: false)] }
            if !state.withLock({ $0.machine.items.contains(item) }) { forget([item]) }
        case .tellFailure(let item, let dropped):
            let failure = player?.streams.status.failure ?? .file("")
            if let dropped { finishSeek(dropped, false) }
            post(item) { [.failed($0, .playback(failure), wasOpen: true)] }
        }
    }

    private func goOnBehindEnd(of item: QueueItemID, seconds: Double?, _ player: FilePlayer) {
        guard case .ended(item, _) = state.withLock({ $0.machine.sound }) else { return }
        let position = player.status.position
        guard min(seconds ?? .infinity, player.info.duration) > position else { return }
        player.goTo(seconds: position)
        state.withLock { $0.machine.leaveEnd(of: item) }
    }

    /// The session has been shut down, and its thread has ended.
    private func endWithSession() {
        let dropped = state.withLock { state in
            state.machine.setRate(0)
            state.machine.carriedOut(.pause)
            return state.takeCompletion(state.machine.seek.flatMap { state.machine.removeSeek(of: $0.item) })
        }
        dropped?(false)
        tell(.refusal)
    }
}
