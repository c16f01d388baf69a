package import AudioModel
package import CPipeWireShims
internal import HostInterface
internal import Synchronization
internal import Threading

/// One `pw_stream` with its own links.
///
/// Control functions: session thread only.
///
/// It ends with its connection: after a loss it is silent, its renderer is not called any more, and `link`
/// throws `connectionLost`; only `close` remains to be called.
///
/// The shim contains the gate, the pause when a device disappears, and the render cycle (loss.c, cycle.c).
final class PipeWireStream: HostStream {
    let id: StreamID
    private let direction: PortDirection
    /// The shim's stream; nil after `close`.
    private let handle: Mutex<Handle?>
    /// In seconds; 0 means no preference.
    private let preferredCycle = Mutex(0.0)
    private let onClose: @Sendable (PipeWireStream) -> Void

    /// Rule for the pointer: one control thread at a time, see `HostStream`; its connection lives at least as long.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
        let connection: PipeWireConnection
    }

    init(
        _ configuration: StreamConfiguration, connection: PipeWireConnection,
        onClose: @escaping @Sendable (PipeWireStream) -> Void
    ) throws(HostError) {
        self.onClose = onClose
        id = configuration.id
        direction = configuration.direction
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            // Mixers and command line tools show the title unchanged.
            configuration.title.printable.withCString { title in
                withOptionalCString(configuration.role) { role in
                    withOptionalCString(configuration.cycleGroup.map { "audiosession.\(getpid()).\($0)" }) { group in
                        var config = oav_pw_stream_config(
                            tag: configuration.id.number, is_input: configuration.direction == .input, title: title,
                            role: role, group: group, is_ordered: configuration.ordersCycles, makes_ports: false,
                            sample_rate: configuration.sampleRate, max_frames: UInt32(configuration.maximumFrames),
                            renderer: configuration.renderer)
                        // Under one lock: the server's name for the node may arrive right after the stream opens.
                        return connection.loop.withLock {
                            config.makes_ports = !connection.emitter.state.clients.hasManager
                            let status = oav_pw_stream_open(connection.pointer, &config, &pointer, text, size)
                            if let pointer {
                                let stream = PipeWireStreamHandle(pointer: pointer)
                                connection.emitter.update { $0.add(configuration.id, stream) }
                            }
                            return status
                        }
                    }
                }
            }
        }
        guard status == OAV_PW_OK, let pointer else {
            handle = Mutex(nil)
            throw HostError(status, words)
        }
        handle = Mutex(Handle(pointer: pointer, connection: connection))
    }

    private var open: Handle? { handle.withLock { $0 } }

    /// Links with the loop locked, so that the loop thread acts before or after the change.
    func link(to portUIDs: [String]) throws(HostError) {
        guard let open else { throw .refused("the stream is closed; open another one") }
        let (connection, emitter) = (open.connection, open.connection.emitter)
        if connection.read(\.isLost) { throw .connectionLost }
        guard !portUIDs.isEmpty else { throw .refused("no ports were given; call unlink to be linked to none") }
        if connection.isCalling {
            throw .refused("link was called while an event was being delivered; call it from another thread")
        }
        guard portUIDs.count <= Int(OAV_PW_MAX_TARGETS) else {
            unlink()
            throw .refused("\(portUIDs.count) ports were given; a stream links to 1 to \(OAV_PW_MAX_TARGETS)")
        }
        let missing = try connection.loop.withLock { () throws(HostError) -> String? in
            let facts = emitter.state.facts
            var targets: [PipeWireStreamTracker.Target] = []
            for uid in portUIDs {
                if let target = facts.target(uid: uid, direction) {
                    targets.append(target)
                } else if facts.location(uid: uid)?.dormancy == nil {
                    return uid
                }
            }
            setCycle(of: open, targets, facts)
            if targets.count < portUIDs.count {
                emitter.update { $0.awaitPorts(portUIDs, by: id) }
                return nil
            }
            guard emitter.state.clients.mayLink else {
                emitter.update { $0.unlink(id) }
                throw .refused("the server lets this program make no links, as in a sandbox; run it outside")
            }
            if let error = emitter.update({ [id] in $0.link(id, to: targets) }) { throw error }
            return nil
        }
        guard let missing else { return }
        unlink()
        connection.update { $0.missed(missing, by: id) }
        connection.report()
        throw .noSuchPort(uid: missing)
    }

    func unlink() {
        guard let open else { return }
        open.connection.update { $0.unlink(id) }
    }

    func start() {
        guard let open else { return }
        open.connection.loop.withLock {
            oav_pw_stream_start(open.pointer)
            open.connection.emitter.update { $0.setRunning(true, id) }
        }
    }

    func stop() {
        guard let open else { return }
        open.connection.loop.withLock {
            oav_pw_stream_stop(open.pointer)
            open.connection.emitter.update { $0.setRunning(false, id) }
        }
    }

    func close() {
        guard let closing = handle.withLock({ $0.take() }) else { return }
        closing.connection.loop.withLock {
            closing.connection.emitter.update { $0.forget(id) }
            oav_pw_stream_close(closing.pointer)
        }
        onClose(self)
    }

    /// The graph's delay to the sink or from the source according to `pw_time`, plus one quantum for the hardware's ring, which
    /// `pw_time` does not include; an estimate, not checked with hardware.
    var latencyFrames: Int { Int(progress.latency_frames) }

    var cycleSeconds: Double { progress.cycle_seconds }

    private var progress: oav_pw_progress {
        guard let open else { return oav_pw_progress() }
        return open.connection.loop.withLock { oav_pw_stream_progress(open.pointer) }
    }

    func preferCycle(seconds: Double) {
        preferredCycle.withLock { $0 = seconds }
        guard let open else { return }
        open.connection.loop.withLock {
            let state = open.connection.emitter.state
            setCycle(of: open, state.targets(of: id), state.facts)
        }
    }

    private func setCycle(
        of open: Handle, _ targets: [PipeWireStreamTracker.Target], _ facts: PipeWireInventory
    ) {
        let seconds = preferredCycle.withLock { $0 }
        oav_pw_stream_set_cycle(
            open.pointer, UInt32(facts.cycleFrames(preferredSeconds: seconds, targets: targets)))
    }
}

