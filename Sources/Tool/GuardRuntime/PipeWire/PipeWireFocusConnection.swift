internal import AudioModel
internal import CPipeWireShims
internal import GuardCore
internal import HostPipeWire

/// The connection of a program that holds the focus: its claim, and the guards that may obey it.
///
/// It follows no stream and no output: of the facts, it has changes of guards, `settled` and `connectionLost`. They are delivered with
/// the loop locked.
///
/// Rule: everything but `isLost`, `begin` and `close` is used with the loop locked.
final class PipeWireFocusConnection: ReplaceableConnection, ServerConnection, @unchecked Sendable {
    private enum Life {
        /// Exits: `lost`, `closed`.
        case open
        /// Exit: `closed`.
        case lost
        case closed
    }

    private static let claim: UInt64 = 0

    private let remote: String?
    private let request: FocusRequest
    private let deliver: @Sendable (GuardFact) -> Void
    private let onLost: @Sendable () -> Void
    let loop: ClosableLoop
    private var life = Life.open
    var server = PipeWireServerState(readsMetadata: false, readsRanking: false)
    private var guards: Set<UInt64> = []

    init(
        remote: String?, request: FocusRequest, deliver: @escaping @Sendable (GuardFact) -> Void,
        onLost: @escaping @Sendable () -> Void
    ) throws(HostError) {
        self.remote = remote
        self.request = request
        self.deliver = deliver
        self.onLost = onLost
        loop = try ClosableLoop(remote: remote)
    }

    deinit { close() }

    func successor() throws(HostError) -> PipeWireFocusConnection {
        try PipeWireFocusConnection(remote: remote, request: request, deliver: deliver, onLost: onLost)
    }

    var isLost: Bool { loop.withLock { life == .lost } ?? false }

    func begin() {
        let hasThread = loop.run({ [weak self] in self?.receive($0) }) {
            let (status, words) = loop.calls.putClaim(
                Self.claim, in: OAV_PW_CLAIMS_OF_SESSIONS, configuration: request.claim.configuration,
                focus: request.text, program: request.program)
            if status != OAV_PW_OK { deliver(.guardsChanged(.failed(words))) }
            server.changed()
            sendRequests()
        }
        if !hasThread { loop.withLock { lost() } }
    }

    func close() { loop.close { life = .closed } }

    var isClosed: Bool { life == .closed }

    func apply(_ fact: PipeWireServerState.Fact) {
        switch fact {
        case .program(let node):
            guard node.isGuard, server.clients.isForeign(node) else { return }
            guards.insert(node.serial)
            deliver(.guardsChanged(.rivalChanged(GuardRival(node, server.clients))))
        case .programRemoved(let serial):
            if guards.remove(serial) != nil { deliver(.guardsChanged(.rivalLeft(serial: serial))) }
        case .granted(let grant): deliver(.guardsChanged(.granted(serial: grant.serial)))
        case .refused(_, let words): deliver(.guardsChanged(.failed(words)))
        case .settled: deliver(.settled)
        case .lost: lost()
        case .programAnnounced(_, _, isClaim: true):
            // The burst waits for its contents.
            server.changed()
            sendRequests()
        case .announced, .inventory, .programAnnounced, .programDeparted, .link, .removed, .managerChanged, .targetSet,
            .requestsRead, .due:
            break
        }
    }

    private func lost() {
        guard life == .open else { return }
        life = .lost
        deliver(.connectionLost)
        onLost()
    }
}
