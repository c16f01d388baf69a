import AudioModel
import TransportCore

/// What must hold for every transport after every event, from an account of its own: it believes the effects, not the
/// machine.
struct TransportInvariants {
    private let kind: TransportKind
    private var opened: Set<PortDirection> = []
    private var running: Set<PortDirection> = []
    private var notice = ConfigurationChangeNotice.none
    private var outputUse = OutputUse.heard
    /// The source has ended while it was to be silent, and that was not told.
    private var heldEnd: SourceEnd?
    private(set) var violations: [String] = []
    private(set) var stepCount = 0

    /// What its judgement of the future depends on.
    struct Key: Hashable {
        let opened: Set<PortDirection>
        let running: Set<PortDirection>
        let notice: ConfigurationChangeNotice
        let outputUse: OutputUse
        let heldEnd: SourceEnd?
    }

    init(_ kind: TransportKind, violations: [String] = []) {
        self.kind = kind
        self.violations = violations
    }

    var key: Key {
        Key(opened: opened, running: running, notice: notice, outputUse: outputUse, heldEnd: heldEnd)
    }

    /// - Returns: what this step violates.
    @discardableResult
    mutating func check(
        _ event: TransportEvent, effects: [TransportEffect], before: TransportMachine, after: TransportMachine
    ) -> [String] {
        stepCount += 1
        let count = violations.count
        let sounds = before.isPlaying && running.contains(.output) && outputUse == .heard
        if case .outputUseChanged(let use) = event { outputUse = use }
        noteStreams(event, before)
        checkOrder(effects)
        checkStreams(event, effects, before, after)
        checkIntent(event, before, after)
        checkSilence(event, effects, before, after, sounds: sounds && kind == .engine)
        checkReports(event, effects, before, after)
        checkSeeks(event, effects, before, after)
        checkEnd(event, effects, before, after)
        checkHeldEnd(event, effects, before, after)
        checkConfigurationChange(event, effects, before, sounds: sounds)
        checkExit(before.state, after.state)
        return Array(violations[count...])
    }

    private mutating func fail(_ text: String) { violations.append("step \(stepCount): \(text)") }

    // MARK: Streams

    private mutating func noteStreams(_ event: TransportEvent, _ before: TransportMachine) {
        switch event {
        case .streamOpened(.input) where kind != .player && !before.state.isOver(kind): opened.insert(.input)
        case .streamOpened(.output) where kind != .recorder && before.state.name != "failed": opened.insert(.output)
        case .streamClosed(let direction):
            opened.remove(direction)
            running.remove(direction)
        case .stopped where kind == .engine:
            opened = []
            running = []
        default: break
        }
    }

    private mutating func checkStreams(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine
    ) {
        for effect in effects {
            switch effect {
            case .startStream(let direction):
                if !opened.contains(direction) { fail("started the \(direction) stream, which is not open") }
                if !after.playWhenReady { fail("started the \(direction) stream without intent") }
                running.insert(direction)
            case .stopStream(let direction):
                if running.remove(direction) == nil { fail("stopped the \(direction) stream, which does not run") }
            case .closeStream(let direction):
                if opened.remove(direction) == nil { fail("closed the \(direction) stream, which is not open") }
            case .tellSessionStopped(let direction):
                if kind != .recorder, !opened.contains(direction) { fail("told of a \(direction) stream that is none") }
                if after.isPlaying, running.contains(direction) || kind != .engine {
                    fail("told the session that it stopped, and it plays")
                }
            default: break
            }
        }
        let states: [(PortDirection, StreamState)] = [(.input, after.input), (.output, after.output)]
        for (direction, state) in states {
            let own: StreamState =
                running.contains(direction) ? .running : opened.contains(direction) ? .stopped : .absent
            if state != own { fail("the \(direction) stream is \(own), and the machine says \(state)") }
        }
    }

    // MARK: Intent

    private mutating func checkIntent(
        _ event: TransportEvent, _ before: TransportMachine, _ after: TransportMachine
    ) {
        switch after.state {
        case .playing, .suppressed, .fading(.suppressed), .fading(.closed):
            if !after.playWhenReady { fail("\(after.state) without intent") }
        case .finishing, .failed:
            if after.playWhenReady { fail("\(after.state) with intent") }
        case .finished:
            if kind == .recorder, after.playWhenReady { fail("a recording is over, with intent") }
        case .ready, .fading(.paused), .paused: break
        }
        guard after.playWhenReady != before.playWhenReady else { return }
        if after.playWhenReady {
            switch event {
            case .playRequested, .manualRenderingStarted: break
            // The session's word about the one stream.
            case .started, .suppressed: if kind == .engine { fail("an engine is meant to play, and was not asked") }
            default: fail("it is meant to play, and was not asked: \(event)")
            }
        } else {
            switch event {
            case .playRefused, .paused, .failed, .sourceEnded, .closeRequested, .streamClosed, .stopped,
                .deviceShapeChanged, .manualRenderingPaused:
                break
            // It was played out before it fell silent.
            case .started:
                if after.state.name != "finished", after.state.name != "failed" { fail("started, no intent") }
            case .suppressed: if kind != .engine { fail("a \(kind) gave up what it was kept from") }
            default: fail("it is not meant to play any more, for no reason: \(event)")
            }
        }
    }

