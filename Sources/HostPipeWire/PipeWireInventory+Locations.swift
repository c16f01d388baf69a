package import AudioModel

extension PipeWireInventory {
    /// A port with the objects that stand behind it now.
    package struct PortLocation: Hashable, Sendable {
        package var port: Port
        package var nodeID: UInt32
        /// nil for a node without routes.
        package var routeIndex: Int32?
        /// The sink is switched to this port, or will be in a moment.
        package var isActive: Bool
    }

    /// All ports, best first, outputs before inputs.
    package var locations: [PortLocation] {
        var locations: [PortLocation] = []
        var taken: Set<String> = []
        for direction in [PortDirection.output, .input] {
            for node in sortedNodes(direction) {
                for var location in self.locations(of: node) {
                    // Two nodes of one device may share a route's name; nothing keeps nodes from sharing theirs.
                    while !taken.insert(location.port.uid).inserted {
                        location.port.uid = node.name + "#" + location.port.uid
                    }
                    locations.append(location)
                }
            }
        }
        return locations
    }

    /// There is an output, and the session manager has chosen one.
    var isComplete: Bool {
        guard let name = defaultNames[.output] else { return false }
        return locations.contains { $0.port.direction == .output && nodes[$0.nodeID]?.name == name }
    }

    package func location(uid: String) -> PortLocation? { locations.first { $0.port.uid == uid } }

    /// The active port of the node that a mixer named, by serial or by name.
    package func location(target: String) -> PortLocation? {
        let node = nodes.values.first { UInt64(target) == $0.serial } ?? nodes.values.first { $0.name == target }
        guard let node else { return nil }
        return locations.first { $0.nodeID == node.id && $0.isActive }
    }

    /// Where the session manager sends sound, or will as soon as it has noticed what we know.
    func defaultLocation(_ direction: PortDirection, in locations: [PortLocation]) -> PortLocation? {
        func active(named name: String?) -> PortLocation? {
            guard let name else { return nil }
            return locations.first {
                $0.port.direction == direction && $0.isActive && nodes[$0.nodeID]?.name == name
            }
        }
        let named = steadyDefaultName(direction)
        if let location = active(named: named) { return location }
        // Without a microphone the default source is a sink's monitor: it would record other programs. No input, then.
        if direction == .input, nodes.values.contains(where: { $0.direction == .output && $0.name == named }) {
            return nil
        }
        return active(named: preferredNames[direction]) ?? active(named: heldDefaultNames[direction])
            ?? locations.first { $0.port.direction == direction && $0.isActive }
    }

    /// The sinks that their card switches between ports, with the ports that are unavailable now.
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
                isMuted: device.volumes[cardDevice]?.isMuted ?? false)
        }
    }

    /// What switches a card to the port: the card, its device, and the route's index.
    func route(uid: String) -> (deviceID: UInt32, cardDevice: Int32, index: Int32)? {
        for node in sortedNodes(.output) {
            guard let device = node.deviceID.flatMap({ devices[$0] }), let cardDevice = node.cardDevice,
                let route = device.routes(of: node).first(where: { Self.uid(node, device, $0) == uid })
            else { continue }
            return (device.id, cardDevice, route.index)
        }
        return nil
    }

    private func sortedNodes(_ direction: PortDirection) -> [PipeWireNode] {
        nodes.values.filter { $0.direction == direction && !$0.isStandIn }
            .sorted { ($1.priority, $0.serial, $0.id) < ($0.priority, $1.serial, $1.id) }
    }

    private func locations(of node: PipeWireNode) -> [PortLocation] {
        guard !node.positions.isEmpty else { return [] }
        let device = node.deviceID.flatMap { devices[$0] }
        // The device's routes are on their way: what is told now would be taken back in a moment.
        if let device, device.routes == nil { return [] }
        guard let device, case let routes = device.routes(of: node), !routes.isEmpty else {
            return [location(node, device, nil, isActive: true)]
        }
        let current = device.currentRoute(of: node)
        return routes.filter(\.isAvailable)
            .sorted { a, b in
                (a.index == current ? 0 : 1, a.availability == .yes ? 0 : 1, b.priority, a.index)
                    < (b.index == current ? 0 : 1, b.availability == .yes ? 0 : 1, a.priority, b.index)
            }
            .map { location(node, device, $0, isActive: $0.index == current) }
    }

    private func location(
        _ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?, isActive: Bool
    ) -> PortLocation {
        let port = Port(
            uid: Self.uid(node, device, route), name: route?.description ?? node.description ?? node.name,
            kind: PortKind(PipeWirePortTraits(node: node, device: device, route: route)), direction: node.direction,
            channels: node.channels, sampleRate: rate(of: node))
        return PortLocation(port: port, nodeID: node.id, routeIndex: route?.index, isActive: isActive)
    }

    /// Stable over re-plugging and restarts: names only, never an id or a serial.
    private static func uid(_ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?) -> String {
        let name = node.name.isEmpty ? "unnamed" : node.name
        guard let route else { return name }
        return (device?.name ?? name) + "/" + route.name
    }
}

extension PipeWireInventory {
    /// Why "not a frame on the speaker" does not hold for this port; nil where it does.
    ///
    /// Behind a virtual sink stands another stream, which the session manager moves as it likes, without a word to us.
    package func promiseOff(uid: String) -> String? {
        guard let location = location(uid: uid), let node = nodes[location.nodeID] else { return nil }
        guard node.isVirtual || location.port.kind == .virtual else { return nil }
        return "\(location.port.name.printable) is a virtual sink; what it does when hardware goes away is not ours to"
            + " stop. Choose a hardware output to be safe."
    }
}
