internal import AudioModel

/// Decides when the sessions and streams of other programs are reported, based on their nodes.
///
/// Pure. A stop is reported when it has lasted, a removal at once: if a call's headphones leave, its stream is moved to another
/// sink and stops for 25 to 49 ms. A session's stream that runs before its claim is known, or shortly after the claim was removed,
/// belongs to no other program and is not reported as running.
struct PipeWireProgramTracker: Sendable {
    private struct Node {
        let clientID: UInt32?
        let isClaim: Bool
        var isDescribed = false
        /// The claim was removed from the server; reported when the contents of all earlier nodes are known.
        var isLeaving = false
        /// The server's last description; nil for claims and for streams that are not reported.
        var stream: PipeWireOtherStream?
        var activity = Activity.stopped
        /// Since when the stream has no claim of its session; it is not reported as running.
        ///
        /// Ends when the claim appears, or after `ownerDelay`.
        var unownedSince: HostTime?
        /// Since when the stream runs but is reported as silent.
        ///
        /// Ends after `soundDelay`: programs and session managers set a stream's volume as soon as it runs.
        var unheardSince: HostTime?

        var deadline: HostTime? {
            if case .stopping(let since) = activity { return since.advanced(bySeconds: stopDelay) }
            return unownedSince?.advanced(bySeconds: ownerDelay) ?? unheardSince?.advanced(bySeconds: soundDelay)
        }
    }

    private enum Activity: Hashable {
        /// Exit: runs -> `running`.
        case stopped
        /// Exit: stops -> `stopping`.
        case running
        /// Still reported as running. Exits: runs -> `running`; after `stopDelay` -> `stopped`.
        case stopping(since: HostTime)

        var isStopping: Bool { if case .stopping = self { true } else { false } }
    }

    private static let stopDelay = 0.1
    private static let soundDelay = 0.1
    /// Longer than the fade and the server's answer to the removal take on a busy machine.
    private static let ownerDelay = 0.5

    private var nodes: [UInt64: Node] = [:]
    private var registry = PipeWireClaimRegistry()
    /// The holding sinks that guards have set as targets, by node.
    private var holds: [UInt32: String] = [:]
    /// The holding sinks of running guards: a stream that a killed guard held is heard again.
    private var holdingSinks: Set<String> = []

    /// Returns the changes since the last call.
    mutating func drainEvents() -> [HostEvent] { registry.drainEvents() }

    /// When to call `debounce`.
    var nextDeadline: HostTime? { nodes.values.compactMap(\.deadline).min() }

    /// Records a node that the registry has announced; its description follows.
    mutating func added(_ serial: UInt64, clientID: UInt32?, isClaim: Bool) {
        nodes[serial] = Node(clientID: clientID, isClaim: isClaim)
    }

    /// - Parameter isForeign: false for a claim of our own connection, which is not reported.
    mutating func changed(_ claim: PipeWireClaim, isForeign: Bool) {
        let serial = claim.serial.number
        nodes[serial, default: Node(clientID: claim.clientID, isClaim: true)].isDescribed = true
        guard isForeign else { return }
        registry.change(claim)
        // The claim is known now, so its client's streams belong to it.
        for (serial, node) in nodes where node.clientID == claim.clientID && node.unownedSince != nil {
            nodes[serial]?.unownedSince = nil
            report(serial)
        }
    }

    /// - Parameter isForeign: false for a stream that is not reported.
    mutating func changed(_ stream: PipeWireOtherStream, isForeign: Bool, at now: HostTime) {
        var node = nodes[stream.serial] ?? Node(clientID: stream.clientID, isClaim: false)
        // A stream that runs when it is first reported may have played for long.
        let isFirst = !node.isDescribed
        node.isDescribed = true
        node.stream = isForeign ? stream : nil
        switch (node.activity, stream.isRunning) {
        case (.stopped, true):
            // A session makes its claim before it plays; the claim's contents need one more round trip.
            let isClaimExpected = nodes.values.contains {
                $0.isClaim && !$0.isLeaving && !$0.isDescribed && $0.clientID == node.clientID
            }
            if isClaimExpected { node.unownedSince = now }
            if !isFirst { node.unheardSince = now }
            node.activity = .running
        case (.stopping, true): node.activity = .running
        case (.running, false): node.activity = .stopping(since: now)
        case (.running, true), (.stopping, false), (.stopped, false): break
        }
        nodes[stream.serial] = node
        report(stream.serial)
    }

