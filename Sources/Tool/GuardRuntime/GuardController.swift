package import AudioModel
package import GuardCore
package import SceneCore
internal import Synchronization
internal import Threading

/// The guard at work: the machine's facts in, its effects out.
///
/// Threads: facts come on the host's thread, requests on any other; each is applied, and its effects are carried out,
/// between two facts.
package final class GuardController: Sendable {
    package typealias Options = GuardOptions
    package typealias Configuration = GuardConfiguration
    package typealias Report = GuardReport
    package typealias Rival = GuardRival
    package typealias Watch = GuardCore.Watch

    /// Whether the guard acts.
    package enum Mode: Hashable, Sendable {
        case acting
        /// It only says what it would do.
        case dryRun
    }

    /// Why a guard does not start.
    package enum StartError: Error {
        case host(HostError)
        /// Another guard has the server.
        case taken(by: GuardRival)
    }

    private static let muteSeconds = 3.0
    /// How long the next guard may take to come and to take over: a program starts slowly on a machine that is busy.
    ///
    /// Less than `guard stop` waits.
    private static let handoverSeconds = 12.0
    /// How long the server may take to tell its state.
    private static let settleSeconds = 3.0

    private let host: any GuardHost
    package let mode: Mode
    private let machine: Mutex<GuardMachine>
    private let desktop: (any GuardDesktop)?
    private let onReport: @Sendable (GuardReport) -> Void
    private let muted: @Sendable () -> Set<String>
    private let onMuted: @Sendable (Set<String>) -> Void
    /// Nothing is muted any more.
    private let isAudible = Latch()
    /// The next guard has what this one held.
    private let isHandedOver = Latch()
    private let onWatching: @Sendable (Bool) -> Void
    private let onHolders: @Sendable ([FocusHolder]) -> Void
    private let isWatching = Mutex(false)
    private let recent = Mutex(RecentScene())

    /// - Parameters:
    ///   - desktop: the user's session; nil where there is no bus.
    ///   - onReport: on the host's thread, or inside a request; it must not call the runtime.
    ///   - muted: reads the ports that an earlier guard has muted and not taken back, when this guard has the server.
    ///   - onMuted: all ports that the session manager remembers as muted from now on, before it does; as `onReport`.
    ///   - onWatching: where from now on a guard that hangs would do harm, or would not; as `onReport`.
    ///   - onHolders: all that hold the focus from now on; as `onReport`.
    package init(
        host: any GuardHost, options: GuardOptions, muted: @escaping @Sendable () -> Set<String> = { [] },
        mode: Mode = .acting, desktop: (any GuardDesktop)? = nil, onReport: @escaping @Sendable (GuardReport) -> Void,
        onMuted: @escaping @Sendable (Set<String>) -> Void = { _ in },
        onWatching: @escaping @Sendable (Bool) -> Void = { _ in },
        onHolders: @escaping @Sendable ([FocusHolder]) -> Void = { _ in }
    ) {
        self.host = host
        self.mode = mode
        self.desktop = desktop
        self.onReport = onReport
        self.muted = muted
        self.onMuted = onMuted
        self.onWatching = onWatching
        self.onHolders = onHolders
        machine = Mutex(
            GuardMachine(options: options, patterns: ConfigurationText.patterns, isDryRun: mode == .dryRun))
    }

    /// A guard of the PipeWire server that the environment names.
    package static func onPipeWire(
        options: GuardOptions, muted: @escaping @Sendable () -> Set<String>, mode: Mode, desktop: (any GuardDesktop)?,
        onReport: @escaping @Sendable (GuardReport) -> Void, onMuted: @escaping @Sendable (Set<String>) -> Void,
        onWatching: @escaping @Sendable (Bool) -> Void, onHolders: @escaping @Sendable ([FocusHolder]) -> Void
    ) -> GuardController {
        let role: PipeWireGuardHost.Role =
            switch (mode, options.scope) {
            case (.dryRun, _): .dryRun
            case (.acting, .everything): .guarding
            case (.acting, .focus): .serving
            case (.acting, .keeping): .keeping
            }
        return GuardController(
            host: PipeWireGuardHost(role: role), options: options, muted: muted, mode: mode, desktop: desktop,
            onReport: onReport, onMuted: onMuted, onWatching: onWatching, onHolders: onHolders)
    }

    /// The guard that has the server of the environment; nil where none has it.
    ///
    /// Waits until the server has told its state, `settleSeconds` at most.
    package static func runningOnPipeWire() throws(HostError) -> GuardRival? {
        try running(on: PipeWireGuardHost(role: .observing))
    }

    /// - Parameter host: one that claims nothing; it is shut down.
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

    /// Takes the server, and waits until it has told its state, `settleSeconds` at most.
    ///
    /// Where another guard has the server, nothing of this one is left on it; one that serves those that hold the focus
    /// alone is waited for.
    package func start() throws(StartError) {
        let isDecided = Latch()
        do {
            try host.start { [weak self] fact in
                guard let self else { return }
                recent.withLock { $0.add(fact, at: host.now()) }
                apply(.fact(fact))
                let isKnown = machine.withLock { $0.knowsServer || $0.rival != nil || $0.claimFailure != nil }
                if isKnown { isDecided.raise() }
            }
        } catch {
            throw .host(error)
        }
        isDecided.wait(timeoutSeconds: Self.settleSeconds)
        let failure = machine.withLock { $0.claimFailure }
        let taken = machine.withLock { $0.takenBy }
        if let error = failure.map({ .host(.refused($0)) }) ?? taken.map({ StartError.taken(by: $0) }) {
            host.shutdown()
            throw error
        }
        guard mode == .acting else { return }
        desktop?.start { [weak self] event in
            guard let self else { return }
            host.perform { self.apply(event) }
        }
    }

    /// Has what is held stand still until the next guard has it; call `shutdown` then.
    ///
    /// Waits for that guard, `handoverSeconds` at most.
    package func handOver() {
        host.perform { apply(.handoverRequested) }
        isHandedOver.wait(timeoutSeconds: Self.handoverSeconds)
    }

    /// The next guard has what this one held.
    package var hasHandedOver: Bool { machine.withLock { $0.hasHandedOver } }

    /// What is held and not handed over is let go, and the speaker is heard after its headphones, as before.
    ///
    /// Players that were told to pause stay paused, but for those that held for the focus alone.
    ///
    /// Waits until the session manager has taken back every mute, `muteSeconds` at most.
    package func shutdown() {
        if mode == .acting, !hasHandedOver {
            host.perform { apply(.endRequested) }
            isAudible.wait(timeoutSeconds: Self.muteSeconds)
        }
        // A dry run has nothing to let go, and says nothing of it.
        if mode == .acting { release(nil) }
        desktop?.shutdown()
        host.shutdown()
    }

    /// Lets programs go on here: all, or those of a name, binary or process id.
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

    /// Its user has changed the configuration: what is held is held or let go as it says now.
    package func configure(_ options: GuardOptions) { host.perform { apply(.optionsChanged(options)) } }

    /// Ends the service of a guard that is there for the focus alone, where nothing is held or low: no holder is obeyed from
    /// then on.
    ///
    /// - Returns: false where it is still needed.
    package func retireIfUnused() -> Bool { host.perform { machine.withLock { $0.retireIfUnused() } } }

    /// All that hold the focus, in the order in which they came.
    package var holders: [FocusedProgram] {
        let (holders, now) = (machine.withLock { $0.holders }, host.now())
        return holders.map { FocusedProgram(holder: $0, seconds: max(now.seconds(since: $0.since), 0)) }
    }

    /// What stands still, in the order of its holding.
    package var held: [HeldStream] {
        let (held, now) = (machine.withLock { $0.held }, host.now())
        return held.map { HeldStream($0.stream, $0.hold, now: now) }
    }

    /// The other guard that has the server, for which this one waits.
    package var rival: GuardRival? { machine.withLock { $0.rival } }

    /// What happened to devices, programs and the server in the last minute.
    ///
    /// - Parameter hasNames: the scene has the names of devices and programs, and not stand-ins.
    package func recentScene(hasNames: Bool) -> AudioScene {
        recent.withLock { $0.scene(until: host.now(), hasNames: hasNames) }
    }

    /// Whether a session manager runs: without one nothing can be held.
    package var hasManager: Bool { machine.withLock { $0.hasManager } }

    /// Whether what the default output plays is caught when it leaves, and why not.
    ///
    /// Waits for the host's thread.
    package var watch: Watch { host.perform { machine.withLock { $0.watch } } }

    /// The speakers that stay silent if their headphones leave now; untrusted texts.
    package var armedPorts: [String] { machine.withLock { $0.armedPorts.map(\.name) } }

    private func apply(_ event: GuardEvent) {
        let (effects, needsWatching, isDone, isLeft) = machine.withLock { machine in
            (
                machine.apply(event, at: host.now()), machine.needsWatching, machine.isEnding && !machine.mutesPorts,
                machine.hasHandedOver
            )
        }
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
            case .report(let report): onReport(report)
            }
        }
        let hasReports = effects.contains { if case .report = $0 { true } else { false } }
        if hasReports, mode == .acting { desktop?.show(held) }
        let hasChanged = isWatching.withLock { isWatching in
            defer { isWatching = needsWatching }
            return isWatching != needsWatching
        }
        if hasChanged { onWatching(needsWatching) }
        if isDone { isAudible.raise() }
        if isLeft { isHandedOver.raise() }
    }
}

