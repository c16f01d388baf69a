package import AudioModel
package import GuardCore
package import SceneCore
internal import Synchronization
internal import Threading

/// Runs the guard: passes facts to the machine and carries out its effects.
///
/// Threads: facts come on the host's thread, requests on any other thread. Each event is applied, and its effects are carried
/// out, between two facts.
package final class GuardController: Sendable {
    package typealias Options = GuardOptions
    package typealias Configuration = GuardConfiguration
    package typealias Report = GuardReport
    package typealias Rival = GuardRival
    package typealias Watch = GuardCore.Watch

    /// Whether the guard acts.
    package enum Mode: Hashable, Sendable {
        case acting
        /// The guard only reports what it would do.
        case dryRun
    }

    /// Why a guard does not start.
    package enum StartError: Error {
        case host(HostError)
        /// Another guard owns the server.
        case taken(by: GuardRival)
    }

    private struct State: Sendable {
        var machine: GuardMachine
        var recent = RecentScene()
        /// Whether a hung guard would keep programs silent.
        var needsWatching = false
        /// What the desktop shows besides the holds, whose changes are reported.
        var shown = GuardStatus()
    }

    private static let muteSeconds = 3.0
    /// How long the next guard may take to start and to take over: on a busy machine, a program starts slowly.
    ///
    /// Shorter than the wait of `guard stop`.
    private static let handoverSeconds = 12.0
    /// How long the server may take to report its state.
    private static let settleSeconds = 3.0

    private let host: any GuardHost
    package let mode: Mode
    /// Those who wait look again after each event's effects.
    private let state: Monitor<State>
    private let desktop: (any GuardDesktop)?
    private let onReport: @Sendable (GuardReport) -> Void
    private let muted: @Sendable () -> Set<String>
    private let onMuted: @Sendable (Set<String>) -> Void
    private let onWatching: @Sendable (Bool) -> Void
    private let onHolders: @Sendable ([FocusHolder]) -> Void
    private let onRequest: @Sendable (GuardRequest, @escaping GuardRequest.Reply) -> Void

    /// - Parameters:
    ///   - host: nil means the PipeWire server that the environment names.
    ///   - desktop: the user's session; nil if there is no bus.
    ///   - onReport: called on the host's thread or inside a request; must not call the controller.
    ///   - muted: reads the ports that an earlier guard muted and did not unmute; called when this guard owns the server.
    ///   - onMuted: receives all ports that the session manager will remember as muted, before it does; called as `onReport`.
    ///   - onWatching: receives whether a hung guard would now keep programs silent, at each change; called as `onReport`.
    ///   - onHolders: receives all current focus holders, at each change; called as `onReport`.
    ///   - onRequest: receives what the user asks on the desktop, except releases; called on the desktop's thread.
    package init(
        host: (any GuardHost)? = nil, options: GuardOptions, muted: @escaping @Sendable () -> Set<String> = { [] },
        mode: Mode = .acting, desktop: (any GuardDesktop)? = nil, onReport: @escaping @Sendable (GuardReport) -> Void,
        onMuted: @escaping @Sendable (Set<String>) -> Void = { _ in },
        onWatching: @escaping @Sendable (Bool) -> Void = { _ in },
        onHolders: @escaping @Sendable ([FocusHolder]) -> Void = { _ in },
        onRequest: @escaping @Sendable (GuardRequest, @escaping GuardRequest.Reply) -> Void = { _, reply in
            reply(.failure(GuardRequest.Refusal(words: "this guard cannot do that")))
        }
    ) {
        self.host = host ?? PipeWireGuardHost(role: PipeWireGuardHost.Role(mode, options.scope))
        self.mode = mode
        self.desktop = desktop
        self.onReport = onReport
        self.muted = muted
        self.onMuted = onMuted
        self.onWatching = onWatching
        self.onHolders = onHolders
        self.onRequest = onRequest
        let patterns = ConfigurationText.patterns
        state = Monitor(
            State(machine: GuardMachine(options: options, patterns: patterns, isDryRun: mode == .dryRun)))
    }

    /// The guard that owns the environment's server; nil if no guard does.
    ///
    /// Waits at most `settleSeconds` for the server to report its state.
    package static func runningOnPipeWire() throws(HostError) -> GuardRival? {
        try running(on: PipeWireGuardHost(role: .observing))
    }

    /// - Parameter host: a host that claims nothing; this function shuts it down.
    static func running(on host: any GuardHost) throws(HostError) -> GuardRival? {
        let claims = Mutex(GuardClaims())
        let isSettled = Latch()
        defer { host.shutdown() }
        try host.start { fact in
            if case .guardsChanged(let change) = fact { claims.withLock { $0.apply(change) } }
            if fact == .settled || fact == .connectionLost { isSettled.raise() }
        }
        isSettled.wait(timeoutSeconds: settleSeconds)
        return claims.withLock { $0.owner }
    }

    /// Takes the server, and waits at most `settleSeconds` for the server to report its state.
    ///
    /// If another guard owns the server, this guard removes everything of its own from the server and throws. A guard with the scope
    /// `everything` instead waits for a guard that only serves the focus, keeps holds or hands them over.
    package func start() throws(StartError) {
        do {
            try host.start { [weak self] in self?.apply(.fact($0)) }
        } catch {
            throw .host(error)
        }
        state.wait(atMostSeconds: Self.settleSeconds) { !$0.machine.isDecided }
        let (failure, taken) = state.withLock { ($0.machine.claimFailure, $0.machine.takenBy) }
        if let error = failure.map({ .host(.refused($0)) }) ?? taken.map({ StartError.taken(by: $0) }) {
            host.shutdown()
            throw error
        }
        guard mode == .acting else { return }
        desktop?.start(
            onEvent: { [weak self] event in
                guard let self else { return }
                host.perform { self.apply(event) }
            },
            onRequest: { [weak self] request, reply in
                guard let self else { return }
                if case .release(let program) = request {
                    reply(.success(release(program)))
                } else {
                    onRequest(request, reply)
                }
            })
        if let desktop { host.perform { desktop.show(makeStatus()) } }
    }

    /// Keeps the holds until the next guard has taken them over; call `shutdown` afterwards.
    ///
    /// Waits at most `handoverSeconds` for that guard.
    package func handOver() {
        host.perform { apply(.handoverRequested) }
        state.wait(atMostSeconds: Self.handoverSeconds) { !$0.machine.hasHandedOver }
    }

    /// Whether the next guard has this guard's holds.
    package var hasHandedOver: Bool { state.withLock { $0.machine.hasHandedOver } }

    /// Releases the holds that were not handed over, and unmutes the speaker that was muted while headphones were in.
    ///
    /// Players that were told to pause stay paused, except those held only for the focus.
    ///
    /// Waits at most `muteSeconds` for the session manager to undo every mute, and for streams that are on their way to a sink of the guard.
    package func shutdown() {
        if mode == .acting, !hasHandedOver {
            host.perform { apply(.endRequested) }
            state.wait(atMostSeconds: Self.muteSeconds) { !$0.machine.isEnding || $0.machine.mustStay }
        }
        // A dry run holds nothing, so it releases and reports nothing.
        if mode == .acting { release(nil) }
        desktop?.shutdown()
        host.shutdown()
    }

    /// Releases programs here: all of them, or those with this name, binary or process id.
    ///
    /// - Returns: how many streams were released.
    @discardableResult
    package func release(_ program: String?) -> Int {
        host.perform {
            let before = held.count
            apply(.releaseRequested(program: program))
            return before - held.count
        }
    }

    /// Applies a changed configuration: streams are held or released by the new rules.
    package func configure(_ options: GuardOptions) { host.perform { apply(.optionsChanged(options)) } }

    /// Ends a guard that serves only the focus, if it holds and lowers nothing; from then on it obeys no holder.
    ///
    /// - Returns: false if the guard is still needed.
    package func retireIfUnused() -> Bool { host.perform { state.withLock { $0.machine.retireIfUnused() } } }

    /// Everything that the guard says of itself, but for the faults in its configuration.
    ///
    /// Waits for the host's thread.
    package var status: GuardStatus { host.perform { makeStatus() } }

    private func makeStatus() -> GuardStatus {
        let now = host.now()
        return state.withLock { state in
            let machine = state.machine
            var status = surroundings(of: machine)
            status.held = machine.held.map { HeldStream($0.stream, $0.hold, now: now) }
            status.holders = machine.holders.map {
                FocusedProgram(holder: $0, seconds: max(now.seconds(since: $0.since), 0))
            }
            return status
        }
    }

    /// The status without holds and holders.
    private func surroundings(of machine: GuardMachine) -> GuardStatus {
        var status = GuardStatus()
        (status.watch, status.watchedOutput) = (machine.watch, machine.watchedOutput)
        status.armed = machine.armedPorts.map(\.name)
        (status.rival, status.scope, status.tray) = (machine.rival, machine.options.scope, machine.options.tray)
        (status.isDryRun, status.hasManager) = (mode == .dryRun, machine.hasManager)
        return status
    }

    /// The held streams, in the order in which they were held.
    package var held: [HeldStream] {
        let (held, now) = (state.withLock { $0.machine.held }, host.now())
        return held.map { HeldStream($0.stream, $0.hold, now: now) }
    }

    /// What happened to devices, programs and the server in the last minute.
    ///
    /// - Parameter hasNames: whether the scene shows the names of devices and programs; if not, it shows placeholders.
    package func recentScene(hasNames: Bool) -> AudioScene {
        // Made without the lock, for which the host's thread would wait.
        state.withLock { $0.recent }.scene(until: host.now(), hasNames: hasNames)
    }

    private func apply(_ event: GuardEvent) {
        let (effects, needsWatching) = step(event)
        if let needsWatching { onWatching(needsWatching) }
        for effect in effects {
            switch effect {
            case .host(let command): if mode == .acting || command.isForDryRuns { host.apply(command) }
            case .pausePlayer(let program): if mode == .acting { desktop?.pause(program) }
            case .resumePlayer(let program): if mode == .acting { desktop?.resume(program) }
            case .adoptPlayer(let program): if mode == .acting { desktop?.adopt(program) }
            case .readMutedPorts: if mode == .acting { apply(.mutedPortsRead(muted())) }
            case .mutedPortsChanged(let ports): if mode == .acting { onMuted(ports) }
            case .holdersChanged(let holders):
                if mode == .acting { desktop?.show(holders) }
                onHolders(holders)
            case .primaryAudioChanged(let audio): if mode == .acting { desktop?.show(audio) }
            case .report(let report): onReport(report)
            }
        }
        // The streams are held first.
        if mode == .acting, let desktop, noteShown(after: event, effects) { desktop.show(makeStatus()) }
        state.notifyAll()
    }

    /// - Returns: what the event asks for; also whether a hung guard would keep programs silent, if that has changed.
    private func step(_ event: GuardEvent) -> (effects: [GuardEffect], needsWatching: Bool?) {
        let now = host.now()
        return state.withLock { state in
            if case .fact(let fact) = event { state.recent.add(fact, at: now) }
            let effects = state.machine.apply(event, at: now)
            let needsWatching = state.machine.needsWatching
            let hasChanged = state.needsWatching != needsWatching
            state.needsWatching = needsWatching
            return (effects, hasChanged ? needsWatching : nil)
        }
    }

    /// - Returns: whether the desktop shows something else from now on.
    private func noteShown(after event: GuardEvent, _ effects: [GuardEffect]) -> Bool {
        let hasReports = effects.contains { if case .report = $0 { true } else { false } }
        // The server's facts come in bursts, which end with this one.
        var isConsistent = event == .fact(.settled)
        if case .optionsChanged = event { isConsistent = true }
        guard hasReports || isConsistent || !effects.isEmpty else { return false }
        return state.withLock { state in
            let new = surroundings(of: state.machine)
            defer { state.shown = new }
            return hasReports || new != state.shown
        }
    }
}

