import AudioModel

/// The plugged devices and the default policy of a simulated machine: the last one in wins, and when it leaves, the one
/// before it comes back.
///
/// A value without time, threads or streams.
struct Hardware: Sendable {
    private(set) var devices: [SimulatedDevice] = []
    private var ports: [String: Port] = [:]
    /// Each output port's sink, named by the sink's own port.
    private var sinks: [String: String] = [:]
    /// Uids of the plugged ports, best first.
    ///
    /// Within one sink the first port that is not hidden is the active one.
    private var outputOrder: [String] = []
    private var inputOrder: [String] = []
    /// Each input port's source, named by the source's own port.
    private var sources: [String: String] = [:]
    /// Stay when a device leaves, as a server remembers them.
    private var volumes: [String: PortVolume] = [:]
    /// Plugged ports whose jack says that nothing is in it.
    private var hidden: Set<String> = []
    /// The headsets that are in HFP, by device.
    private var headsetsInCalls: Set<String> = []
    private var namesDefaultOutput = true
    private var namesDefaultInput = true

    init(_ machine: SimulatedMachine) {
        // The last in is the best, and the machine lists its best first.
        for device in machine.builtIn.reversed() { insert(device) }
        devices.reverse()
    }

    func device(uid: String) -> SimulatedDevice? {
        devices.first { $0.uid == uid } ?? devices.first { $0.ports.contains { $0.uid == uid } }
    }

    func isPlugged(portUID: String) -> Bool { ports[portUID] != nil }

    func port(uid: String) -> Port? { hidden.contains(uid) ? nil : ports[uid] }

    func output(uid: String) -> Port? { port(uid: uid, .output) }

    func port(uid: String, _ direction: PortDirection) -> Port? {
        port(uid: uid).flatMap { $0.direction == direction ? $0 : nil }
    }

    var inventory: Inventory {
        let outputs = outputOrder.compactMap { port(uid: $0) }
        let inputs = inputOrder.compactMap { port(uid: $0) }
        return Inventory(
            ports: outputs + inputs,
            defaultOutputUID: namesDefaultOutput ? outputs.first?.uid : nil,
            defaultInputUID: namesDefaultInput ? inputs.first { !isDormant($0.uid) }?.uid : nil,
            alternatives: alternatives,
            volumes: Dictionary(uniqueKeysWithValues: (outputs + inputs).map { ($0.uid, volume(ofPort: $0.uid)) }),
            headsets: headsets)
    }

    var headsets: [Headset] {
        devices.compactMap { $0.headset(in: headsetsInCalls.contains($0.uid) ? .hfp : .a2dp) }
    }

    /// Belongs to the profile of a headset that is not active.
    func isDormant(_ uid: String) -> Bool {
        headsets.contains { headset in headset.profile(ofPort: uid).map { $0 != headset.profile } ?? false }
    }

    mutating func setProfile(_ profile: Headset.Profile, ofHeadsetWith uid: String) {
        guard let device = device(uid: uid) else { return }
        switch profile {
        case .a2dp: headsetsInCalls.remove(device.uid)
        case .hfp: headsetsInCalls.insert(device.uid)
        }
    }

    /// The ports of each sink or source that has more than one.
    private var alternatives: [[String]] {
        let visible = (outputOrder + inputOrder).filter { !hidden.contains($0) }
        return Dictionary(grouping: visible) { sinks[$0] ?? sources[$0] ?? $0 }.filter { $0.value.count > 1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    func volume(ofPort uid: String) -> PortVolume { volumes[uid] ?? PortVolume(level: 1) }

    mutating func setVolume(_ volume: PortVolume, ofPort uid: String) { volumes[uid] = volume }

    /// Where a link to this port sounds: the active port of its sink.
    func audiblePortUID(linkedTo uid: String) -> String? {
        guard let sink = sinks[uid] else { return nil }
        return outputOrder.first { sinks[$0] == sink && !hidden.contains($0) }
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

    mutating func insert(_ device: SimulatedDevice) {
        devices.append(device)
        for port in device.ports.reversed() {
            ports[port.uid] = port
            switch port.direction {
            case .output:
                sinks[port.uid] = device.jackOnPortUID ?? port.uid
                outputOrder.insert(port.uid, at: 0)
                namesDefaultOutput = true
            case .input:
                sources[port.uid] = device.jackOnPortUID ?? port.uid
                inputOrder.insert(port.uid, at: 0)
                namesDefaultInput = true
            }
        }
    }

    /// Takes the device away, and what is in its jacks.
    ///
    /// Returns what left.
    mutating func remove(_ device: SimulatedDevice) -> [SimulatedDevice] {
        let uids = Set(device.ports.map(\.uid))
        let leaving = devices.filter { $0.uid == device.uid || $0.jackOnPortUID.map(uids.contains) ?? false }
        let gone = Set(leaving.flatMap(\.ports).map(\.uid))
        headsetsInCalls.subtract(leaving.map(\.uid))
        devices.removeAll { leaving.contains($0) }
        outputOrder.removeAll(where: gone.contains)
        inputOrder.removeAll(where: gone.contains)
        hidden.subtract(gone)
        for uid in gone {
            ports[uid] = nil
            sinks[uid] = nil
            sources[uid] = nil
        }
        return leaving
    }

    mutating func hide(portUID: String) { hidden.insert(portUID) }

    /// A hidden port comes back as if it had just been plugged in.
    mutating func show(portUID: String) {
        guard hidden.remove(portUID) != nil else { return }
        makeDefault(portUID: portUID)
    }

    mutating func makeDefault(portUID: String) {
        switch ports[portUID]?.direction {
        case .output:
            outputOrder.removeAll { $0 == portUID }
            outputOrder.insert(portUID, at: 0)
            namesDefaultOutput = true
        case .input:
            inputOrder.removeAll { $0 == portUID }
            inputOrder.insert(portUID, at: 0)
            namesDefaultInput = true
        case nil: break
        }
    }

    mutating func clearDefaults() {
        namesDefaultOutput = false
        namesDefaultInput = false
    }

    /// Makes this port the active one of its sink or source, which keeps its place among the others.
    mutating func activate(portUID: String) {
        if let source = sources[portUID], let place = inputOrder.firstIndex(where: { sources[$0] == source }) {
            inputOrder.removeAll { $0 == portUID }
            inputOrder.insert(portUID, at: place)
        }
        guard let sink = sinks[portUID], let active = audiblePortUID(linkedTo: portUID), active != portUID,
            let place = outputOrder.firstIndex(where: { sinks[$0] == sink })
        else { return }
        outputOrder.removeAll { $0 == portUID }
        outputOrder.insert(portUID, at: place)
    }

    mutating func setSampleRate(_ rate: Double, portUID: String) { ports[portUID]?.sampleRate = rate }
}

/// What a jack says about itself.
package enum PortAvailability: Hashable, Sendable {
    case available, unavailable
    /// The jack cannot tell; this is no change.
    case unknown
}
