internal import GuardCore
internal import SessionBus

/// The one desktop notification that lists the held programs: replaced when the list changes, closed when nothing is held.
///
/// Rule: used on the bus's thread only.
///
/// Source: Desktop Notifications Specification 1.2.
final class HeldNotice: @unchecked Sendable {
    private enum State: Equatable {
        case none
        /// Sent and not answered. Exits: answered -> `shown`; refused -> `none`.
        case sent(GuardNotice)
        /// Exits: its text changes -> `sent`; nothing is held -> `none`; it is closed -> `closed`.
        case shown(UInt32, GuardNotice)
        /// Closed by its user or by a timeout. Exits: its text changes -> `sent`; nothing is held -> `none`.
        case closed(GuardNotice)
    }

    private enum Markup { case unknown, plain, markup }

    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let playHere = "play-here"

    private unowned let bus: BusConnection
    private let words: @Sendable ([HeldStream]) -> GuardNotice?
    private var state = State.none
    private var wanted: GuardNotice?
    private var markup = Markup.unknown
    private var onEvent: @Sendable (GuardEvent) -> Void = { _ in }

    init(_ bus: BusConnection, words: @escaping @Sendable ([HeldStream]) -> GuardNotice?) {
        self.bus = bus
        self.words = words
    }

    func start(onEvent: @escaping @Sendable (GuardEvent) -> Void) {
        self.onEvent = onEvent
        bus.watch(.init(sender: Self.service, interface: Self.service, member: "ActionInvoked")) { [weak self] signal in
            guard let self, isOurs(signal), signal.arguments.last?.string == Self.playHere else { return }
            self.onEvent(.releaseRequested(program: nil))
        }
        bus.watch(.init(sender: Self.service, interface: Self.service, member: "NotificationClosed")) {
            [weak self] signal in
            guard let self, isOurs(signal), case .shown(_, let notice) = state else { return }
            state = .closed(notice)
        }
    }

    func show(_ held: [HeldStream]) {
        wanted = words(held)
        update()
    }

    func shutdown() {
        wanted = nil
        update()
    }

    private func isOurs(_ signal: BusConnection.Signal) -> Bool {
        guard case .shown(let id, _) = state else { return false }
        return signal.arguments.first?.integer == Int64(id)
    }

    private func update() {
        switch (state, wanted) {
        case (.sent, _), (.none, nil): break
        case (.none, let notice?): send(notice, replacing: 0)
        case (.shown(let id, let notice), let wanted?): if notice != wanted { send(wanted, replacing: id) }
        case (.shown(let id, _), nil):
            state = .none
            bus.call(.init(Self.service, Self.path, Self.service, "CloseNotification", [.uint32(id)]))
        case (.closed(let notice), let wanted?): if notice != wanted { send(wanted, replacing: 0) }
        case (.closed, nil): state = .none
        }
    }

    private func send(_ notice: GuardNotice, replacing id: UInt32) {
        state = .sent(notice)
        guard markup == .unknown else { return notify(notice, replacing: id) }
        bus.call(.init(Self.service, Self.path, Self.service, "GetCapabilities")) { [weak self] result in
            guard let self else { return }
            guard let capabilities = (try? result.get())?.first?.strings else {
                // No notification daemon runs: the next change asks again.
                state = .none
                return
            }
            markup = capabilities.contains("body-markup") ? .markup : .plain
            notify(notice, replacing: id)
        }
    }

    private func notify(_ notice: GuardNotice, replacing id: UInt32) {
        let body = markup == .markup ? Self.escaped(notice.body) : notice.body
        let arguments: [BusValue] = [
            .string("audiosession guard"), .uint32(id), .string("audio-headphones"), .string(notice.summary),
            .string(body), .strings([Self.playHere, notice.action]),
            .properties(["category": .string("device.removed"), "urgency": .byte(1)]), .int32(-1),
        ]
        bus.call(.init(Self.service, Self.path, Self.service, "Notify", arguments)) { [weak self] result in
            guard let self else { return }
            guard let id = (try? result.get())?.first?.integer.flatMap({ UInt32(exactly: $0) }) else {
                (state, markup) = (.none, .unknown)
                return
            }
            state = .shown(id, notice)
            update()
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
