import BusObjects
import SessionBus
import Synchronization
package import TestSupport

/// A notification daemon that shows nothing.
package final class NotificationsStandIn: Sendable {
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// "1: summary | body | actions", and "1 closed".
    package let log = History<String>()
    private let bus: BusConnection
    private let lastID = Mutex<UInt32>(0)

    package init(address: String) throws {
        bus = try BusConnection(address: address)
        bus.export(
            BusObject(
                path: Self.path,
                interfaces: [
                    BusInterface(
                        name: Self.service,
                        methods: [
                            .init("GetCapabilities", results: ["as"]) { _ in
                                .success([.strings(["actions", "body", "body-markup"])])
                            },
                            .init("Notify", ["s", "u", "s", "s", "s", "as", "a{sv}", "i"], results: ["u"]) {
                                [weak self] arguments in
                                .success([.uint32(self?.notify(arguments) ?? 0)])
                            },
                            .init("CloseNotification", ["u"]) { [weak self] arguments in
                                self?.close(UInt32(clamping: arguments[0].integer ?? 0), reason: 3)
                                return .success([])
                            },
                        ])
                ]))
        bus.requestName(Self.service)
    }

    /// The user presses the button.
    package func press(_ id: UInt32, _ action: String) {
        bus.emit(path: Self.path, interface: Self.service, member: "ActionInvoked", [.uint32(id), .string(action)])
    }

    /// The user closes it.
    package func dismiss(_ id: UInt32) { close(id, reason: 2) }

    private func notify(_ arguments: [BusValue]) -> UInt32 {
        let replaced = UInt32(clamping: arguments[1].integer ?? 0)
        let id = lastID.withLock { last in
            if replaced == 0 { last += 1 }
            return replaced == 0 ? last : replaced
        }
        let (summary, body) = (arguments[3].string ?? "", arguments[4].string ?? "")
        log.append("\(id): \(summary) | \(body) | \(arguments[5].strings ?? [])")
        return id
    }

    private func close(_ id: UInt32, reason: UInt32) {
        log.append("\(id) closed")
        bus.emit(
            path: Self.path, interface: Self.service, member: "NotificationClosed", [.uint32(id), .uint32(reason)])
    }
}
