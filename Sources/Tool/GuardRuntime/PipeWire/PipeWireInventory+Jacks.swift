internal import AudioModel
internal import GuardCore
internal import HostPipeWire

extension PipeWireInventory {
    /// The sinks whose card switches them between ports, with the ports that are unavailable now.
    var jacks: [GuardJack] {
        sortedNodes(.output).compactMap { node in
            guard let device = node.deviceID.flatMap({ devices[$0] }), let cardDevice = node.cardDevice,
                let active = device.activeRoutes[cardDevice]
            else { return nil }
            let routes = device.routes(of: node)
            guard routes.count > 1, let current = routes.first(where: { $0.index == active }) else { return nil }
            let ports = routes.map { route in
                let port = location(node, device, route, isActive: route.index == active).port
                return GuardJack.Port(uid: port.uid, name: port.name, kind: port.kind, isAvailable: route.isAvailable)
            }
            return GuardJack(
                sink: node.name, ports: ports, active: Self.uid(node, device, current),
                isMuted: device.volumes[cardDevice]?.port.isMuted ?? false)
        }
    }

    /// The identifiers for switching a card to the port: the card, its device, and the route's index.
    func route(uid: String) -> (deviceID: UInt32, cardDevice: Int32, index: Int32)? {
        for node in sortedNodes(.output) {
            guard let device = node.deviceID.flatMap({ devices[$0] }), let cardDevice = node.cardDevice,
                let route = device.routes(of: node).first(where: { Self.uid(node, device, $0) == uid })
            else { continue }
            return (device.id, cardDevice, route.index)
        }
        return nil
    }
}
