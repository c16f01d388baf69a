package import GuardCore
package import SessionBus

/// What a guard does when its user acts on the desktop.
package enum GuardDesktopHandlers {
    package typealias Event = @Sendable (GuardEvent) -> Void
    package typealias Request = @Sendable (GuardRequest, @escaping GuardRequest.Reply) -> Void
}

/// The user's desktop: what the guard shows there, and what the user does there.
///
/// Every function returns at once and may be called on the host's thread.
package protocol GuardDesktop: Sendable {
    /// - Parameters:
    ///   - onEvent: receives the user's actions, on a thread of the desktop's, which waits for the call.
    ///   - onRequest: receives the user's requests, on the same thread; the reply may come on any.
    func start(onEvent: @escaping GuardDesktopHandlers.Event, onRequest: @escaping GuardDesktopHandlers.Request)
    /// Tells the program's player to pause, so that it shows the pause.
    func pause(_ program: Program)
    /// Starts the player that `pause` has paused.
    func resume(_ program: Program)
    /// Lets `resume` start this program's player, which another guard has paused.
    func adopt(_ program: Program)
    /// Shows what is held and watched now.
    func show(_ status: GuardStatus)
    /// Shows all current focus holders.
    func show(_ holders: [FocusHolder])
    /// Shows what plays music now.
    func show(_ audio: [PrimaryAudio])
    /// Withdraws the notification and the item in the tray. Earlier requests are still sent.
    ///
    /// Waits for the desktop's thread.
    func shutdown()
}

/// The user's session bus: players over MPRIS, one notification, the item in the tray, and the guard's two services.
package final class SessionDesktop: GuardDesktop {
    package typealias Unavailable = BusConnection.Unavailable

    private let bus: BusConnection
    private let players: MprisPlayers
    private let notifications: Notifications
    private let notice: HeldNotice
    private let tray: TrayItem
    /// nil if the services are not offered.
    private let services: (focus: FocusService, guardian: GuardService)?

    /// - Parameters:
    ///   - address: the bus's address; nil means the user's bus.
    ///   - offersServices: whether other programs may ask for the focus over the bus, and see and control the guard.
    ///   - rate: how often each program may ask.
    ///   - words: makes the texts.
    package init(
        address: String? = nil, offersServices: Bool = true, rate: RequestRate = .standard, words: GuardWords
    ) throws(Unavailable) {
        bus = try BusConnection(address: address)
        players = MprisPlayers(bus)
        notifications = Notifications(bus)
        notice = HeldNotice(notifications, words: words.notice)
        tray = TrayItem(bus)
        services =
            offersServices
            ? (FocusService(bus, rate: rate), GuardService(bus, rate: rate, sentence: words.sentence)) : nil
    }

    // Functions on the bus's thread use the bus until this call returns.
    deinit { bus.close() }

    package func start(
        onEvent: @escaping GuardDesktopHandlers.Event, onRequest: @escaping GuardDesktopHandlers.Request
    ) {
        bus.perform { [players, notifications, notice, tray, services] in
            players.start(onEvent: onEvent)
            notifications.start(onRequest: onRequest)
            notice.start()
            tray.start(onRequest: onRequest)
            services?.focus.start(onEvent: onEvent)
            services?.guardian.start(onRequest: onRequest)
        }
    }

    package func pause(_ program: Program) { bus.perform { [players] in players.pause(program) } }
    package func resume(_ program: Program) { bus.perform { [players] in players.resume(program) } }
    package func adopt(_ program: Program) { bus.perform { [players] in players.adopt(program) } }
    package func show(_ status: GuardStatus) {
        bus.perform { [notice, tray, services] in
            notice.show(status.held)
            tray.show(status)
            services?.focus.show(status.held)
            services?.guardian.show(status)
        }
    }
    package func show(_ holders: [FocusHolder]) { bus.perform { [services] in services?.focus.show(holders) } }
    package func show(_ audio: [PrimaryAudio]) { bus.perform { [services] in services?.focus.show(audio) } }

    /// Shows a notification that stands for itself.
    ///
    /// - Parameter onShown: called on the bus's thread when a notification daemon has it.
    package func say(_ notice: GuardNotice, onShown: @escaping @Sendable () -> Void = {}) {
        bus.perform { [notifications] in notifications.send(notice) { if $0 != nil { onShown() } } }
    }

    package func shutdown() {
        bus.perform { [notice, tray] in
            notice.shutdown()
            tray.shutdown()
        }
        bus.close()
        services?.focus.shutdown()
    }
}

/// Makes the texts of the desktop.
package struct GuardWords: Sendable {
    /// The notification's texts; nil if nothing is held.
    package let notice: @Sendable ([HeldStream]) -> GuardNotice?
    /// The sentence that `guard status` begins with.
    package let sentence: @Sendable (GuardStatus) -> String

    package init(
        notice: @escaping @Sendable ([HeldStream]) -> GuardNotice? = { _ in nil },
        sentence: @escaping @Sendable (GuardStatus) -> String = { _ in "" }
    ) {
        self.notice = notice
        self.sentence = sentence
    }
}

/// The notification's texts, and what its user may ask there; texts from programs are printable.
package struct GuardNotice: Hashable, Sendable {
    package struct Button: Hashable, Sendable {
        package let label: String
        package let request: GuardRequest

        package init(_ label: String, _ request: GuardRequest) {
            self.label = label
            self.request = request
        }
    }

    package let summary: String
    package let body: String
    package let buttons: [Button]
    /// What a click on the notification itself asks; nil: it only closes the notification.
    package let click: GuardRequest?

    package init(summary: String, body: String, buttons: [Button] = [], click: GuardRequest? = nil) {
        self.summary = summary
        self.body = body
        self.buttons = buttons
        self.click = click
    }
}
