internal import AudioModel
internal import CPipeWireShims
internal import HostInterface
internal import Synchronization

/// One `pw_stream` with links of its own.
///
/// Control plane: session thread only.
///
/// It lives and dies with its connection: after a loss it is silent, its renderer is not called any more, and `link`
/// throws `connectionLost`; only `close` is left to do.
///
/// The gate, the pause when a device goes away, and the render cycle are the shim's (loss.c, cycle.c).
final class PipeWireStream: HostStream {
    let id: StreamID
    private let direction: PortDirection
    /// The shim's stream; nil once closed.
    private let handle: Mutex<Handle?>
    private let onClose: @Sendable (PipeWireStream) -> Void

    /// Rule for the pointer: one control thread at a time, see `HostStream`; its connection is there as long as it is.
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
            // Mixers and command line tools show it as it is.
            configuration.title.printable.withCString { title in
                withOptionalCString(configuration.role) { role in
                    var config = oav_pw_stream_config(
                        tag: configuration.id.number, is_input: configuration.direction == .input, title: title,
                        role: role,
                        sample_rate: configuration.sampleRate, max_frames: UInt32(configuration.maximumFrames),
                        renderer: configuration.renderer)
                    return oav_pw_stream_open(connection.pointer, &config, &pointer, text, size)
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

    func link(to portUIDs: [String]) throws(HostError) {
        guard let open else { throw .refused("the stream is closed; open another one") }
        let reporter = open.connection.reporter
        if reporter.isLost { throw .connectionLost }
        // First off the old ports: from here on no loss of theirs is told, which would be taken for one of the new.
        unlink()
        guard !portUIDs.isEmpty else { throw .refused("no ports were given; call unlink to be linked to none") }
        let facts = reporter.facts
        var targets: [oav_pw_target] = []
        for uid in portUIDs {
            guard let target = facts.target(uid: uid, direction) else { throw missed(uid, open.connection) }
            targets.append(target)
        }
        // Before the link: a loss may be told before this call returns.
        reporter.setLinks(portUIDs, of: id)
        let (status, words) = withShimText { text, size in
            oav_pw_stream_link(open.pointer, targets, UInt32(targets.count), text, size)
        }
        guard status != OAV_PW_OK else { return }
        reporter.setLinks(nil, of: id)
        guard status != OAV_PW_NO_SUCH_PORT else {
            let left = reporter.facts
            throw missed(portUIDs.first { left.target(uid: $0, direction) == nil } ?? portUIDs[0], open.connection)
        }
        throw HostError(status, words)
    }

    private func missed(_ uid: String, _ connection: PipeWireConnection) -> HostError {
        connection.reporter.missed(uid, by: id)
        connection.poke()
        return .noSuchPort(uid: uid)
    }

    func unlink() {
        guard let open else { return }
        oav_pw_stream_unlink(open.pointer)
        open.connection.reporter.setLinks(nil, of: id)
    }

    func start() { if let open { oav_pw_stream_start(open.pointer) } }

    func stop() { if let open { oav_pw_stream_stop(open.pointer) } }

    func close() {
        guard let closing = handle.withLock({ $0.take() }) else { return }
        oav_pw_stream_close(closing.pointer)
        closing.connection.reporter.forget(id)
        onClose(self)
    }

    /// The graph's delay to the sink, or from the source, as `pw_time` tells it, plus one quantum for the hardware's ring,
    /// which it does not know; an estimate, not checked against hardware.
    var latencyFrames: Int { open.map { Int(oav_pw_stream_latency_frames($0.pointer)) } ?? 0 }

    func preferCycle(seconds: Double) { if let open { oav_pw_stream_prefer_cycle(open.pointer, seconds) } }

    var cycleSeconds: Double { open.map { oav_pw_stream_cycle_seconds($0.pointer) } ?? 0 }
}

extension PipeWireInventory {
    /// What to link a stream to for this port; nil where there is none of this direction.
    fileprivate func target(uid: String, _ direction: PortDirection) -> oav_pw_target? {
        guard let place = place(uid: uid), place.port.direction == direction, let node = nodes[place.nodeID] else {
            return nil
        }
        return oav_pw_target(node_id: node.id, serial: node.serial, route_index: place.routeIndex ?? -1)
    }
}

extension HostError {
    init(_ status: oav_pw_status, _ words: String) {
        switch status {
        case OAV_PW_UNREACHABLE: self = .unreachable(words)
        case OAV_PW_LOST: self = .connectionLost
        default: self = .refused(words)
        }
    }
}
