package import AudioModel

extension PipeWireInventory {
    /// A port with the objects that stand behind it now.
    package struct Place: Hashable, Sendable {
        package var port: Port
        package var nodeID: UInt32
        /// nil for a node without routes.
        package var routeIndex: Int32?
        /// The sink is switched to this port, or will be in a moment.
        package var isActive: Bool
    }

    /// All ports, best first, outputs before inputs.
    package var places: [Place] {
        var places: [Place] = []
        var taken: Set<String> = []
        for direction in [PortDirection.output, .input] {
            for node in sortedNodes(direction) {
                for var place in self.places(of: node) {
                    // Two nodes of one device may share a route's name; nothing keeps nodes from sharing theirs.
                    while !taken.insert(place.port.uid).inserted { place.port.uid = node.name + "#" + place.port.uid }
                    places.append(place)
                }
            }
        }
        return places
    }

    /// There is an output, and the session manager has chosen one.
    var isComplete: Bool {
        guard let name = defaultNames[.output] else { return false }
        return places.contains { $0.port.direction == .output && nodes[$0.nodeID]?.name == name }
    }

    package func place(uid: String) -> Place? { places.first { $0.port.uid == uid } }

    /// The active port of the node that a mixer named, by serial or by name.
    package func place(target: String) -> Place? {
        let node = nodes.values.first { UInt64(target) == $0.serial } ?? nodes.values.first { $0.name == target }
        guard let node else { return nil }
        return places.first { $0.nodeID == node.id && $0.isActive }
    }

    /// Where the session manager sends sound, or will as soon as it has noticed what we know.
    func defaultPlace(_ direction: PortDirection, in places: [Place]) -> Place? {
        func active(named name: String?) -> Place? {
            guard let name else { return nil }
            return places.first {
                $0.port.direction == direction && $0.isActive && nodes[$0.nodeID]?.name == name
            }
        }
        let named = steadyDefaultName(direction)
        if let place = active(named: named) { return place }
        // Without a microphone the default source is a sink's monitor: it would record other programs. No input, then.
        if direction == .input, nodes.values.contains(where: { $0.direction == .output && $0.name == named }) {
            return nil
        }
        return active(named: preferredNames[direction]) ?? active(named: heldDefaultNames[direction])
            ?? places.first { $0.port.direction == direction && $0.isActive }
    }

    private func sortedNodes(_ direction: PortDirection) -> [PipeWireNode] {
        nodes.values.filter { $0.direction == direction && !$0.isStandIn }
            .sorted { ($1.priority, $0.serial, $0.id) < ($0.priority, $1.serial, $1.id) }
    }

    private func places(of node: PipeWireNode) -> [Place] {
        guard !node.positions.isEmpty else { return [] }
        let device = node.deviceID.flatMap { devices[$0] }
        // The device's routes are on their way: what is told now would be taken back in a moment.
        if let device, device.routes == nil { return [] }
        let served = device?.routes?.filter { route in
            route.direction == node.direction && node.cardDevice.map(route.cardDevices.contains) == true
        }
        guard let device, let served, !served.isEmpty else {
            return [place(node, device, nil, isActive: true)]
        }
        let available = served.filter(\.isAvailable)
        let current = Self.currentRoute(of: available, active: node.cardDevice.flatMap { device.activeRoutes[$0] })
        return
            available
            .sorted { a, b in
                (a.index == current ? 0 : 1, a.availability == .yes ? 0 : 1, b.priority, a.index)
                    < (b.index == current ? 0 : 1, b.availability == .yes ? 0 : 1, a.priority, b.index)
            }
            .map { place(node, device, $0, isActive: $0.index == current) }
    }

    /// The active route, or, when that has just become unavailable, the one that WirePlumber will switch to.
    ///
    /// Source: WirePlumber 0.4.13, scripts/policy-device-routes.lua, findBestRoute.
    private static func currentRoute(of available: [PipeWireRoute], active: Int32?) -> Int32? {
        if let active, available.contains(where: { $0.index == active }) { return active }
        let outputJustBack = available.first { $0.hasBecomeAvailable && $0.direction == .output }
        let best = available.max { a, b in
            (a.availability == .yes ? 1 : 0, a.priority) < (b.availability == .yes ? 1 : 0, b.priority)
        }
        return (outputJustBack ?? best)?.index
    }

    private func place(
        _ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?, isActive: Bool
    ) -> Place {
        let port = Port(
            uid: Self.uid(node, device, route), name: route?.description ?? node.description ?? node.name,
            kind: PortKind(PipeWirePortTraits(node: node, device: device, route: route)), direction: node.direction,
            channels: node.channels, sampleRate: rate(of: node))
        return Place(port: port, nodeID: node.id, routeIndex: route?.index, isActive: isActive)
    }

    /// Stable over re-plugging and restarts: names only, never an id or a serial.
    private static func uid(_ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?) -> String {
        let name = node.name.isEmpty ? "unnamed" : node.name
        guard let route else { return name }
        return (device?.name ?? name) + "/" + route.name
    }
}
