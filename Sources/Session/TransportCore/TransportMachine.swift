package import AudioModel

/// What a player, a recorder or an engine does with its sound: a pure value, one event in, effects out.
///
/// It owns no stream and no clock. The owner applies what happened, in order, and carries the effects out in order.
package struct TransportMachine: Hashable, Sendable {
    package let kind: TransportKind
    package private(set) var state = TransportState.ready
    /// The user's intent: true from a request until a pause, an end, a failure or a refusal.
    ///
    /// The only place where a transport keeps it: in its state, and before it has one for it, in `isRequested`. The session
    /// keeps its own for each stream (`StreamRecord.Playback`), because it decides by that who may sound.
    package var playWhenReady: Bool { isRequested || isActive }
    /// Asked to play, and neither started nor kept silent since; false while it is active.
    private var isRequested = false
    package private(set) var input = StreamState.absent
    package private(set) var output = StreamState.absent
    /// Counts the seeks: an end of the source that carries another number is stale.
    package internal(set) var seekGeneration: UInt64 = 0
    /// From when a player is to sound; nil: at once.
    private var startTime: HostTime?
    /// The end of a player's source that came after it was told to be silent: told when it is to sound again, unless it is
    /// sought before.
    private var heldEnd: SourceEnd?
    private var outputUse = OutputUse.heard
    private var notice = ConfigurationChangeNotice.none

    package init(_ kind: TransportKind) { self.kind = kind }

    package var status: TransportStatus { TransportStatus(state, playWhenReady: playWhenReady) }

    package var isPlaying: Bool { state == .playing }

    /// An engine's output is silent since the loss of a device; the engine runs, or has only that output.
    package var restsOutput: Bool {
        let isLost = isPlaying || input == .absent && state == .paused(.oldDeviceUnavailable)
        return isLost && kind == .engine && output == .stopped && outputUse == .heard
    }

    /// An engine runs without its input, whose device is gone.
    package var restsInput: Bool { sounds && input == .stopped }

    /// An engine plays on its output.
    private var sounds: Bool { isPlaying && kind == .engine && output == .running && outputUse == .heard }

    package var isFading: Bool { if case .fading = state { true } else { false } }

    /// The streams that are open; the input's first, so that there is something to play when the output asks.
    package var openStreams: [PortDirection] { kind.directions.filter { self[$0] != .absent } }

    /// Applies one event; the effects are to be carried out in order.
    ///
    /// An event that the state does not expect changes nothing.
    package mutating func apply(_ event: TransportEvent) -> [TransportEffect] {
        switch event {
        case .stopped: return stop()
        case .sessionEventApplied: return tellChange()
        default: break
        }
        switch state {
        case .failed: return letGo(event)
        case .finishing(let outcome): return complete(outcome, event)
        case .finished where kind == .recorder: return letGo(event)
        case .ready, .playing, .fading, .suppressed, .paused, .finished: return applyBeforeEnd(event)
        }
    }

    private mutating func applyBeforeEnd(_ event: TransportEvent) -> [TransportEffect] {
        switch event {
        case .playRequested(let startTime, let remaining): notePlayRequest(at: startTime, remaining)
        case .playRefused: forgetRequest()
        case .seekRequested(let seconds, let remaining): seek(toSeconds: seconds, remaining)
        case .closeRequested: close()
        case .manualRenderingStarted: renderManually(.playing, from: .ready)
        case .manualRenderingPaused: renderManually(.paused(.user), from: .playing)
        case .streamOpened(let direction): open(direction)
        case .streamClosed(let direction): forget(direction)
        case .started(let direction): start(direction)
        case .paused(.output, .oldDeviceUnavailable) where kind == .engine: loseOutput()
        case .paused(.input, .oldDeviceUnavailable) where sounds, .paused(.input, .noSuitableRoute) where sounds,
            .suppressed(.input, .noSuitableRoute) where sounds:
            loseInput()
        case .paused(_, let cause): pause(cause)
        case .suppressed(let direction, let suppression): suppress(direction, suppression)
        case .failed(let error): fail(error)
        case .deviceShapeChanged: kind == .engine ? stopItself(.oldDeviceUnavailable) : []
        case .outputUseChanged(let use): note(use)
        case .fadeFinished: rest()
        case .sourceEnded(let end, let generation): finish(end, generation)
        case .fileClosed, .stopped, .sessionEventApplied: []
        }
    }

    package private(set) subscript(direction: PortDirection) -> StreamState {
        get { direction == .input ? input : output }
        set { if direction == .input { input = newValue } else { output = newValue } }
    }

    /// It is meant to play, and has been started or suppressed.
    private var isActive: Bool {
        switch state {
        case .playing, .suppressed, .fading(.suppressed), .fading(.closed): true
        case .ready, .fading(.paused), .paused, .finishing, .finished, .failed: false
        }
    }

    /// An engine's app is told by one configuration change for all that happened.
    private var report: [TransportEffect] { kind == .engine ? [] : [.report(status)] }

    // MARK: The app

    private mutating func notePlayRequest(at time: HostTime?, _ remaining: SourceRemainder) -> [TransportEffect] {
        guard kind == .engine || !openStreams.isEmpty else { return [] }
        isRequested = !isActive
        guard kind == .player else { return [] }
        startTime = time
        // What plays fades out before it waits, and no more may be left than that. A player that was paused with nothing
        // left goes on to its end, which was not told.
        let isPlayedOut = isPlaying && (remaining == .nothing || time != nil && remaining == .lessThanFade)
        let again = isPlayedOut || state.isFinished ? [.restartLoops] + goTo(seconds: 0) : []
        return again + (isPlaying ? [.playSource(at: time)] : [])
    }

    private mutating func forgetRequest() -> [TransportEffect] {
        guard !isActive else { return [] }
        isRequested = false
        return fade()
    }

    private mutating func seek(toSeconds seconds: Double, _ remaining: SourceRemainder) -> [TransportEffect] {
        guard kind == .player else { return [] }
        let wasFinished = state.isFinished
        let again: [TransportEffect] = wasFinished || remaining == .nothing ? [.restartLoops] : []
        if wasFinished { state = .paused(.user) }
        return again + goTo(seconds: seconds) + (wasFinished ? report : [])
    }

    private mutating func goTo(seconds: Double) -> [TransportEffect] {
        seekGeneration += 1
        heldEnd = nil
        return [.seek(toSeconds: seconds, generation: seekGeneration)]
    }

    private mutating func close() -> [TransportEffect] {
        switch kind {
        case .player:
            let effects = fade()
            if isPlaying, effects.contains(.beginFade) { state = .fading(.closed) }
            return effects
        case .recorder: return halt(.input) + end(.finished(.stopped(.user)))
        case .engine: return []
        }
    }

    /// Without streams; an engine that has one open is not rendered manually.
    private mutating func renderManually(_ next: TransportState, from: TransportState) -> [TransportEffect] {
        guard kind == .engine, openStreams.isEmpty, isPlaying == (from == .playing) else { return [] }
        state = next
        isRequested = false
        return []
    }

    private mutating func stop() -> [TransportEffect] {
        guard kind == .engine else { return [] }
        input = .absent
        output = .absent
        isRequested = false
        notice = .none
        if !state.isFailed { state = .ready }
        return []
    }

    private mutating func note(_ use: OutputUse) -> [TransportEffect] {
        if kind == .engine { outputUse = use }
        return []
    }

    // MARK: The streams

    private mutating func open(_ direction: PortDirection) -> [TransportEffect] {
        if kind.directions.contains(direction), self[direction] == .absent { self[direction] = .stopped }
        return []
    }

    private mutating func forget(_ direction: PortDirection) -> [TransportEffect] {
        guard self[direction] != .absent else { return [] }
        self[direction] = .absent
        switch kind {
        case .player:
            isRequested = false
            switch state {
            case .playing: state = .paused(.user)
            case .fading(let target): state = target.state
            case .ready, .suppressed, .paused, .finishing, .finished, .failed: break
            }
            if case .suppressed(let suppression) = state { state = .paused(suppression.pauseCause) }
            return []
        case .recorder: return end(.finished(.stopped(.user)))
        case .engine: return direction == .output ? rest() : []
        }
    }

    // MARK: The session

    private mutating func start(_ direction: PortDirection) -> [TransportEffect] {
        // An engine may have two streams: a start that arrives after one of them has failed is stale.
        guard self[direction] != .absent, state != .fading(.closed), !(isPlaying && self[direction] == .running),
            playWhenReady || kind != .engine
        else { return [] }
        if let end = heldEnd { return finish(end) }
        self[direction] = .running
        // An engine with an output plays when that starts; its input only gathers what is to be played.
        let plays = direction == .output || kind == .recorder || outputUse == .unheard
        guard plays else { return [.startFeeding, .startStream(direction)] }
        state = .playing
        isRequested = false
        // The state comes before `startFeeding`: the thread sleeps while nothing plays.
        return report + [.startFeeding] + (direction == .output ? [.playSource(at: startTime)] : [])
            + [.startStream(direction)]
    }

    private mutating func pause(_ cause: PauseCause) -> [TransportEffect] {
        let wasActive = isActive
        // What was asked for and has not begun is given up aloud.
        let isGivenUp = isRequested && cause == .oldDeviceUnavailable
        let isReported = isGivenUp || kind.reports(cause, in: status.state)
        let effects: [TransportEffect]
        switch kind.stop(for: cause) {
        case .finish:
            return wasActive ? halt(.input) + end(.finished(.stopped(cause))) : []
        case .cut:
            if kind == .engine { return stopItself(cause) }
            effects = cut()
        case .fade:
            effects = fade()
        }
        isRequested = false
        guard wasActive || isReported else {
            if isFading, output != .running { _ = rest() }
            return effects
        }
        enter(.paused(cause))
        return reported(effects)
    }

    private mutating func suppress(_ direction: PortDirection, _ suppression: Suppression) -> [TransportEffect] {
        // A fade that is not heard now would be heard on the next port.
        let isCut = suppression == .noSuitableRoute && kind != .recorder
        guard kind != .engine else {
            let effects = isCut ? loseDevice(suppression.pauseCause) : pause(suppression.pauseCause)
            return effects + [.refuse(.suppressed(direction, suppression))] + restInSession
        }
        guard state != .suppressed(suppression), state != .fading(.suppressed(suppression)) else { return [] }
        let effects = isCut ? cut() : fade()
        isRequested = false
        enter(.suppressed(suppression))
        return reported(effects)
    }

    private mutating func fail(_ error: SessionError) -> [TransportEffect] {
        switch kind {
        case .player:
            let effects = cut()
            isRequested = false
            state = .failed(.session(error))
            return reported(effects)
        case .recorder:
            return halt(.input) + end(.failed(.session(error)))
        case .engine:
            let wasPlaying = isPlaying
            let effects = cut()
            isRequested = false
            guard error.code != .mediaServicesFailed else {
                state = .failed(.session(error))
                return effects
            }
            // Only these streams are over: the next start opens others.
            let closed = openStreams
            _ = stop()
            return effects + closed.map(TransportEffect.closeStream) + [.refuse(.failed(error))]
                + (wasPlaying && !closed.isEmpty ? [.postConfigurationChange] : [])
        }
    }

    /// An engine tells its app when it has stopped by itself, once.
    private mutating func tellChange() -> [TransportEffect] {
        guard notice == .pending else { return [] }
        notice = .none
        return [.postConfigurationChange]
    }

    // MARK: The source and the file

    private mutating func finish(_ end: SourceEnd, _ generation: UInt64) -> [TransportEffect] {
        switch kind {
        case .engine: return []
        case .recorder:
            let effects = halt(.input) + [.tellSessionStopped(.input)]
            switch end {
            case .complete: return effects + self.end(.finished(.endOfFile))
            case .failed(let message): return effects + self.end(.failed(.file(message)))
            }
        case .player:
            guard generation == seekGeneration else { return [] }
            switch state {
            case .playing, .fading(.closed): return finish(end)
            // A pause is the user's last word: a queue does not go on by itself.
            case .fading, .suppressed, .paused: heldEnd = end
            case .ready, .finishing, .finished, .failed: break
            }
            return []
        }
    }

    /// A player's source is played out.
    private mutating func finish(_ end: SourceEnd) -> [TransportEffect] {
        heldEnd = nil
        isRequested = false
        let effects = cut()
        switch end {
        case .complete: state = .finished(.endOfFile)
        case .failed(let message): state = .failed(.file(message))
        }
        return reported(effects) + [.tellSessionStopped(.output)]
    }

    /// The recording is over; the first outcome counts.
    private mutating func end(_ outcome: TransportOutcome) -> [TransportEffect] {
        isRequested = false
        state = .finishing(outcome)
        return [.closeFile]
    }

    /// A file that could not be completed is a failure, whatever ended the recording.
    private mutating func complete(_ outcome: TransportOutcome, _ event: TransportEvent) -> [TransportEffect] {
        guard case .fileClosed(let failure) = event else { return letGo(event) }
        switch (outcome, failure) {
        case (.failed(let failure), _): state = .failed(failure)
        case (.finished, let failure?): state = .failed(.file(failure))
        case (.finished(let end), nil): state = .finished(end)
        }
        return report
    }

    /// It is over; its streams stay open until they are closed.
    private mutating func letGo(_ event: TransportEvent) -> [TransportEffect] {
        if case .streamClosed(let direction) = event { self[direction] = .absent }
        return []
    }

    // MARK: Silence

    /// The output slides to silence; what is captured stops, and is handed over.
    private mutating func fade() -> [TransportEffect] {
        let stopped = halt(.input)
        let begins = isPlaying && output == .running && outputUse == .heard
        return stopped + (stopped.isEmpty ? [] : [.drainCapture]) + (begins ? [.beginFade] : [])
    }

    private mutating func cut() -> [TransportEffect] {
        let stopped = halt(.output) + halt(.input)
        return stopped.isEmpty ? [] : [.cut] + stopped
    }

    /// After a cut nothing sounds, so the report comes before the stop of the stream, which may wait for the host.
    private func reported(_ effects: [TransportEffect]) -> [TransportEffect] {
        effects.first == .cut ? [.cut] + report + effects.dropFirst() : effects + report
    }

    private mutating func halt(_ direction: PortDirection) -> [TransportEffect] {
        guard self[direction] == .running else { return [] }
        self[direction] = .stopped
        return [.stopStream(direction)]
    }

    /// What it comes to, now or at the end of the fade that is under way.
    private mutating func enter(_ target: FadeTarget) {
        let slides = output == .running && (isFading || isPlaying && outputUse == .heard)
        state = slides ? .fading(target) : target.state
    }

    /// The slide to silence is over.
    private mutating func rest() -> [TransportEffect] {
        // One that is about to close stays as it is until the fade has left the machine.
        guard case .fading(let target) = state, target != .closed else { return [] }
        state = target.state
        return halt(.output)
    }

    /// An engine whose output device is gone: its output is silent from now on, and its players are paused, also where it did
    /// not run.
    ///
    /// It runs on, for its input and its taps. A player's `play`, or the app's next start, lets the output sound again; a
    /// start alone lets no player sound (decision 0018).
    private mutating func loseOutput() -> [TransportEffect] {
        guard isPlaying || isFading else { return stopItself(.oldDeviceUnavailable) + [.pausePlayers] }
        let stopped = halt(.output)
        if isFading { _ = rest() }
        return (stopped.isEmpty ? [] : [.cut] + stopped) + [.pausePlayers]
    }

    /// An engine whose input device is gone, and that has an output: it plays on, and captures again with the app's next start.
    private mutating func loseInput() -> [TransportEffect] {
        let stopped = halt(.input)
        return stopped.isEmpty ? [] : stopped + [.drainCapture, .tellSessionStopped(.input)]
    }

    /// An engine: at once, without a fade, for what sounds is meant for another device.
    private mutating func loseDevice(_ cause: PauseCause) -> [TransportEffect] {
        let wasPlaying = isPlaying
        let effects = cut()
        isRequested = false
        if wasPlaying {
            state = .paused(cause)
            notice = .pending
        } else {
            _ = rest()
        }
        return effects
    }

    private mutating func stopItself(_ cause: PauseCause) -> [TransportEffect] {
        let wasPlaying = isPlaying
        let effects = loseDevice(cause)
        return effects + (wasPlaying ? restInSession : [])
    }

    private var restInSession: [TransportEffect] { openStreams.map(TransportEffect.tellSessionStopped) }
}

extension TransportState {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}

extension FadeTarget {
    fileprivate var state: TransportState {
        switch self {
        case .paused(let cause): .paused(cause)
        case .suppressed(let suppression): .suppressed(suppression)
        case .closed: .paused(.user)
        }
    }
}
