package import GuardCore
package import SessionBus

/// What the guard tells the user's desktop, and hears from it.
///
/// Every function returns at once and may be called on the host's thread.
package protocol GuardDesktop: Sendable {
    /// - Parameter onEvent: what the user did; on a thread of the desktop's, which waits meanwhile.
    func start(onEvent: @escaping @Sendable (GuardEvent) -> Void)
    /// Has the player of this program show that it is paused.
    func pause(_ program: Program)
    /// Starts what `pause` has paused.
    func resume(_ program: Program)
    /// Has `resume` start the player of this program, which another guard has paused.
    func adopt(_ program: Program)
    /// All that stands still now.
    func show(_ held: [HeldStream])
    /// All that hold the focus now.
    func show(_ holders: [FocusHolder])
    /// Withdraws the notification. What was asked before is sent.
    ///
    /// Waits for the desktop's thread.
    func shutdown()
}

/// The user's session bus: players by MPRIS, and one notification.
package final class SessionDesktop: GuardDesktop {
    package typealias Unavailable = BusConnection.Unavailable

    private let bus: BusConnection
    private let players: MprisPlayers
    private let notice: HeldNotice
    /// nil where the service is not offered.
    private let focus: FocusService?

    /// - Parameters:
    ///   - address: of the bus; nil is the user's.
    ///   - offersFocus: other programs may ask for the focus over the bus.
    ///   - focusRate: how often each of them may.
    ///   - words: the notification's; nil where nothing is held.
    package init(
        address: String? = nil, offersFocus: Bool = true, focusRate: RequestRate = .standard,
        words: @escaping @Sendable ([HeldStream]) -> GuardNotice?
    ) throws(Unavailable) {
        bus = try BusConnection(address: address)
        players = MprisPlayers(bus)
        notice = HeldNotice(bus, words: words)
        focus = offersFocus ? FocusService(bus, rate: focusRate) : nil
    }

    // What runs on the bus's thread uses the bus until this returns.
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

/// The words of the notification; those that come from programs are printable.
package struct GuardNotice: Hashable, Sendable {
    package let summary: String
    package let body: String
    /// Of the button that lets everything go on here.
    package let action: String

    package init(summary: String, body: String, action: String) {
        self.summary = summary
        self.body = body
        self.action = action
    }
}
