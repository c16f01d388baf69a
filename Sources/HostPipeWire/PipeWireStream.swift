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
    private let reporter: PipeWireReporter
    /// The shim's stream; nil once closed.
    ///
    /// Rule for the pointer: one control thread at a time, see `HostStream`.
    private let handle: Mutex<Handle?>
    private let linked = Mutex<[String]>([])
    private let onClose: @Sendable (StreamID) -> Void

    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    init(
        _ configuration: StreamConfiguration, connection: PipeWireConnection, reporter: PipeWireReporter,
        onClose: @escaping @Sendable (StreamID) -> Void
    ) throws(HostError) {
        self.onClose = onClose
        id = configuration.id
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
            throw HostError(status, words, firstUID: nil)
        }
        handle = Mutex(Handle(pointer: pointer))
    }

    private var pointer: OpaquePointer? { handle.withLock { $0?.pointer } }

    func link(to portUIDs: [String]) throws(HostError) {
        guard let pointer else { throw .refused("the stream is closed; open another one") }
        if reporter.isLost { throw .connectionLost }
        setLinks([])
        let facts = reporter.facts
        var targets: [oav_pw_target] = []
        for uid in portUIDs {
            guard let place = facts.place(uid: uid), place.port.direction == .output else {
                oav_pw_stream_unlink(pointer)
                throw .noSuchPort(uid: uid)
            }
            targets.append(oav_pw_target(node_id: place.nodeID, route_index: place.routeIndex ?? -1))
        }
        // Before the link: a loss may be told before this call returns.
        setLinks(portUIDs)
        let (status, words) = withShimText { text, size in
            targets.withUnsafeBufferPointer { targets in
                guard let first = targets.baseAddress else { return OAV_PW_REFUSED }
                return oav_pw_stream_link(pointer, first, UInt32(targets.count), text, size)
            }
        }
        guard status == OAV_PW_OK else {
            setLinks([])
            let reason = portUIDs.isEmpty ? "no ports were given; call unlink to be linked to none" : words
            throw HostError(status, reason, firstUID: portUIDs.first)
        }
    }

    func unlink() {
        guard let pointer else { return }
        oav_pw_stream_unlink(pointer)
        setLinks([])
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

    /// Why a device that goes away may still be followed by sound elsewhere; nil where the promise holds.
    var promiseOff: String? {
        let facts = reporter.facts
        return linked.withLock { $0 }.lazy.compactMap { facts.promiseOff(uid: $0) }.first
    }

    private func setLinks(_ uids: [String]) {
        linked.withLock { $0 = uids }
        reporter.setLinks(uids.isEmpty ? nil : uids, of: id)
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}

extension HostError {
    init(_ status: oav_pw_status, _ words: String, firstUID: String?) {
        switch status {
        case OAV_PW_UNREACHABLE: self = .unreachable(words)
        case OAV_PW_LOST: self = .connectionLost
        case OAV_PW_NO_SUCH_PORT: self = .noSuchPort(uid: firstUID ?? "")
        default: self = .refused(words)
        }
    }
}