    // MARK: Silence

    private mutating func checkSilence(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine,
        sounds: Bool
    ) {
        switch after.state {
        case .fading:
            if !running.contains(.output) { fail("it fades, and its output does not run") }
        case .playing:
            if kind != .engine, running.isEmpty { fail("it plays, and no stream runs") }
        case .ready, .suppressed, .paused, .finishing, .finished, .failed:
            if kind != .engine, !running.isEmpty { fail("\(after.state), and a stream runs") }
        }
        if running.contains(.input), !after.isPlaying, !after.playWhenReady { fail("it captures unasked") }
        let isLoss =
            switch event {
            case .paused(_, .oldDeviceUnavailable), .paused(_, .noSuitableRoute),
                .suppressed(_, .noSuitableRoute), .failed:
                true
            default: false
            }
        // An engine that has lost one of its devices goes on with the other.
        let mayRun: Set<PortDirection> =
            switch event {
            case .paused(.output, .oldDeviceUnavailable) where kind == .engine: [.input]
            case .paused(.input, _) where sounds, .suppressed(.input, _) where sounds: [.output]
            default: []
            }
        if isLoss {
            if !running.isSubset(of: mayRun) { fail("a stream runs after a loss") }
            if effects.contains(.beginFade) { fail("it faded on a device that is gone") }
        }
        let isOver = if case .failed = before.state { true } else { false }
        if effects.contains(.pausePlayers) != (mayRun == [.input] && !isOver) {
            fail("the players are paused by the loss of their device, and by nothing else")
        }
        if effects.contains(.beginFade) {
            if !before.isPlaying { fail("it began to fade, and did not play") }
            if !after.isFading { fail("it began to fade, and does not") }
        }
        if let cut = effects.firstIndex(of: .cut) {
            let stop = effects.firstIndex { if case .stopStream = $0 { true } else { false } }
            if stop.map({ $0 < cut }) ?? true { fail("a cut comes before the stop of a stream") }
            if !running.isSubset(of: mayRun) { fail("a stream runs after a cut") }
        }
    }

    // MARK: Reports

    private mutating func checkReports(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine
    ) {
        let reports = effects.compactMap { if case .report(let status) = $0 { status } else { nil } }
        if kind == .engine, !reports.isEmpty { fail("an engine reports nothing") }
        if reports.count > 1 { fail("\(reports.count) reports for one event") }
        for report in reports where report != after.status { fail("reported \(report), and it is \(after.status)") }
        var (old, new) = (before.status, after.status)
        (old.playWhenReady, new.playWhenReady) = (false, false)
        guard kind != .engine, old != new, reports.isEmpty else { return }
        switch event {
        // The owner's own doing.
        case .streamClosed, .closeRequested: break
        // Told when the file is complete.
        case _ where after.state.name == "finishing": break
        default: fail("\(old) became \(new), and was not reported")
        }
    }

    // MARK: The source

    private mutating func checkSeeks(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine
    ) {
        var generation = before.seekGeneration
        for case .seek(_, let own) in effects {
            generation += 1
            if own != generation { fail("a seek has the generation \(own), not \(generation)") }
        }
        if after.seekGeneration != generation { fail("the generation is \(after.seekGeneration), not \(generation)") }
        if effects.contains(.restartLoops), generation == before.seekGeneration { fail("loops restarted, no seek") }
        if case .sourceEnded(_, let own) = event, own != before.seekGeneration, kind == .player {
            if !effects.isEmpty || before != after { fail("a stale end had an effect") }
        }
    }

    private mutating func checkEnd(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine
    ) {
        let entered = after.state.name == "finishing" && before.state.name != "finishing"
        let closes = effects.count { $0 == .closeFile }
        if closes != (entered ? 1 : 0) { fail("closed the file \(closes) times") }
        if kind != .recorder, closes > 0 { fail("a \(kind) has no file to close") }
    }

    /// An end is told when it comes, or, if the player was to be silent by then, with its next start.
    private mutating func checkHeldEnd(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, _ after: TransportMachine
    ) {
        guard kind == .player else { return }
        if case .started(.output) = event, let end = heldEnd, opened.contains(.output), before.state.name != "failed" {
            let expected: TransportState =
                switch end {
                case .complete: .finished(.endOfFile)
                case .failed(let message): .failed(.file(message))
                }
            if after.state != expected { fail("it was played out, and its start led to \(after.state)") }
            if !effects.contains(.report(after.status)) { fail("an end was not told") }
            heldEnd = nil
        }
        if effects.contains(where: { if case .seek = $0 { true } else { false } }) { heldEnd = nil }
        guard case .sourceEnded(let end, before.seekGeneration) = event else { return }
        switch before.state {
        case .fading(.paused), .fading(.suppressed), .suppressed, .paused: heldEnd = end
        case .ready, .playing, .fading(.closed), .finishing, .finished, .failed: break
        }
    }

