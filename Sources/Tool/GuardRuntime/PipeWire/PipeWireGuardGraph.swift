package import AudioModel
package import GuardCore
package import HostPipeWire

/// Converts the server's facts into the guard's facts.
///
/// Pure. `drainFacts` returns the changes since its last call, in the order in which they happened.
package struct PipeWireGuardGraph: Sendable {
    /// An output stream as the shim reports it.
    package struct Stream: Hashable, Sendable {
        package var serial: UInt64
        package var nodeID: UInt32
        package var program: Program
        package var role: String?
        package var isRunning = false
        package var isSilent = false
        package var standing = ProgramStream.Standing.movable
        /// The link group of the loopback or effect to which the stream belongs.
        package var group: String?
    }

    /// A recording stream as the shim reports it.
    package struct Capture: Hashable, Sendable {
        package var serial: UInt64
        package var nodeID: UInt32
        package var program: Program
        package var isRunning: Bool
        package var role: String?
        package var isMovable = true
    }

    private struct Link: Hashable {
        let output: UInt32
        let input: UInt32
        /// nil until the sink is known: a link may be reported before the sink's name.
        var target: ProgramStream.LinkTarget?
    }

    /// The target that this connection set last for a node; nil if it removed the target.
    ///
    /// The server may delay the change while another program binds the metadata (decision 58): `targets` then holds the old value.
    private struct Asked {
        let target: String?
        var isTold = false
    }

    private let parking: PipeWireParking
    private var inventory = PipeWireInventory()
    private var defaultName: String?
    /// The last output that the user configured and that is not a guard's sink.
    private var configuredName: String?
    private var rules = SinkRanking.Rules.wirePlumber05
    private var stored: [String] = []
    private var streams: [UInt64: Stream] = [:]
    private var captures: [UInt64: Capture] = [:]
    private var toldCaptures: [UInt64: CaptureStream] = [:]
    private var links: [UInt32: Link] = [:]
    private var targets: [UInt32: String] = [:]
    private var asked: [UInt32: Asked] = [:]
    private var parkNodes: [UInt32: ProgramStream.LinkTarget] = [:]
    private var toldOutputs: GuardOutputs?
    /// The last outputs whose default was in doubt.
    private var doubted: GuardOutputs?
    private var toldSurroundings = GuardSurroundings()
    private var toldStreams: [UInt64: ProgramStream] = [:]
    private var facts: [GuardFact] = []

    package init(parking: PipeWireParking) { self.parking = parking }

    package mutating func drainFacts() -> [GuardFact] {
        defer { facts = [] }
        return facts
    }

    /// Reports everything from the beginning.
    package mutating func tellAgain() {
        (facts, toldOutputs, toldStreams, toldCaptures) = ([], nil, [:], [:])
        toldSurroundings = GuardSurroundings()
        tellOutputs()
        tellSurroundings()
        for serial in streams.keys.sorted() { tellStream(serial) }
        tellCaptures()
    }

    // MARK: Changes

    /// Applies facts that belong together as one change.
    package mutating func apply(_ facts: PipeWireFact...) { apply(facts) }

    package mutating func apply(_ facts: [PipeWireFact]) {
        for fact in facts {
            if case .nodeChanged(let node) = fact {
                if node.name == parking.catchName { parkNodes[node.id] = .catch }
                if node.name == parking.holdName { parkNodes[node.id] = .hold }
                if node.name == parking.duckName { parkNodes[node.id] = .duck }
                resolveLinks(to: node.id, parkNodes[node.id] ?? .sink(node.name))
            }
            if case .defaultNamed(.output, let name) = fact { defaultName = name }
            if case .preferenceNamed(.output, let name) = fact, name.map(PipeWireParking.isTarget) != true {
                configuredName = name
            }
            if case .nodeRemoved(let id) = fact { parkNodes[id] = nil }
            inventory.apply(fact)
        }
        tellOutputs()
        tellSurroundings()
        tellCaptures()
    }

    /// Sets how the session manager ranks sinks.
    package mutating func setRanking(_ rules: SinkRanking.Rules, stored: [String]) {
        self.rules = rules
        self.stored = stored
        tellOutputs()
    }

    /// Registers one of the guard's own sinks before the server has reported the node.
    package mutating func setParkNode(_ id: UInt32, _ target: ProgramStream.LinkTarget) {
        parkNodes[id] = target
        resolveLinks(to: id, target)
    }

    package mutating func change(_ stream: Stream) {
        streams[stream.serial] = stream
        tellStream(stream.serial)
    }

    package mutating func change(_ capture: Capture) {
        captures[capture.serial] = capture
        tellCaptures()
    }

    package mutating func removeStream(_ serial: UInt64) {
        if let capture = captures.removeValue(forKey: serial) {
            (targets[capture.nodeID], asked[capture.nodeID]) = (nil, nil)
            toldCaptures[serial] = nil
            facts.append(.captureEnded(serial))
        }
        guard let stream = streams.removeValue(forKey: serial) else { return }
        targets[stream.nodeID] = nil
        asked[stream.nodeID] = nil
        toldStreams[serial] = nil
        facts.append(.streamEnded(serial))
    }

    package mutating func addLink(_ id: UInt32, from output: UInt32, to input: UInt32) {
        let target = parkNodes[input] ?? inventory.nodes[input].map { .sink($0.name) }
        links[id] = Link(output: output, input: input, target: target)
        tellStream(ofNode: output)
        tellCaptures()
    }

    private mutating func resolveLinks(to input: UInt32, _ target: ProgramStream.LinkTarget) {
        for (id, link) in links where link.input == input && link.target == nil {
            links[id]?.target = target
            tellStream(ofNode: link.output)
        }
    }

    package mutating func removeObject(_ id: UInt32) {
        guard let link = links.removeValue(forKey: id) else { return }
        tellStream(ofNode: link.output)
        tellCaptures()
    }

    /// - Parameter target: an object serial or a node name; nil if the target was removed.
    package mutating func setTarget(_ target: String?, ofNode id: UInt32) {
        targets[id] = target
        if asked[id]?.target == target { asked[id]?.isTold = true }
        tellStream(ofNode: id)
        tellCaptures()
    }

    /// Removes all targets, because the session manager that kept them has left.
    package mutating func removeTargets() {
        (targets, asked) = ([:], [:])
        for serial in streams.keys.sorted() { tellStream(serial) }
        tellCaptures()
    }

    /// Whether the default differs from the session manager's expected choice; true only once for the same outputs.
    ///
    /// The server may have delayed the change of the default (decision 58).
    package mutating func hasNewDoubt() -> Bool {
        var outputs = self.outputs
        outputs.hasCatch = false
        guard let best = OutputOrder(outputs).places.first(where: { $0.output != nil }),
            outputs.defaultSink != .sink(best.sink)
        else {
            doubted = nil
            return false
        }
        defer { doubted = outputs }
        return outputs != doubted
    }

    package mutating func noteSettled() { facts.append(.settled) }

    package mutating func changeManager(isPresent: Bool) { facts.append(.managerChanged(isPresent: isPresent)) }

    // MARK: Lookups for commands

    /// The nodes whose target is the sink of a guard that has ended, or of an earlier connection of this guard.
    ///
    /// - Parameter sparing: the sinks of guards that are about to end, whose streams are taken over.
    package func leftovers(sparing sinks: Set<String> = []) -> [UInt32] {
        let kept = sinks.union([parking.holdName, parking.duckName])
        return targets.filter { node, target in
            // A node that this connection has set itself has no other guard's target any more, even if the server has not reported it.
            PipeWireParking.isTarget(target) && !kept.contains(target) && asked[node] == nil
        }.keys.sorted()
    }

    /// Records that this connection sets a node's target, or removes it (nil).
    package mutating func noteAsked(_ target: String?, ofNode id: UInt32) {
        // The server does not report the removal of a target that does not exist.
        let hasNone = target == nil && targets[id] == nil && asked[id]?.target == nil
        asked[id] = Asked(target: target, isTold: hasNone)
    }

    /// Whether a node's target is a sink of this connection, or may be one because the last request was not reported yet.
    package var hasOwnTargets: Bool {
        targets.values.contains { $0 == parking.holdName || $0 == parking.duckName }
            || asked.values.contains { !$0.isTold }
    }

    package func nodeID(ofStream serial: UInt64) -> UInt32? { streams[serial]?.nodeID ?? captures[serial]?.nodeID }

    /// The links through which the stream is heard.
    package func links(ofStream serial: UInt64) -> [UInt32] {
        guard let node = streams[serial]?.nodeID else { return [] }
        return links.filter { id, link in
            switch link.target {
            case .sink, .role, .duck: link.output == node
            case .hold, .catch, .nowhere, nil: false
            }
        }.map(\.key).sorted()
    }

    /// The links through which a recording stream hears a headset that plays music.
    package func headsetLinks(toNode id: UInt32) -> [UInt32] {
        links.filter { $0.value.input == id && isMicrophoneOfAHeadset($0.value.output) }.keys.sorted()
    }

    /// The links by which it is heard, although the session manager has moved it to the holding sink.
    package func strays(ofStream serial: UInt64) -> [UInt32] {
        guard let node = streams[serial]?.nodeID,
            links.values.contains(where: { $0.output == node && $0.target == .hold })
        else { return [] }
        return links(ofStream: serial)
    }

    /// The port pairs that link the ducking sink to an output: its own ports with the output's ports.
    ///
    /// - Parameter player: the node that plays the ducking sink's sound.
    /// - Returns: empty if the ports are not known yet.
    package func duckLinks(from player: UInt32, to output: String) -> [(ours: UInt32, theirs: UInt32)] {
        let ours = inventory.ports(ofNode: player, inputs: false)
        guard ours.count == 2, let sink = node(ofSink: output) else { return [] }
        let theirs = inventory.ports(ofNode: sink, inputs: true)
        if let mono = theirs.first, theirs.count == 1 { return ours.map { ($0.id, mono.id) } }
        let named = ours.compactMap { our in theirs.first { $0.channel == our.channel }.map { (our.id, $0.id) } }
        return named.count == ours.count ? named : zip(ours, theirs).map { ($0.id, $1.id) }
    }

    /// Whether the server has created a link from the node to the sink.
    package func isLinked(_ node: UInt32, toSink name: String) -> Bool {
        guard let sink = self.node(ofSink: name) else { return false }
        return links.values.contains { $0.output == node && $0.input == sink }
    }

    /// Whether streams can be linked to the node.
    package func hasInputs(_ node: UInt32) -> Bool { !inventory.ports(ofNode: node, inputs: true).isEmpty }

    private func node(ofSink name: String) -> UInt32? {
        inventory.nodes.values.first { $0.name == name && $0.direction == .output }?.id
    }

    /// The identifiers for switching a card to the port: the card, its device, and the route's index.
    package func route(ofPort uid: String) -> (deviceID: UInt32, cardDevice: Int32, index: Int32)? {
        inventory.route(uid: uid)
    }

    /// A sink's serial, which mixers use as a target.
    package func serial(ofSink name: String) -> UInt64? { node(ofSink: name).flatMap { inventory.nodes[$0]?.serial } }

    // MARK: -

    private var outputs: GuardOutputs {
        let locations = inventory.locations.filter { $0.port.direction == .output }
        let outputs = locations.compactMap { location -> GuardOutput? in
            guard let node = location.nodeID.flatMap({ inventory.nodes[$0] }) else { return nil }
            return GuardOutput(
                sink: node.name, uid: location.port.uid, name: location.port.name, kind: location.port.kind,
                isActive: location.isActive, priority: Int(node.priority), bus: node.bus?.capped)
        }
        let defaultSink: GuardOutputs.DefaultSink =
            switch defaultName {
            case nil: .none
            case parking.catchName: .catch
            case let name?: .sink(name)
            }
        return GuardOutputs(
            outputs: outputs, defaultSink: defaultSink,
            ranking: SinkRanking(
                rules: rules, configured: configuredName, stored: stored,
                sourcePriority: inventory.nodes.values.filter { $0.direction == .input }.map { Int($0.priority) }.max()),
            jacks: inventory.jacks,
            isCatchChosen: inventory.preferredNames[.output].map(PipeWireParking.isTarget) == true,
            hasCatch: parkNodes.values.contains(.catch))
    }

    private mutating func tellOutputs() {
        let outputs = self.outputs
        guard outputs != toldOutputs else { return }
        toldOutputs = outputs
        facts.append(.outputsChanged(outputs))
    }

    private mutating func tellSurroundings() {
        let all = inventory.inventory
        let active = Set(inventory.locations.filter(\.isActive).map(\.port.uid))
        var surroundings = GuardSurroundings(
            inputs: all.ports.filter { $0.direction == .input && active.contains($0.uid) },
            defaultInputUID: all.defaultInputUID, volumes: all.volumes)
        surroundings.microphones = inventory.locations.compactMap { location in
            guard location.port.direction == .input, location.isActive,
                let node = location.nodeID.flatMap({ inventory.nodes[$0] })
            else { return nil }
            return GuardMicrophone(node: node.name, name: location.port.name, kind: location.port.kind)
        }
        guard surroundings != toldSurroundings else { return }
        toldSurroundings = surroundings
        facts.append(.surroundingsChanged(surroundings))
    }

    private mutating func tellStream(ofNode id: UInt32) {
        guard let stream = streams.values.first(where: { $0.nodeID == id }) else { return }
        guard let group = stream.group, inventory.nodes.values.contains(where: { $0.roleGroup == group }) else {
            return tellStream(stream.serial)
        }
        // The streams of a role sound where the role's loopback plays, so all of them may have changed.
        for serial in streams.keys.sorted() { tellStream(serial) }
    }

    private func resolvedTarget(of link: Link) -> ProgramStream.LinkTarget? {
        guard case .sink = link.target, let group = inventory.nodes[link.input]?.roleGroup else { return link.target }
        let players = Set(streams.values.filter { $0.group == group }.map(\.nodeID))
        let outputs = links.values.compactMap { link -> String? in
            guard players.contains(link.output), case .sink(let name) = link.target else { return nil }
            return name
        }
        return .role(output: outputs.min())
    }

    private mutating func tellStream(_ serial: UInt64) {
        guard let stream = streams[serial] else { return }
        let targets = links.values.compactMap { $0.output == stream.nodeID ? resolvedTarget(of: $0) : nil }
        // During a move, a stream may have links to both sinks: its target is the one on which it is heard.
        let target =
            targets.first(where: \.isASink)
            ?? (targets.contains(.duck) ? .duck : targets.first)
        let fact = ProgramStream(
            id: serial, program: stream.program, role: stream.role, isRunning: stream.isRunning,
            isSilent: stream.isSilent, linkTarget: target ?? .nowhere, standing: stream.standing,
            chosenTarget: chosenTarget(ofNode: stream.nodeID))
        guard toldStreams[serial] != fact else { return }
        toldStreams[serial] = fact
        facts.append(.streamChanged(fact))
    }

    private mutating func tellCaptures() {
        for (serial, capture) in captures {
            let linked = links.values.filter { $0.input == capture.nodeID }.map(\.output)
            let sources = capture.isRunning ? linked : []
            var fact = CaptureStream(
                id: serial, program: capture.program, hearsMicrophone: sources.contains(where: isMicrophone),
                hearsPrograms: sources.contains { inventory.nodes[$0]?.direction != .input })
            (fact.role, fact.isMovable) = (capture.role, capture.isMovable)
            fact.target = chosenTarget(ofNode: capture.nodeID)
            // WirePlumber 0.5.8 does not wait until the stream runs.
            fact.opensHeadset = linked.contains(where: isMicrophoneOfAHeadset)
            guard toldCaptures[serial] != fact else { continue }
            toldCaptures[serial] = fact
            facts.append(.captureChanged(fact))
        }
    }

    /// Whether the node is a microphone: not a sink's monitor, and not a program's node.
    private func isMicrophone(_ id: UInt32) -> Bool {
        inventory.nodes[id].map { $0.direction == .input && !$0.isVirtual } ?? false
    }

    /// Whether the node is the loopback that WirePlumber shows as the microphone of a Bluetooth headset that plays music.
    ///
    /// A microphone that is part of the profile for music names that profile, and needs no other one.
    private func isMicrophoneOfAHeadset(_ id: UInt32) -> Bool {
        guard let node = inventory.nodes[id], node.direction == .input, node.bluetoothProfile == nil,
            let card = node.deviceID
        else { return false }
        return inventory.nodes.values.contains {
            $0.deviceID == card && $0.direction == .output && $0.bluetoothProfile?.hasPrefix("a2dp") == true
        }
    }

    private func chosenTarget(ofNode id: UInt32) -> String? {
        guard let target = targets[id], !PipeWireParking.isTarget(target) else { return nil }
        return inventory.nodes.values.first { UInt64(target) == $0.serial }?.name ?? target
    }
}