    /// - Returns: true if `departed` must be called after a round trip.
    ///
    /// A claim is often removed because a new node replaces it: the session's next claim, another session's claim, or a call's
    /// stream. So far only the registry has reported the new node. If the removal were reported first, the other sessions would
    /// assume for a moment that no claim is left.
    mutating func removed(_ serial: UInt64, at now: HostTime) -> Bool {
        guard let node = nodes[serial] else { return false }
        guard node.isClaim else {
            if let id = node.stream?.nodeID { holds[id] = nil }
            nodes[serial] = nil
            registry.removeStream(serial)
            return false
        }
        let isReported = registry.contains(ClaimSerial(number: serial))
        if isReported, nodes.contains(where: { $0 != serial && ($1.isLeaving || !$1.isDescribed) }) {
            nodes[serial]?.isLeaving = true
            return true
        }
        departed(serial, at: now)
        return false
    }

    mutating func departed(_ serial: UInt64, at now: HostTime) {
        guard let node = nodes.removeValue(forKey: serial) else { return }
        let claim = ClaimSerial(number: serial)
        let isReported = registry.contains(claim)
        registry.removeClaim(claim)
        let hasOther = nodes.contains {
            $1.isClaim && !$1.isLeaving && $1.clientID == node.clientID && registry.contains(ClaimSerial(number: $0))
        }
        guard isReported, !hasOther else { return }
        // A session that removes its claim stops its streams. Some of them run a little longer while they fade out, and the server
        // may report only now that one has started.
        for (serial, other) in nodes where other.clientID == node.clientID && !other.isClaim {
            nodes[serial]?.unownedSince = now
            report(serial)
        }
    }

    /// - Parameter id: nil if the session manager has left, and all targets with it.
    mutating func setTarget(_ target: String?, ofNode id: UInt32?) {
        let hold = target.flatMap { PipeWireGuardSink.isHold($0) ? $0 : nil }
        guard let id else {
            holds = [:]
            return reportStreams { _ in true }
        }
        guard holds[id] != hold else { return }
        holds[id] = hold
        reportStreams { $0.nodeID == id }
    }

    mutating func setHoldingSinks(_ names: Set<String>) {
        guard holdingSinks != names else { return }
        holdingSinks = names
        reportStreams { _ in true }
    }

    private mutating func reportStreams(where isMeant: (PipeWireOtherStream) -> Bool) {
        for (serial, node) in nodes where node.stream.map(isMeant) == true { report(serial) }
    }

    /// Reports changes that have lasted.
    mutating func debounce(at now: HostTime) {
        for (serial, var node) in nodes {
            guard let deadline = node.deadline, deadline <= now else { continue }
            let hasStopped = node.activity.isStopping
            if hasStopped { node.activity = .stopped }
            func isOver(_ since: HostTime?, _ delay: Double) -> Bool {
                hasStopped || since.map { $0.advanced(bySeconds: delay) <= now } ?? true
            }
            if isOver(node.unownedSince, Self.ownerDelay) { node.unownedSince = nil }
            if isOver(node.unheardSince, Self.soundDelay) { node.unheardSince = nil }
            nodes[serial] = node
            report(serial)
        }
    }

    private mutating func report(_ serial: UInt64) {
        guard let node = nodes[serial], var stream = node.stream else {
            registry.removeStream(serial)
            return
        }
        stream.isRunning = node.activity != .stopped && node.unownedSince == nil
        stream.isSilent = stream.isSilent || node.unheardSince != nil
        stream.isHeld = stream.nodeID.flatMap { holds[$0] }.map(holdingSinks.contains) ?? false
        registry.change(stream)
    }
}

/// Another program's output stream; every text is untrusted.
struct PipeWireOtherStream: Hashable, Sendable {
    var serial: UInt64
    var nodeID: UInt32?
    /// The client that made the stream; nil for a node that has outlived its maker.
    var clientID: UInt32?
    var isRunning: Bool
    /// Whether the stream is muted, or its volume is 0.
    var isSilent: Bool
    /// Whether a running guard holds the stream.
    var isHeld = false
    /// The node's `media.role`.
    var role: String?
    var name: String

    init(
        serial: UInt64, nodeID: UInt32? = nil, clientID: UInt32?, isRunning: Bool, isSilent: Bool = false,
        role: String? = nil, name: String? = nil
    ) {
        self.isSilent = isSilent
        self.serial = serial
        self.nodeID = nodeID
        self.clientID = clientID
        self.isRunning = isRunning
        self.role = role?.capped
        self.name = (name ?? "").capped
    }
}
