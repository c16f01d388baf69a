package import AudioModel
internal import Dispatch
package import HostInterface
internal import SessionBus
internal import Synchronization
internal import Threading

/// The machine's sleep, as systemd-logind announces it on the system bus.
///
/// A "delay" inhibitor is held while the machine is awake: from an announcement on, the machine waits until `allow`, 2 s at
/// most. When the bus or logind goes away meanwhile, so that no event would follow, waking is reported at once. A bus that
/// goes away is tried again. `LogindWatch` decides all of this.
///
/// Threads: events are delivered on the bus's thread; the rest is for the session thread.
package final class LogindSleep: SleepWatcher {
    /// Where the announcements come from.
    package enum Bus: Hashable, SleepBus {
        /// `DBUS_SYSTEM_BUS_ADDRESS`, or the machine's.
        case system
        /// A D-Bus address, "unix:path=/run/other/bus".
        case address(String)

        package func watch(
            deliver: @escaping @Sendable (HostEvent) -> Void
        ) throws(SleepUnavailable) -> any SleepWatcher {
            try LogindSleep(bus: self, deliver: deliver)
        }
    }

    private let connector: Connector

    /// - Parameters:
    ///   - library: to be loaded instead of `libsystemd.so.0`.
    ///   - deliver: gets `sleepAnnounced` and `wokeFromSleep`, in turns.
    package init(
        bus: Bus = .system, library: String? = nil, deliver: @escaping @Sendable (HostEvent) -> Void
    ) throws(SleepUnavailable) {
        let address: String? = if case .address(let address) = bus { address } else { nil }
        connector = Connector(address: address, library: library, deliver: deliver)
        // A machine without a system bus does not get one later.
        do throws(BusConnection.Unavailable) { try connector.connect() } catch {
            throw SleepUnavailable(reason: error.reason)
        }
    }

    deinit { close() }

    /// No event comes after it; the machine does not wait for us any more.
    ///
    /// Never inside an event. Idempotent.
    package func close() { connector.close() }

    /// The answer to one announcement.
    package func allow() { connector.apply(.allowed) }

    /// Whether the machine would wait for us, and what there is, in a few words.
    ///
    /// Waits for logind's first answer, half a second at most.
    package var status: (isArmed: Bool, words: String) { connector.status }
}

/// Carries out what the watch decides.
///
/// No event is delivered with its lock held. A connection is made under the lock, so that `close` cannot miss it, and
/// released outside of it and never on its own thread.
private final class Connector: Sendable {
    private typealias Watch = LogindWatch<BusDescriptor>

    private enum Link {
        /// Also after its end, until the next try. Legal exits: none, closed.
        case open(BusConnection)
        /// Legal exits: open, closed.
        case none
        case closed
    }

    private struct State {
        var watch = Watch()
        var link = Link.none
    }

    private let address: String?
    private let library: String?
    private let deliver: @Sendable (HostEvent) -> Void
    private let state = Mutex(State())
    /// Raised once logind has answered.
    private let hasAnswer = Latch()

    private static let bus = "org.freedesktop.DBus"
    private static let login = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let longestDelay = DispatchTimeInterval.seconds(2)

    init(address: String?, library: String?, deliver: @escaping @Sendable (HostEvent) -> Void) {
        self.address = address
        self.library = library
        self.deliver = deliver
    }

    /// Any thread but the bus's.
    func connect() throws(BusConnection.Unavailable) {
        closeLink(to: .none)
        let commands = try state.withLock { state throws(BusConnection.Unavailable) -> [Watch.Command] in
            guard case .none = state.link else { return [] }
            let bus = try BusConnection(.system, address: address, library: library, threadName: "oav-sleep") {
                [weak self] in self?.apply(.busLost($0))
            }
            bus.watch(.init(sender: Self.login, interface: Self.manager, member: "PrepareForSleep")) { [weak self] in
                if let isBeginning = $0.arguments.first?.bool { self?.apply(.preparing(isBeginning)) }
            }
            bus.watch(
                .init(sender: Self.bus, interface: Self.bus, member: "NameOwnerChanged", firstArgument: Self.login)
            ) { [weak self] in
                if let owner = $0.arguments.last?.string { self?.apply(.logindChanged(isThere: !owner.isEmpty)) }
            }
            state.link = .open(bus)
            return state.watch.apply(.connected)
        }
        carryOut(commands)
    }

    func close() { closeLink(to: .closed) }

    private func closeLink(to next: Link) {
        let former = state.withLock { state in
            let former = state.link
            if case .closed = former { return former }
            state.link = next
            if case .closed = next { state.watch = Watch() }
            return former
        }
        if case .open(let bus) = former { bus.close() }
    }

    func apply(_ event: LogindWatch<BusDescriptor>.Event) {
        let (commands, isAnswered) = state.withLock { state in
            if case .closed = state.link { return ([] as [Watch.Command], false) }
            return (state.watch.apply(event), state.watch.status != nil)
        }
        if isAnswered { hasAnswer.raise() }
        carryOut(commands)
    }

    private func carryOut(_ commands: [Watch.Command]) {
        for command in commands {
            switch command {
            case .requestInhibitor(let request): inhibit(request)
            case .reportSleep(let announcement):
                after(Self.longestDelay) { $0.apply(.delayEnded(announcement: announcement)) }
                deliver(.sleepAnnounced)
            case .reportWake: deliver(.wokeFromSleep)
            case .reconnect(let milliseconds): after(.milliseconds(milliseconds)) { $0.reconnect() }
            }
        }
    }

    private func inhibit(_ request: Int) {
        guard case .open(let bus) = state.withLock({ $0.link }) else { return }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "audio"
        let arguments = ["sleep", program, "pausing audio", "delay"].map { BusValue.string($0) }
        bus.call(.init(Self.login, "/org/freedesktop/login1", Self.manager, "Inhibit", arguments), timeoutSeconds: 25) {
            [weak self] result in
            switch result {
            case .success(let values):
                guard case .descriptor(let inhibitor)? = values.first else {
                    self?.apply(.refused("too many files are open", request: request))
                    return
                }
                self?.apply(.inhibited(inhibitor, request: request))
            case .failure(let error): self?.apply(.refused(error.message, request: request))
            }
        }
    }

    private func reconnect() {
        do throws(BusConnection.Unavailable) { try connect() } catch { apply(.busLost(error.reason)) }
    }

    private func after(_ delay: DispatchTimeInterval, _ body: @escaping @Sendable (Connector) -> Void) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) { [weak self] in
            if let self { body(self) }
        }
    }

    var status: (isArmed: Bool, words: String) {
        hasAnswer.wait(timeoutSeconds: 0.5)
        return state.withLock { state in
            if case .closed = state.link { return (false, "closed") }
            return state.watch.status ?? (false, "not announced yet: logind has not answered")
        }
    }
}