    // MARK: Configuration changes

    private mutating func checkConfigurationChange(
        _ event: TransportEvent, _ effects: [TransportEffect], _ before: TransportMachine, sounds: Bool
    ) {
        let posts = effects.count { $0 == .postConfigurationChange }
        guard kind == .engine else {
            if posts > 0 { fail("a \(kind) posts no configuration change") }
            return
        }
        var due = 0
        switch event {
        // It plays on without its input.
        case .paused(.input, .oldDeviceUnavailable) where sounds, .paused(.input, .noSuitableRoute) where sounds,
            .suppressed(.input, .noSuitableRoute) where sounds:
            break
        case .paused(.input, .oldDeviceUnavailable) where before.isPlaying,
            .paused(_, .noSuitableRoute) where before.isPlaying,
            .paused(_, .newDeviceAvailable) where before.isPlaying,
            .suppressed(_, .noSuitableRoute) where before.isPlaying, .deviceShapeChanged where before.isPlaying:
            notice = .pending
        case .failed(let error) where before.state.name != "failed" && error.code != .mediaServicesFailed:
            due = before.isPlaying && !before.openStreams.isEmpty ? 1 : 0
            notice = .none
        case .stopped: notice = .none
        case .sessionEventApplied:
            guard notice == .pending else { break }
            due = 1
            notice = .none
        default: break
        }
        if posts != due { fail("posted \(posts) configuration changes, not \(due)") }
    }

    // MARK: Order and exits

    /// Silence comes first, and others are told when it is there.
    private mutating func checkOrder(_ effects: [TransportEffect]) {
        let isCut = effects.contains(.cut) && kind != .engine
        let phases = effects.map { $0.phase(isCut: isCut) }
        if phases != phases.sorted() { fail("effects out of order: \(effects)") }
        if Set(effects).count != effects.count { fail("an effect comes twice: \(effects)") }
    }

    private mutating func checkExit(_ before: TransportState, _ after: TransportState) {
        guard before.name != after.name else {
            if before != after, ["finished", "finishing", "failed"].contains(before.name) {
                fail("\(before) became \(after)")
            }
            return
        }
        if before.exits(kind).contains(after.name) { return }
        fail("\(before) has no exit to \(after)")
    }
}

extension TransportState {
    /// Of the case; a table, as reflection is slow and the fuzzer asks at each step.
    var name: String {
        switch self {
        case .ready: "ready"
        case .playing: "playing"
        case .fading: "fading"
        case .suppressed: "suppressed"
        case .paused: "paused"
        case .finishing: "finishing"
        case .finished: "finished"
        case .failed: "failed"
        }
    }

    func isOver(_ kind: TransportKind) -> Bool {
        switch self {
        case .failed, .finishing: true
        case .finished: kind == .recorder
        case .ready, .playing, .fading, .suppressed, .paused: false
        }
    }

    /// As the cases document them.
    func exits(_ kind: TransportKind) -> Set<String> {
        switch (kind, self) {
        case (.player, .ready): ["playing", "suppressed", "paused", "failed"]
        case (.player, .playing): ["fading", "suppressed", "paused", "finished", "failed"]
        case (.player, .fading(.paused(_))): ["playing", "suppressed", "paused", "finished", "failed"]
        case (.player, .fading(.suppressed(_))): ["playing", "suppressed", "paused", "finished", "failed"]
        case (.player, .fading(.closed)): ["suppressed", "paused", "finished", "failed"]
        case (.player, .suppressed): ["playing", "paused", "finished", "failed"]
        case (.player, .paused): ["playing", "suppressed", "finished", "failed"]
        case (.player, .finished): ["playing", "suppressed", "paused", "failed"]
        case (.recorder, .ready): ["playing", "suppressed", "finishing"]
        case (.recorder, .playing): ["suppressed", "paused", "finishing"]
        case (.recorder, .suppressed): ["playing", "paused", "finishing"]
        case (.recorder, .paused): ["playing", "suppressed", "finishing"]
        case (.recorder, .finishing): ["finished", "failed"]
        case (.engine, .ready): ["playing", "failed"]
        case (.engine, .playing): ["fading", "paused", "ready", "failed"]
        case (.engine, .fading): ["playing", "paused", "ready", "failed"]
        case (.engine, .paused): ["playing", "ready", "failed"]
        default: []
        }
    }
}

extension TransportEffect {
    /// After a cut the report does not wait for the stop of the stream.
    fileprivate func phase(isCut: Bool) -> Int {
        switch self {
        case .stopStream where isCut: 4
        case .cut, .stopStream, .beginFade, .drainCapture, .pausePlayers: 0
        case .restartLoops: 1
        case .seek: 2
        case .report: 3
        case .startFeeding: 5
        case .playSource: 6
        case .startStream: 7
        case .closeStream: 8
        case .refuse: 9
        case .tellSessionStopped: 10
        case .closeFile: 11
        case .postConfigurationChange: 12
        }
    }
}
