/// The one desktop notification that lists the held programs: replaced when the list changes, closed when nothing is held.
///
/// Rule: used on the bus's thread only.
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

    private let notifications: Notifications
    private let words: @Sendable ([HeldStream]) -> GuardNotice?
    private var state = State.none
    private var wanted: GuardNotice?

    init(_ notifications: Notifications, words: @escaping @Sendable ([HeldStream]) -> GuardNotice?) {
        self.notifications = notifications
        self.words = words
    }

    func start() {
        notifications.onClosed = { [weak self] id in
            guard case .shown(id, let notice)? = self?.state else { return }
            self?.state = .closed(notice)
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

    private func update() {
        switch (state, wanted) {
        case (.sent, _), (.none, nil): break
        case (.none, let notice?): send(notice, replacing: 0)
        case (.shown(let id, let notice), let wanted?): if notice != wanted { send(wanted, replacing: id) }
        case (.shown(let id, _), nil):
            state = .none
            notifications.close(id)
        case (.closed(let notice), let wanted?): if notice != wanted { send(wanted, replacing: 0) }
        case (.closed, nil): state = .none
        }
    }

    private func send(_ notice: GuardNotice, replacing id: UInt32) {
        state = .sent(notice)
        notifications.send(notice, replacing: id) { [weak self] id in
            guard let self else { return }
            // No notification daemon runs: the next change asks again.
            guard let id else { return state = .none }
            state = .shown(id, notice)
            update()
        }
    }
}
