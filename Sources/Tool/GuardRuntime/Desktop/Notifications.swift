internal import SessionBus
internal import Threading

/// Sends notifications to the desktop's daemon.
///
/// Rule: used on the bus's thread only.
///
/// Source: Desktop Notifications Specification 1.2.
final class Notifications: @unchecked Sendable {
    private enum Markup { case unknown, plain, markup }

    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// The key of a click on the notification itself.
    private static let click = "default"

    private unowned let bus: BusConnection
    /// The most notifications whose buttons are known.
    private static let most = 16

    private var markup = Markup.unknown
    /// Those that are shown, by their ids.
    private var shown: [UInt32: GuardNotice] = [:]
    var onClosed: (_ id: UInt32) -> Void = { _ in }

    init(_ bus: BusConnection) { self.bus = bus }

    func start(onRequest: @escaping GuardDesktopHandlers.Request) {
        watch("ActionInvoked") { [weak self] id, signal in
            guard let notice = self?.shown[id], let key = signal.arguments.last?.string else { return }
            let button = Int(key).flatMap { notice.buttons.indices.contains($0) ? notice.buttons[$0] : nil }
            if let request = key == Self.click ? notice.click : button?.request { onRequest(request) { _ in } }
        }
        watch("NotificationClosed") { [weak self] id, _ in
            self?.shown[id] = nil
            self?.onClosed(id)
        }
    }

    private func watch(_ member: String, handler: @escaping @Sendable (UInt32, BusConnection.Signal) -> Void) {
        bus.watch(.init(sender: Self.service, interface: Self.service, member: member)) { signal in
            guard let id = signal.arguments.first?.integer.flatMap({ UInt32(exactly: $0) }) else { return }
            handler(id, signal)
        }
    }

    /// - Parameters:
    ///   - id: the notification whose place it takes; 0: none.
    ///   - reply: receives its id; nil if no daemon has it. Called on the bus's thread.
    func send(_ notice: GuardNotice, replacing id: UInt32 = 0, reply: @escaping @Sendable (UInt32?) -> Void) {
        guard markup == .unknown else { return notify(notice, replacing: id, reply) }
        call("GetCapabilities") { [weak self] result in
            guard let self, let capabilities = (try? result.get())?.first?.strings else { return reply(nil) }
            markup = capabilities.contains("body-markup") ? .markup : .plain
            notify(notice, replacing: id, reply)
        }
    }

    func close(_ id: UInt32) {
        shown[id] = nil
        call("CloseNotification", [.uint32(id)])
    }

    private func notify(
        _ notice: GuardNotice, replacing id: UInt32, _ reply: @escaping @Sendable (UInt32?) -> Void
    ) {
        let body = markup == .markup ? Self.escaped(notice.body) : notice.body
        let buttons = notice.buttons.enumerated().map { (String($0.offset), $0.element.label) }
        // Daemons that show it as a button show none without a label.
        let click = notice.click == nil ? [] : [(Self.click, "")]
        let actions = click + buttons
        let arguments: [BusValue] = [
            .string("audiosession guard"), .uint32(id), .string("audio-headphones"), .string(notice.summary),
            .string(body), .strings(actions.flatMap { [$0.0, $0.1] }),
            .properties(["category": .string("device.removed"), "urgency": .byte(1)]), .int32(-1),
        ]
        call("Notify", arguments) { [weak self] result in
            let id = (try? result.get())?.first?.integer.flatMap { UInt32(exactly: $0) }
            if id == nil { self?.markup = .unknown }
            if let id { self?.note(notice, id) }
            reply(id)
        }
    }

    private func note(_ notice: GuardNotice, _ id: UInt32) {
        shown[id] = notice
        if shown.count > Self.most, let oldest = shown.keys.min() { shown[oldest] = nil }
    }

    private func call(
        _ member: String, _ arguments: [BusValue] = [],
        reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void = { _ in }
    ) {
        bus.call(.init(Self.service, Self.path, Self.service, member, arguments), reply: reply)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension SessionDesktop {
    /// How long a notification daemon may take to start.
    private static let announceSeconds = 3.0

    /// Shows a notification from a program that runs no guard; nothing where there is no bus.
    package static func announce(_ text: String) {
        guard let bus = try? BusConnection() else { return }
        let notifications = Notifications(bus)
        let isShown = Latch()
        bus.perform {
            notifications.send(GuardNotice(summary: "Headphones guard", body: text)) { _ in isShown.raise() }
        }
        isShown.wait(timeoutSeconds: announceSeconds)
        bus.close()
    }
}
