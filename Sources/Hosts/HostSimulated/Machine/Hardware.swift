package import AudioModel

/// The plugged devices and the default policy of a simulated machine: the last one in wins, and when it leaves, the one
/// before it comes back.
///
/// A value without time, threads or streams.
package struct Hardware: Sendable {
    private(set) var devices: [SimulatedDevice] = []
    private var ports: [String: Port] = [:]
    /// Each port's sink or source, named by its own port.
    private var nodes: [String: String] = [:]
    /// Uids of the plugged ports, best first.
    ///
    /// Within one sink or source the first port that is not hidden is the active one.
    private var order: [PortDirection: [String]] = [:]
    /// Stay when a device leaves, as a server remembers them.
    private var volumes: [String: PortVolume] = [:]
    /// Plugged ports whose jack says that nothing is in it.
    private var hidden: Set<String> = []
    /// The headsets that are in HFP, by device.
    private var headsetsInCalls: Set<String> = []
    private var directionsWithDefault: Set<PortDirection> = [.output, .input]

    init(_ machine: SimulatedMachine) {
        // The last in is the best, and the machine lists its best first.
        for device in machine.builtIn.reversed() { insert(device) }
        devices.reverse()
    }

    package func device(uid: String) -> SimulatedDevice? {
        devices.first { $0.uid == uid } ?? devices.first { $0.ports.contains { $0.uid == uid } }
    }

    package func isPlugged(portUID: String) -> Bool { ports[portUID] != nil }

    package func port(uid: String) -> Port? { hidden.contains(uid) ? nil : ports[uid] }

    package func output(uid: String) -> Port? { port(uid: uid, .output) }

    func port(uid: String, _ direction: PortDirection) -> Port? {
        port(uid: uid).flatMap { $0.direction == direction ? $0 : nil }
    }

    package var inventory: Inventory {
        let ports = visibleUIDs.compactMap { port(uid: $0) }
        return Inventory(
            ports: ports,
            defaultOutputUID: defaultPort(.output) { _ in true },
            defaultInputUID: defaultPort(.input) { !isDormant($0) },
            alternatives: alternatives,
            volumes: Dictionary(uniqueKeysWithValues: ports.map { ($0.uid, volumes[$0.uid] ?? PortVolume(level: 1)) }),
            headsets: headsets)
    }

    /// Outputs first.
    private var visibleUIDs: [String] {
        (order[.output, default: []] + order[.input, default: []]).filter { !hidden.contains($0) }
    }

    private func defaultPort(_ direction: PortDirection, where mayBeDefault: (String) -> Bool) -> String? {
        guard directionsWithDefault.contains(direction) else { return nil }
        return order[direction]?.first { !hidden.contains($0) && mayBeDefault($0) }
    }

    var headsets: [Headset] {
        devices.compactMap { $0.headset(in: headsetsInCalls.contains($0.uid) ? .hfp : .a2dp) }
    }

    /// Belongs to the profile of a headset that is not active.
    func isDormant(_ uid: String) -> Bool {
        headsets.contains { headset in headset.profile(ofPort: uid).map { $0 != headset.profile } ?? false }
    }

    package mutating func setProfile(_ profile: Headset.Profile, ofHeadsetWith uid: String) {
        guard let device = device(uid: uid) else { return }
        switch profile {
        case .a2dp: headsetsInCalls.remove(device.uid)
        case .hfp: headsetsInCalls.insert(device.uid)
        }
    }

    /// The ports of each sink or source that has more than one.
    private var alternatives: [[String]] {
        Dictionary(grouping: visibleUIDs) { nodes[$0] ?? $0 }.filter { $0.value.count > 1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func setVolume(_ volume: PortVolume, ofPort uid: String) { volumes[uid] = volume }

    /// Where a link to this port sounds: the active port of its sink.
    package func audiblePortUID(linkedTo uid: String) -> String? {
        guard let node = nodes[uid] else { return nil }
        return order[.output]?.first { nodes[$0] == node && !hidden.contains($0) }
    }

    /// The port whose loss must silence a stream that is linked to `uid`; nil while the link is as good as before.
    ///
    /// The sink's active port counts as well: a stream that was heard in the headphones must not go on from the
    /// loudspeaker because it was linked while the loudspeaker was the active one.
    func lostPortUID(linkedTo uid: String, _ direction: PortDirection, since before: Hardware) -> String? {
        if port(uid: uid, direction) == nil || isDormant(uid) && !before.isDormant(uid) { return uid }
        guard direction == .output, let audible = before.audiblePortUID(linkedTo: uid), output(uid: audible) == nil
        else { return nil }
        return audible
    }

    package mutating func insert(_ device: SimulatedDevice) {
        devices.append(device)
        for port in device.ports.reversed() {
            ports[port.uid] = port
            nodes[port.uid] = device.jackOnPortUID ?? port.uid
            makeDefault(portUID: port.uid)
        }
    }

    /// Takes the device away, and what is in its jacks.
    ///
    /// Returns what left.
    package mutating func remove(_ device: SimulatedDevice) -> [SimulatedDevice] {
        let uids = Set(device.ports.map(\.uid))
        let leaving = devices.filter { $0.uid == device.uid || $0.jackOnPortUID.map(uids.contains) ?? false }
        let gone = Set(leaving.flatMap(\.ports).map(\.uid))
        headsetsInCalls.subtract(leaving.map(\.uid))
        devices.removeAll { leaving.contains($0) }
        for direction in order.keys { order[direction]?.removeAll(where: gone.contains) }
        hidden.subtract(gone)
        for uid in gone {
            ports[uid] = nil
            nodes[uid] = nil
        }
        return leaving
    }

    package mutating func hide(portUID: String) { hidden.insert(portUID) }

    /// A hidden port comes back as if it had just been plugged in.
    package mutating func show(portUID: String) {
        guard hidden.remove(portUID) != nil else { return }
        makeDefault(portUID: portUID)
    }

    package mutating func makeDefault(portUID: String) {
        guard let direction = ports[portUID]?.direction else { return }
        move(portUID, direction, to: 0)
        directionsWithDefault.insert(direction)
    }

    private mutating func move(_ uid: String, _ direction: PortDirection, to place: Int) {
        order[direction]?.removeAll { $0 == uid }
        order[direction, default: []].insert(uid, at: place)
    }

    package mutating func clearDefaults() { directionsWithDefault = [] }

    /// Makes this port the active one of its sink or source, which keeps its place among the others.
    mutating func activate(portUID: String) {
        guard let node = nodes[portUID], let direction = ports[portUID]?.direction,
            let place = order[direction]?.firstIndex(where: { nodes[$0] == node }),
            direction == .input || audiblePortUID(linkedTo: portUID) != portUID
        else { return }
        move(portUID, direction, to: place)
    }

    package mutating func setSampleRate(_ rate: Double, portUID: String) { ports[portUID]?.sampleRate = rate }
}

/// What a jack says about itself.
package enum PortAvailability: Hashable, Sendable {
    case available, unavailable
    /// The jack cannot tell; this is no change.
    case unknown
}
