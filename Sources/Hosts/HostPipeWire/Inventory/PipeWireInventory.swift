package import AudioModel

/// Converts the server's facts into ports.
///
/// Pure: no server, no clock, no thread.
/// A sink or source has one port for each available route of its card; a node without routes is one port.
package struct PipeWireInventory: Hashable, Sendable {
    package private(set) var nodes: [UInt32: PipeWireNode] = [:]
    private var ports: [UInt32: PipeWireNodePort] = [:]
    package private(set) var devices: [UInt32: PipeWireDevice] = [:]
    private var nodeVolumes: [UInt32: PipeWireVolume] = [:]
    /// The last names: no session moves if a session manager withdraws its choice or ends.
    private(set) var defaultNames: [PortDirection: String] = [:]
    package private(set) var preferredNames: [PortDirection: String] = [:]
    /// The data from which the session manager chooses another sink when the default sink leaves.
    private(set) var ranking = SinkRanking()
    /// In hertz; PipeWire's own default until the server has reported its setting.
    package private(set) var graphRate = 48_000.0
    /// The rate that the server has reported, plausible or not.
    private var statedRate = 48_000.0
    /// The default before a change that may be undone.
    ///
    /// If the active route of the default sink is unavailable, WirePlumber 0.4 moves the default to another sink, switches the route,
    /// and moves the default back, all within about 5 ms.
    private var formerDefaultNames: [PortDirection: String] = [:]
    /// The default before one that was named but whose node has not appeared yet.
    private(set) var heldDefaultNames: [PortDirection: String] = [:]
    /// The devices whose active route has become unavailable since the last `rested`.
    private var switchingDevices: Set<UInt32> = []
    /// The Bluetooth cards that we have switched out of A2DP.
    private(set) var switchedCards: [UInt32: SwitchedCard] = [:]
    private var seenRates: [UInt32: Double] = [:]
    private var restingRates: [UInt32: Double] = [:]

    package struct SwitchedCard: Hashable, Sendable {
        /// The index of the former profile.
        var former: Int32
        /// The default output was on the card: the session manager loses it while the card changes its profile.
        var holdsDefault: Bool
    }

    /// The accepted rates, in hertz.
    ///
    /// Any program may set the graph's rate, and buffers are sized by it; nothing runs at rates outside of this range.
    private static let plausibleRates = 1_000.0...1_000_000

    /// The limit of PipeWire's streams.
    static let mostChannels = 64

    package init() {}

    package mutating func apply(_ fact: PipeWireFact) {
        switch fact {
        case .nodeChanged(let node):
            nodes[node.id] = node
            takePositions(ofNode: node.id)
            if defaultNames[node.direction] == node.name { heldDefaultNames[node.direction] = nil }
        case .nodeRemoved(let id):
            nodes[id] = nil
            nodeVolumes[id] = nil
            seenRates[id] = nil
            restingRates[id] = nil
        case .portAdded(let port):
            ports[port.id] = port
            if isChannel(port) { takePositions(ofNode: port.nodeID) }
        // The positions stay: a sink loses its ports just before it disappears or while its format changes, and it would shrink
        // channel by channel. The positions change when new ports appear.
        case .portRemoved(let id): ports[id] = nil
        case .deviceChanged(var device):
            device.routes = devices[device.id]?.routes
            device.activeRoutes = devices[device.id]?.activeRoutes ?? [:]
            device.volumes = devices[device.id]?.volumes ?? [:]
            device.profiles = devices[device.id]?.profiles ?? []
            device.toldProfile = devices[device.id]?.toldProfile
            device.requestedProfile = devices[device.id]?.requestedProfile
            devices[device.id] = device
        case .deviceRemoved(let id):
            devices[id] = nil
            switchedCards[id] = nil
            switchingDevices.remove(id)
        case .routesChanged(let id, let routes, let active): setRoutes(routes, active: active, of: id)
        case .profilesChanged(let id, let profiles, let active):
            devices[id, default: PipeWireDevice(id: id)].profiles = profiles
            if active != devices[id]?.toldProfile { devices[id]?.requestedProfile = nil }
            devices[id]?.toldProfile = active
        case .profileRequested(let id, let profile):
            if devices[id]?.headsetState == .a2dp { noteSwitch(of: id) }
            devices[id]?.requestedProfile = profile
        case .profileRequestExpired(let id): devices[id]?.requestedProfile = nil
        case .nodeVolumeChanged(let id, let volume): nodeVolumes[id] = volume
        case .routeVolumesChanged(let id, let volumes): devices[id]?.volumes = volumes
        case .defaultNamed(let direction, let name?): setDefault(name, direction)
        case .defaultNamed(_, nil): break
        case .preferenceNamed(let direction, let name):
            preferredNames[direction] = name
            if direction == .output { configure(name) }
            // The user has chosen an output.
            if direction == .output { for id in switchedCards.keys { switchedCards[id]?.holdsDefault = false } }
        case .rankingRead(let rules, let stored):
            ranking.rules = rules
            // A configuration that was reported meanwhile is newer than the file.
            ranking.stored += stored.filter { !ranking.stored.contains($0) }
        case .graphRateSet(let rate):
            statedRate = rate
            guard Self.plausibleRates.contains(rate) else { break }
            graphRate = rate
            // A running sink reports its own rate once it has followed.
            restingRates = [:]
        case .sinkRateSeen(let id, let rate?): if Self.plausibleRates.contains(rate) { seenRates[id] = rate }
        case .sinkRateSeen(let id, nil):
            // The graph keeps its rate until a client sets another.
            if let last = seenRates.removeValue(forKey: id) { restingRates[id] = last }
        case .rested:
            formerDefaultNames = [:]
            heldDefaultNames = [:]
            switchingDevices = []
            switchedCards = switchedCards.filter { !isBack($0, in: $1.former) }
        }
    }

    // MARK: Ports

    /// The ports to which a stream on the node is linked: a sink's inputs, a source's outputs.
    func devicePorts(ofNode id: UInt32) -> [PipeWireNodePort] {
        nodes[id].map { ports(ofNode: id, inputs: $0.direction == .output) } ?? []
    }

    /// A node's ports in channel order; at most as many as a stream can have.
    package func ports(ofNode id: UInt32, inputs: Bool) -> [PipeWireNodePort] {
        Array(
            ports.values.filter { $0.nodeID == id && $0.isInput == inputs }
                .sorted { ($0.number, $0.id) < ($1.number, $1.id) }.prefix(Self.mostChannels))
    }

    func port(_ id: UInt32) -> PipeWireNodePort? { ports[id] }

    /// Whether the port is one of those to which a stream is linked.
    func isChannel(_ port: PipeWireNodePort) -> Bool {
        nodes[port.nodeID].map { port.isInput == ($0.direction == .output) } ?? false
    }

    /// Sets the node's channels from its ports; before a node has ports, its own properties count.
    private mutating func takePositions(ofNode id: UInt32) {
        let channels = devicePorts(ofNode: id).map(\.channel)
        if !channels.isEmpty { nodes[id]?.positions = channels }
    }

    /// Why no stream can be linked at the graph's current rate; nil if one can.
    ///
    /// The memory of libpipewire's resampler is proportional to the ratio of the rates: 2.7 GB for a rate of 1 Hz.
    var rateRefusal: String? {
        guard statedRate > 0, statedRate < Self.plausibleRates.lowerBound else { return nil }
        return "the server's sample rate is set to \(Int(statedRate)) Hz, and sound needs"
            + " \(Int(Self.plausibleRates.lowerBound)) Hz or more; to set the usual one, run"
            + " \"pw-metadata -n settings 0 clock.force-rate 0\""
    }

    // MARK: Profiles and defaults

    private mutating func noteSwitch(of id: UInt32) {
        guard switchedCards[id] == nil, let former = devices[id]?.activeProfile else { return }
        let location = defaultLocation(.output, in: locations)
        let holdsDefault = location.flatMap(\.nodeID).flatMap { nodes[$0]?.deviceID } == id
        switchedCards[id] = SwitchedCard(former: former, holdsDefault: holdsDefault)
    }

    /// Whether the card has that profile with its output, and no other profile is requested.
    private func isBack(_ id: UInt32, in profile: Int32) -> Bool {
        devices[id]?.toldProfile == profile && devices[id]?.requestedProfile == nil
            && nodes.values.contains { $0.deviceID == id && $0.direction == .output && !$0.positions.isEmpty }
    }

    /// Records that the session manager remembers the sink that its user has configured.
    private mutating func configure(_ name: String?) {
        ranking.configured = name
        guard let name else { return }
        ranking.stored.removeAll { $0 == name }
        ranking.stored.insert(name, at: 0)
    }

    private mutating func setDefault(_ name: String, _ direction: PortDirection) {
        let former = formerDefaultNames[direction] ?? defaultNames[direction]
        let isKnown = nodes.values.contains { $0.name == name }
        heldDefaultNames[direction] = isKnown ? nil : heldDefaultNames[direction] ?? defaultNames[direction]
        defaultNames[direction] = name
        formerDefaultNames[direction] = former == name ? nil : former
    }

    /// The default, without a change that will probably be undone.
    func steadyDefaultName(_ direction: PortDirection) -> String? {
        guard let former = formerDefaultNames[direction],
            nodes.values.contains(where: { node in
                node.name == former && node.direction == direction
                    && node.deviceID.map(switchingDevices.contains) == true
            })
        else { return defaultNames[direction] }
        return former
    }

    private mutating func setRoutes(_ routes: [PipeWireRoute], active: [Int32: Int32], of id: UInt32) {
        var device = devices[id] ?? PipeWireDevice(id: id)
        let wereUnavailable = Set(device.routes?.filter { !$0.isAvailable }.map(\.index) ?? [])
        device.routes = routes.map { route in
            var route = route
            route.hasBecomeAvailable = route.isAvailable && wereUnavailable.contains(route.index)
            return route
        }
        let available = Set(routes.filter(\.isAvailable).map(\.index))
        if device.activeRoutes.values.contains(where: { !available.contains($0) }) { switchingDevices.insert(id) }
        device.activeRoutes = active
        devices[id] = device
    }

    /// The ports as sessions see them.
    package var inventory: Inventory {
        let locations = self.locations
        return Inventory(
            ports: locations.map(\.port), defaultOutputUID: defaultLocation(.output, in: locations)?.port.uid,
            defaultInputUID: defaultLocation(.input, in: locations)?.port.uid,
            alternatives: Self.alternatives(in: locations), volumes: volumes(of: locations),
            headsets: headsets(in: locations))
    }

    /// The volumes of the active ports; an inactive port has none yet.
    private func volumes(of locations: [PortLocation]) -> [String: PortVolume] {
        let known = locations.filter(\.isActive).compactMap { location -> (String, PortVolume)? in
            volume(at: location).map { (location.port.uid, $0.volume.port) }
        }
        return Dictionary(known) { first, _ in first }
    }

    /// The object on which a volume is set.
    enum VolumeOwner: Hashable {
        case node(UInt32)
        case route(deviceID: UInt32, cardDevice: Int32, index: Int32)
    }

    /// The route's volume if its card reports one; otherwise the node's.
    func volume(at location: PortLocation) -> (volume: PipeWireVolume, owner: VolumeOwner)? {
        guard let node = location.nodeID.flatMap({ nodes[$0] }) else { return nil }
        if let index = location.routeIndex, let device = node.deviceID.flatMap({ devices[$0] }),
            let cardDevice = node.cardDevice, device.activeRoutes[cardDevice] == index,
            let volume = device.volumes[cardDevice]
        {
            return (volume, .route(deviceID: device.id, cardDevice: cardDevice, index: index))
        }
        return nodeVolumes[node.id].map { ($0, .node(node.id)) }
    }

    /// The ports of each sink or source that has more than one.
    private static func alternatives(in locations: [PortLocation]) -> [[String]] {
        let byNode = Dictionary(grouping: locations.filter { $0.nodeID != nil }, by: { $0.nodeID ?? .max })
        return byNode.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { $0.value.map(\.port.uid) }
    }

    /// The rate at which a node runs or would run, in hertz.
    func rate(of node: PipeWireNode) -> Double { seenRates[node.id] ?? restingRates[node.id] ?? graphRate }

    /// The inventories to report one after the other when this state follows `earlier`.
    ///
    /// Usually one. Many cards report the speaker as unavailable while headphones are in. When headphones are plugged in, their arrival
    /// is reported first and the speaker's departure second, so that the departure does not look like the loss of the port in use.
    package func steps(after earlier: PipeWireInventory) -> [Inventory] {
        let before = earlier.locations
        let after = locations
        let goal = inventory
        guard let old = earlier.defaultLocation(.output, in: before), let new = defaultLocation(.output, in: after),
            old.nodeID == new.nodeID, old.port.kind == .builtInSpeaker,
            !after.contains(where: { $0.port.uid == old.port.uid }),
            !before.contains(where: { $0.port.uid == new.port.uid })
        else { return [goal] }
        var arrival = goal
        let position = arrival.ports.firstIndex { $0.uid == new.port.uid } ?? arrival.ports.startIndex
        arrival.ports.insert(old.port, at: position + 1)
        if let group = arrival.alternatives.firstIndex(where: { $0.contains(new.port.uid) }) {
            arrival.alternatives[group].append(old.port.uid)
        } else {
            arrival.alternatives.append([new.port.uid, old.port.uid])
        }
        return [arrival, goal]
    }
}
