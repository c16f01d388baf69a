import BusObjects
import SessionBus
import Synchronization
package import TestSupport

/// A player with MPRIS, which pauses and plays when it is told to.
package final class PlayerStandIn: Sendable {
    /// "Pause" and "Play", as others have called them and as they had an effect: WirePlumber 0.5.11 and a guard may both pause it.
    package let log = History<String>()
    private let bus: BusConnection
    private let status: Mutex<String>

    /// - Parameters:
    ///   - name: the last part of its name, "mpv".
    ///   - status: its playback status, "Playing" or "Paused".
    package init(address: String, name: String, status: String = "Playing") throws {
        self.status = Mutex(status)
        bus = try BusConnection(address: address)
        let methods = [("Pause", "Paused"), ("Play", "Playing")].map { member, status in
            BusInterface.Method(member) { [weak self] _ in
                // Who waits for the call may set another status after it.
                if let self, set(status) { log.append(member) }
                return .success([])
            }
        }
        bus.export(
            BusObject(
                path: Mpris.path,
                interfaces: [
                    BusInterface(
                        name: Mpris.player, methods: methods,
                        properties: [
                            .init("PlaybackStatus", "s") { [weak self] in .string(self?.playbackStatus ?? "Stopped") }
                        ])
                ]))
        bus.requestName("\(Mpris.root).\(name)")
    }

    package var playbackStatus: String { status.withLock { $0 } }

    /// As its user does in its window.
    ///
    /// - Returns: whether it had another status.
    @discardableResult
    package func set(_ status: String) -> Bool {
        let isNew = self.status.withLock { old in
            defer { old = status }
            return old != status
        }
        guard isNew else { return false }
        bus.emitPropertiesChanged(
            path: Mpris.path, interface: Mpris.player, ["PlaybackStatus": .string(status)])
        return true
    }
}
