package import GuardCore
package import SessionBus

/// The user's desktop: what the guard shows there, and what the user does there.
///
/// Every function returns at once and may be called on the host's thread.
package protocol GuardDesktop: Sendable {
    /// - Parameter onEvent: receives the user's actions, on a thread of the desktop's, which waits for the call.
    func start(onEvent: @escaping @Sendable (GuardEvent) -> Void)
    /// Tells the program's player to pause, so that it shows the pause.
    func pause(_ program: Program)
    /// Starts the player that `pause` has paused.
    func resume(_ program: Program)
    /// Lets `resume` start this program's player, which another guard has paused.
    func adopt(_ program: Program)
    /// Shows all streams that are held now.
    func show(_ held: [HeldStream])
    /// Shows all current focus holders.
    func show(_ holders: [FocusHolder])
    /// Withdraws the notification. Earlier requests are still sent.
    ///
    /// Waits for the desktop's thread.
    func shutdown()
}

/// The user's session bus: players over MPRIS, and one notification.
package final class SessionDesktop: GuardDesktop {
    package typealias Unavailable = BusConnection.Unavailable

    private let bus: BusConnection
    private let players: MprisPlayers
    private let notice: HeldNotice
    /// nil if the service is not offered.
    private let focus: FocusService?

    /// - Parameters:
    ///   - address: the bus's address; nil means the user's bus.
    ///   - offersFocus: whether other programs may ask for the focus over the bus.
    ///   - focusRate: how often each program may ask.
    ///   - words: makes the notification's text; nil if nothing is held.
    package init(
        address: String? = nil, offersFocus: Bool = true, focusRate: RequestRate = .standard,
        words: @escaping @Sendable ([HeldStream]) -> GuardNotice?
    ) throws(Unavailable) {
        bus = try BusConnection(address: address)
        players = MprisPlayers(bus)
        notice = HeldNotice(bus, words: words)
        focus = offersFocus ? FocusService(bus, rate: focusRate) : nil
    }

    // Functions on the bus's thread use the bus until this call returns.
    deinit { bus.close() }

    package func start(onEvent: @escaping @Sendable (GuardEvent) -> Void) {
        bus.perform { [players, notice, focus] in
            players.start(onEvent: onEvent)
            notice.start(onEvent: onEvent)
            focus?.start(onEvent: onEvent)
        }
    }

    package func pause(_ program: Program) { bus.perform { [players] in players.pause(program) } }
    package func resume(_ program: Program) { bus.perform { [players] in players.resume(program) } }
    package func adopt(_ program: Program) { bus.perform { [players] in players.adopt(program) } }
    package func show(_ held: [HeldStream]) {
        bus.perform { [notice, focus] in
            notice.show(held)
            focus?.show(held)
        }
    }
    package func show(_ holders: [FocusHolder]) { bus.perform { [focus] in focus?.show(holders) } }

    package func shutdown() {
        bus.perform { [notice] in notice.shutdown() }
        bus.close()
        focus?.shutdown()
    }
}

/// The notification's texts; texts from programs are printable.
package struct GuardNotice: Hashable, Sendable {
    package let summary: String
    package let body: String
    /// The label of the button that releases all programs here.
    package let action: String

    package init(summary: String, body: String, action: String) {
        self.summary = summary
        self.body = body
        self.action = action
    }
}
