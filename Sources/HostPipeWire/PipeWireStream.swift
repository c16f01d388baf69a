internal import AudioModel
internal import CPipeWireShims
internal import HostInterface
internal import Synchronization

/// One `pw_stream` with links of its own.
///
/// Control plane: session thread only.
///
/// The gate, the pause when a device goes away, and the render cycle are the shim's (loss.c, cycle.c).
final class PipeWireStream: HostStream {
    let id: StreamID
    private let connection: PipeWireConnection
    private let reporter: PipeWireReporter
    /// The shim's stream; nil once closed.
    ///
    /// Rule for the pointer: one control thread at a time, see `HostStream`.
    private let handle: Mutex<Handle?>
    private let onClose: @Sendable (StreamID) -> Void

    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    init(
        _ configuration: StreamConfiguration, connection: PipeWireConnection, reporter: PipeWireReporter,
        onClose: @escaping @Sendable (StreamID) -> Void
    ) throws(HostError) {
        self.onClose = onClose
        id = configuration.id
        self.connection = connection
        self.reporter = reporter
        var pointer: OpaquePointer?
        let (status, words) = withShimText { text, size in
            // Mixers and command line tools show it as it is.
            configuration.title.printable.withCString { title in
                withOptionalCString(configuration.role) { role in
                    var config = oav_pw_stream_config(
                        tag: configuration.id.number, title: title, role: role,
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
        handle = Mutex(Handle(pointer: pointer))
    }

    private var pointer: OpaquePointer? { handle.withLock { $0?.pointer } }

    func link(to portUIDs: [String]) throws(HostError) {
        guard let pointer else { throw .refused("the stream is closed; open another one") }
        if reporter.isLost { throw .connectionLost }
        // First off the old ports: from here on no loss of theirs is told, which would be taken for one of the new.
        unlink()
        guard !portUIDs.isEmpty else { throw .refused("no ports were given; call unlink to be linked to none") }
        let facts = reporter.facts
        var targets: [oav_pw_target] = []
        for uid in portUIDs {
            guard let target = facts.target(uid: uid) else { throw missed(uid) }
            targets.append(target)
        }
        // Before the link: a loss may be told before this call returns.
        reporter.setLinks(portUIDs, of: id)
        let (status, words) = withShimText { text, size in
            oav_pw_stream_link(pointer, targets, UInt32(targets.count), text, size)
        }
        guard status != OAV_PW_OK else { return }
        reporter.setLinks(nil, of: id)
        guard status != OAV_PW_NO_SUCH_PORT else {
            let left = reporter.facts
            throw missed(portUIDs.first { left.target(uid: $0) == nil } ?? portUIDs[0])
        }
        throw HostError(status, words)
    }

    private func missed(_ uid: String) -> HostError {
        reporter.missed(uid, by: id)
        oav_pw_host_poke(connection.pointer, 0)
        return .noSuchPort(uid: uid)
    }

    func unlink() {
        guard let pointer else { return }
        oav_pw_stream_unlink(pointer)
        reporter.setLinks(nil, of: id)
    }

    func start() { if let pointer { oav_pw_stream_start(pointer) } }

    func stop() { if let pointer { oav_pw_stream_stop(pointer) } }

    func close() {
        guard let closing = handle.withLock({ $0.take() }) else { return }
        oav_pw_stream_close(closing.pointer)
        reporter.forget(id)
        onClose(id)
    }

    /// The graph's delay to the sink as `pw_time` tells it, plus one quantum for the hardware's ring, which it does not
    /// know; an estimate, not checked against hardware.
    var latencyFrames: Int { pointer.map { Int(oav_pw_stream_latency_frames($0)) } ?? 0 }
}

extension PipeWireInventory {
    /// What to link a stream to for this port; nil where there is no such output.
    fileprivate func target(uid: String) -> oav_pw_target? {
        guard let place = place(uid: uid), place.port.direction == .output, let node = nodes[place.nodeID] else {
            return nil
        }
        return oav_pw_target(node_id: node.id, serial: node.serial, route_index: place.routeIndex ?? -1)
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
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
