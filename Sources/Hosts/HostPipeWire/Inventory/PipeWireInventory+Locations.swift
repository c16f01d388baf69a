package import AudioModel

extension PipeWireInventory {
    /// A port with the server's objects that it currently consists of.
    package struct PortLocation: Hashable, Sendable {
        package var port: Port
        /// nil for a port of a headset's other profile (`dormancy`).
        package var nodeID: UInt32?
        /// nil for a node without routes.
        package var routeIndex: Int32?
        /// The sink is switched to this port, or will be in a moment.
        package var isActive: Bool
        /// The profile to which the card must switch before the port has a node; nil if it has a node.
        package var dormancy: Dormancy?
    }

    package struct Dormancy: Hashable, Sendable {
        package var deviceID: UInt32
        package var profile: Int32
    }

    /// All ports: outputs before inputs, best first, and dormant ports after the others.
    package var locations: [PortLocation] {
        var locations: [PortLocation] = []
        var taken: Set<String> = []
        for direction in [PortDirection.output, .input] {
            for node in sortedNodes(direction) {
                for var location in self.locations(of: node) {
                    // Two nodes of one device may share a route's name, and two nodes may share a name.
                    while !taken.insert(location.port.uid).inserted {
                        location.port.uid = node.name + "#" + location.port.uid
                    }
                    locations.append(location)
                }
            }
            for device in devices.values.sorted(by: { $0.id < $1.id }) {
                locations += dormantLocations(direction, of: device).filter { taken.insert($0.port.uid).inserted }
            }
        }
        return locations
    }

    /// Whether an output exists and the session manager has chosen one.
    var isComplete: Bool {
        guard let name = defaultNames[.output] else { return false }
        return locations.contains { $0.port.direction == .output && self.name(of: $0) == name }
    }

    private func name(of location: PortLocation) -> String? { location.nodeID.flatMap { nodes[$0]?.name } }

    package func location(uid: String) -> PortLocation? { locations.first { $0.port.uid == uid } }

    /// The card of a port, dormant or not.
    func deviceID(of location: PortLocation) -> UInt32? {
        location.nodeID.flatMap { nodes[$0]?.deviceID } ?? location.dormancy?.deviceID
    }

    /// The active port of the node that a mixer has named, by serial or by name.
    package func location(target: String) -> PortLocation? {
        let node = nodes.values.first { UInt64(target) == $0.serial } ?? nodes.values.first { $0.name == target }
        guard let node else { return nil }
        return locations.first { $0.nodeID == node.id && $0.isActive }
    }

    /// The port to which the session manager sends sound, or will send it once it has processed the known facts.
    func defaultLocation(_ direction: PortDirection, in locations: [PortLocation]) -> PortLocation? {
        func active(named name: String?) -> PortLocation? {
            guard let name else { return nil }
            return locations.first {
                $0.port.direction == direction && $0.isActive && self.name(of: $0) == name
            }
        }
        if direction == .output, let held = heldHeadset(in: locations) { return held }
        let named = steadyDefaultName(direction)
        if let location = active(named: named) { return location }
        // Without a microphone, the default source is a sink's monitor, which would record other programs. So there is no input.
        if direction == .input, nodes.values.contains(where: { $0.direction == .output && $0.name == named }) {
            return nil
        }
        return active(named: preferredNames[direction]) ?? active(named: heldDefaultNames[direction])
            ?? best(of: locations.filter { $0.port.direction == direction && $0.isActive })
    }

    /// The port that the session manager chooses if nothing is named; the first one if several are equal.
    private func best(of locations: [PortLocation]) -> PortLocation? {
        func score(_ location: PortLocation) -> Int {
            guard let node = location.nodeID.flatMap({ nodes[$0] }), node.direction == .output else { return 0 }
            return ranking.score(ofSink: node.name, priority: Int(node.priority))
        }
        return locations.first.map { first in
            locations.dropFirst().reduce(first) { score($1) > score($0) ? $1 : $0 }
        }
    }

    /// The nodes of one direction, best first, without stand-in sinks.
    package func sortedNodes(_ direction: PortDirection) -> [PipeWireNode] {
        nodes.values.filter { $0.direction == direction && !$0.isStandIn }
            .sorted { ($1.priority, $0.serial, $0.id) < ($0.priority, $1.serial, $1.id) }
    }

