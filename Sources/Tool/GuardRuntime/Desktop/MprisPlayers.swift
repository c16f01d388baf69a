internal import BusObjects
internal import GuardCore
internal import SessionBus

/// The desktop's players (MPRIS), with those that the guard has paused.
///
/// Rule: used on the bus's thread only.
final class MprisPlayers: @unchecked Sendable {
    private typealias Status = Mpris.Status

    private enum Control: Hashable {
        case none
        /// Told to pause, and has not reported a pause. Exits: pauses -> `paused`; stops, or is told to play -> `none`.
        case told(Program.Identity)
        /// Exits: plays, because its user has pressed play -> `none`; stops, or is told to play -> `none`.
        case paused(Program.Identity)

        var identity: Program.Identity? {
            switch self {
            case .none: nil
            case .told(let identity), .paused(let identity): identity
            }
        }
    }

    /// A bus connection that owns names of players.
    private struct Player {
        var names: Set<String>
        var process: UInt32?
        /// nil until the player has reported it.
        var status: Status?
        var statusTime = ContinuousClock.now
        var control = Control.none
    }

    /// A program whose player the previous guard paused, and whose player was not found yet.
    private struct Adopted {
        var program: Program
        /// When it was to play, if it was not found then.
        var resumeTime: ContinuousClock.Instant?
    }

    /// If a player paused at most this long ago, a session manager or the player itself may have paused it for the same loss.
    private static let samePause = Duration.seconds(1)
    /// A player that is found later than this does not play: its user no longer expects it.
    private static let latestResume = Duration.seconds(10)

    private unowned let bus: BusConnection
    /// The players by the connection's unique name.
    private var players: [String: Player] = [:]
    private var onEvent: @Sendable (GuardEvent) -> Void = { _ in }
    private var adopted: [Adopted] = []

    init(_ bus: BusConnection) { self.bus = bus }

    func start(onEvent: @escaping @Sendable (GuardEvent) -> Void) {
        self.onEvent = onEvent
        bus.watch(
            .init(
                path: Mpris.path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                firstArgument: Mpris.player)
        ) { [weak self] signal in
            guard signal.arguments.count > 1,
                let status = signal.arguments[1].properties?["PlaybackStatus"]?.string.flatMap(Status.init)
            else { return }
            self?.note(status, of: signal.sender)
        }
        bus.watchOwners(of: Mpris.root) { [weak self] name, owner in self?.note(owner: owner, of: name) }
    }

    // MARK: The guard's side

    func pause(_ program: Program) {
        guard let owner = player(of: program), let player = players[owner], player.status != .stopped else { return }
        if player.control != .none {
            // The guard has paused the player for another reason already.
        } else if player.status != .paused {
            players[owner]?.control = .told(program.identity)
            // Before the player answers: a guard that hands over meanwhile names this player too.
            onEvent(.playerPaused(program.identity))
            tell(owner, "Pause")
        } else if player.statusTime.duration(to: .now) < Self.samePause {
            players[owner]?.control = .paused(program.identity)
            onEvent(.playerPaused(program.identity))
        }
    }

    func adopt(_ program: Program) {
        adopted.append(Adopted(program: program))
        for owner in players.keys { adoptPaused(owner) }
    }

    /// Adopts a paused player.
    ///
    /// A player that plays was started by its user meanwhile, and is not adopted.
    private func adoptPaused(_ owner: String) {
        guard let index = adopted.firstIndex(where: { player(of: $0.program) == owner }),
            let status = players[owner]?.status
        else { return }
        let found = adopted.remove(at: index)
        guard status == .paused else { return }
        players[owner]?.control = .paused(found.program.identity)
        if let time = found.resumeTime, time.duration(to: .now) < Self.latestResume { resume(found.program) }
    }

    func resume(_ program: Program) {
        for index in adopted.indices where adopted[index].program.identity == program.identity {
            adopted[index].resumeTime = .now
        }
        for (owner, player) in players where player.control.identity == program.identity {
            players[owner]?.control = .none
            tell(owner, "Play")
        }
    }

    private func tell(_ owner: String, _ member: String) {
        bus.call(.init(owner, Mpris.path, Mpris.player, member))
    }

    // MARK: The bus' side

    private func note(owner: String?, of name: String) {
        for (unique, player) in players where unique != owner && player.names.contains(name) {
            players[unique]?.names.remove(name)
            if players[unique]?.names.isEmpty == true { players[unique] = nil }
        }
        // playerctld is a proxy for other players.
        guard let owner, name != Mpris.root + ".playerctld" else { return }
        guard players[owner] == nil else {
            players[owner]?.names.insert(name)
            return
        }
        players[owner] = Player(names: [name])
        bus.getProcess(of: owner) { [weak self] process in
            self?.players[owner]?.process = process
            self?.adoptPaused(owner)
        }
        bus.getProperty("PlaybackStatus", of: Mpris.player, Mpris.path, at: owner) { [weak self] result in
            guard let self, players[owner]?.status == nil,
                let status = (try? result.get())?.string.flatMap(Status.init)
            else { return }
            note(status, of: owner)
        }
    }

    private func note(_ status: Status, of owner: String) {
        guard let player = players[owner], player.status != status else { return }
        players[owner]?.status = status
        players[owner]?.statusTime = .now
        switch (player.control, status) {
        case (.told(let identity), .paused): players[owner]?.control = .paused(identity)
        case (.told, .stopped), (.paused, .stopped): players[owner]?.control = .none
        case (.paused(let identity), .playing):
            players[owner]?.control = .none
            onEvent(.playerStarted(identity))
        case (.none, _), (.told, .playing), (.paused, .paused): break
        }
        adoptPaused(owner)
    }

    // MARK: Whose player it is

    /// The bus and the sound server may report different processes of one program.
    private func player(of program: Program) -> String? {
        guard let process = program.processID else { return player(inSandboxOf: program) }
        if let owner = player(ofProcess: process) { return owner }
        if let owner = ProcessTree.ancestors(of: process).lazy.compactMap(player).first { return owner }
        let below = players.filter { $0.value.process.map { ProcessTree.ancestors(of: $0).contains(process) } == true }
        return below.keys.min() ?? player(inSandboxOf: program)
    }

    private func player(ofProcess process: UInt32) -> String? {
        players.filter { $0.value.process == process }.keys.min()
    }

    /// Finds a sandboxed program's player by name: its connection belongs to the sandbox's proxy process.
    private func player(inSandboxOf program: Program) -> String? {
        let words = Set([program.name, program.binary ?? ""].map { $0.lowercased() })
        return players.filter { _, player in
            guard player.process.map(ProcessTree.name) == "xdg-dbus-proxy" else { return false }
            let parts = player.names.flatMap { $0.dropFirst(Mpris.root.count + 1).lowercased().split(separator: ".") }
            return parts.contains { words.contains(String($0)) }
        }.keys.min()
    }
}