/// One stream that stands still.
package struct HeldStream: Hashable, Sendable {
    package typealias Reason = Hold.Reason
    package typealias Release = Hold.Release

    /// Untrusted text.
    package let program: String
    package let processID: UInt32?
    package let reasons: [Hold.Reason]
    package let seconds: Double
    /// It stands still; else its player was told to pause, and that is all.
    package let isParked: Bool
    /// It is not held: neither the server nor the session manager moves it.
    package let isHeard: Bool

    init(_ stream: ProgramStream, _ hold: Hold, now: HostTime) {
        program = stream.program.name
        processID = stream.program.processID
        reasons = hold.reasons
        seconds = max(now.seconds(since: hold.since), 0)
        isParked = hold.isParked
        isHeard = hold.isHeard
    }
}

/// One program that holds the focus.
package struct FocusedProgram: Hashable, Sendable {
    package typealias Holder = FocusHolder

    package let holder: FocusHolder
    package let seconds: Double
}

extension GuardCommand {
    /// Whether a guard that acts on nothing needs it too.
    ///
    /// It takes the server so that it is told what came before its claim.
    fileprivate var isForDryRuns: Bool {
        switch self {
        case .wake, .takeServer: true
        case .setCatch, .hold, .cutStrays, .release, .switchPort, .duck, .openDuck, .linkDuck, .fadeDuck, .closeDuck,
            .claimFocus,
            .acknowledge, .announceHandover, .configureSink:
            false
        }
    }
}