    /// The output of a headset that was the default when we switched its profile.
    private func heldHeadset(in locations: [PortLocation]) -> PortLocation? {
        for (id, card) in switchedCards where card.holdsDefault {
            let outputs = locations.filter { location in
                location.port.direction == .output && deviceID(of: location) == id
            }
            let isActive = { (location: PortLocation) in location.dormancy?.profile == devices[id]?.activeProfile }
            if let output = outputs.first(where: { $0.nodeID != nil }) ?? outputs.first(where: isActive) {
                return output
            }
        }
        return nil
    }

    private func locations(of node: PipeWireNode) -> [PortLocation] {
        guard !node.positions.isEmpty else { return [] }
        let device = node.deviceID.flatMap { devices[$0] }
        // The node is about to disappear, or it is the microphone that WirePlumber 0.5 also shows in A2DP: the dormant port represents it.
        if let state = device?.headsetState, (state == .a2dp) != node.isA2DP { return [] }
        // The device's routes are not known yet: a report now would be wrong a moment later.
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

    package func location(
        _ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?, isActive: Bool
    ) -> PortLocation {
        let kind = PortKind(PipeWirePortTraits(node: node, device: device, route: route))
        var uid = Self.uid(node, device, route)
        if kind == .bluetoothHFP, node.direction == .output, device?.headsetProfile != nil { uid += Self.hfpSuffix }
        let port = Port(
            uid: uid, name: route?.description ?? node.description ?? node.name, kind: kind, direction: node.direction,
            channels: node.channels, sampleRate: rate(of: node))
        return PortLocation(port: port, nodeID: node.id, routeIndex: route?.index, isActive: isActive)
    }

    /// The suffix of a headset's HFP output: in PipeWire 0.3 it may be the same route as the A2DP output, but it is another port.
    private static let hfpSuffix = ":hfp"

    /// The ports of a headset with both profiles, as they are without a node; the A2DP port only if we will switch back to it.
    private func dormantLocations(_ direction: PortDirection, of device: PipeWireDevice) -> [PortLocation] {
        guard let name = device.name, let call = device.headsetProfile, let state = device.headsetState else {
            return []
        }
        func location(_ kind: PortKind, inProfile profile: Int32, _ channels: [ChannelLabel]) -> PortLocation? {
            guard let route = device.route(of: direction, inProfile: profile) else { return nil }
            let suffix = kind == .bluetoothHFP && direction == .output ? Self.hfpSuffix : ""
            let port = Port(
                uid: name + "/" + route.name + suffix, name: route.description ?? device.description ?? name,
                kind: kind,
                direction: direction, channels: channels, sampleRate: graphRate)
            return PortLocation(
                port: port, nodeID: nil, routeIndex: nil, isActive: false,
                dormancy: Dormancy(deviceID: device.id, profile: profile))
        }
        let former = direction == .output ? switchedCards[device.id]?.former : nil
        let ofMusic = former.flatMap { location(.bluetoothA2DP, inProfile: $0, [.left, .right]) }
        let ofCalls = location(.bluetoothHFP, inProfile: call.index, [.mono])
        return (state == .a2dp ? [ofMusic, ofCalls] : [ofCalls, ofMusic]).compactMap(\.self)
    }

    /// The cards that have both profiles, as far as their ports are known.
    func headsets(in locations: [PortLocation]) -> [Headset] {
        devices.values.sorted { $0.id < $1.id }.compactMap { device in
            guard let state = device.headsetState else { return nil }
            func uid(_ direction: PortDirection, _ kind: PortKind) -> String? {
                locations.first { location in
                    deviceID(of: location) == device.id && location.port.direction == direction
                        && location.port.kind == kind
                }?.port.uid
            }
            guard let output = uid(.output, .bluetoothHFP), let input = uid(.input, .bluetoothHFP),
                let music = uid(.output, .bluetoothA2DP)
            else { return nil }
            return Headset(profile: state, a2dpOutputUID: music, hfpOutputUID: output, hfpInputUID: input)
        }
    }

    /// A uid that survives re-plugging and restarts: it contains only names, never an id or a serial.
    package static func uid(_ node: PipeWireNode, _ device: PipeWireDevice?, _ route: PipeWireRoute?) -> String {
        let name = node.name.isEmpty ? "unnamed" : node.name
        guard let route else { return name }
        return (device?.name ?? name) + "/" + route.name
    }
}