extension PipeWireInventory {
    /// The target for this port; nil if the port has no node, or not this direction.
    func target(uid: String, _ direction: PortDirection) -> PipeWireStreamTracker.Target? {
        guard let location = location(uid: uid), location.port.direction == direction,
            let node = location.nodeID.flatMap({ nodes[$0] })
        else { return nil }
        return PipeWireStreamTracker.Target(
            uid: uid, nodeID: node.id, serial: node.serial, routeIndex: location.routeIndex)
    }
}

/// The shim's stream.
///
/// Rule: used with the loop locked; removed from the emitter's state before the stream is freed.
struct PipeWireStreamHandle: Equatable, @unchecked Sendable {
    let pointer: OpaquePointer

    // MARK: With the loop locked

    func watch(_ targets: [PipeWireEventState.WatchedTarget]) {
        let targets = targets.map { target in
            oav_pw_target(
                node_id: target.nodeID, device_id: target.route?.deviceID ?? .max,
                route_index: target.route?.index ?? -1, is_private: target.route?.isPrivate ?? false)
        }
        oav_pw_stream_set_targets(pointer, targets, UInt32(targets.count))
    }

    /// Returns the status, and the reason if it is not `OAV_PW_OK`.
    func makeNode(channels: [String], makesPorts: Bool) -> (oav_pw_status, String) {
        withShimText { oav_pw_stream_make_node(pointer, channels.joined(separator: ","), makesPorts, $0, $1) }
    }
}

extension HostError {
    package init(_ status: oav_pw_status, _ words: String) {
        switch status {
        case OAV_PW_UNREACHABLE: self = .unreachable(words)
        case OAV_PW_LOST: self = .connectionLost
        default: self = .refused(words)
        }
    }
}