/// A held stream.
package struct HeldStream: Hashable, Sendable {
    package typealias Reason = Hold.Reason
    package typealias Release = Hold.Release

    /// Untrusted text.
    package let program: String
    package let processID: UInt32?
    package let reasons: [Hold.Reason]
    let since: HostTime
    package private(set) var seconds: Double
    /// Whether the stream is at the holding sink; if not, the guard only told its player to pause.
    package let isParked: Bool
    /// Whether the stream is still heard: neither the server nor the session manager moves it.
    package let isHeard: Bool

    init(_ stream: ProgramStream, _ hold: Hold, now: HostTime) {
        program = stream.program.name
        processID = stream.program.processID
        reasons = hold.reasons
        since = hold.since
        seconds = max(now.seconds(since: hold.since), 0)
        isParked = hold.isParked
        isHeard = hold.isHeard
    }

    /// The same whenever it is looked at.
    var timeless: HeldStream {
        var stream = self
        stream.seconds = 0
        return stream
    }
}

/// A program that holds the focus.
package struct FocusedProgram: Hashable, Sendable {
    package typealias Holder = FocusHolder

    package let holder: FocusHolder
    package let seconds: Double
}

extension GuardCommand {
    /// Whether a dry run needs the command too.
    ///
    /// A dry run takes the server because `takeServer` makes the host report what existed before the claim.
    fileprivate var isForDryRuns: Bool {
        switch self {
        case .wake, .takeServer: true
        case .setCatch, .hold, .cutStrays, .release, .switchPort, .duck, .openDuck, .linkDuck, .fadeDuck, .closeDuck,
            .giveMicrophone, .claimFocus, .acknowledge, .announceHandover, .configureSink:
            false
        }
    }
}
