internal import AudioModel
internal import CPipeWireShims
internal import GuardCore
internal import HostPipeWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension PipeWireGuardConnection {
    /// The table of functions that the shim calls; whoever holds the connection closes it before it goes.
    func makeEvents() -> oav_pw_events {
        oav_pw_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            changed: { context, _ in connection(context).change { _ in } },
            node: { context, node in
                let node = PipeWireNode(node.pointee)
                connection(context).change { $0.apply(.nodeChanged(node)) }
            },
            node_removed: { context, id in connection(context).change { $0.apply(.nodeRemoved(id: id)) } },
            node_volume: { _, _, _ in },
            device: { context, device in
                let device = PipeWireDevice(device.pointee)
                connection(context).change { $0.apply(.deviceChanged(device)) }
            },
            device_removed: { context, id in connection(context).change { $0.apply(.deviceRemoved(id: id)) } },
            routes: { context, id, routes, count, active, activeCount in
                let volumes = PipeWireFact.routeVolumes(ofDevice: id, active, activeCount)
                let routes = PipeWireFact.routes(ofDevice: id, routes, count, active, activeCount)
                connection(context).change { $0.apply(routes, volumes) }
            },
            profiles: nil,
            default_node: { context, key, name in
                let fact = PipeWireFact.defaultNode(key: key, name: name)
                connection(context).change { $0.apply(fact) }
            },
            graph_rate: { _, _ in }, sink_rate: { _, _, _ in },
            port: { context, port in
                let port = PipeWireNodePort(port.pointee)
                connection(context).change { $0.apply(.portAdded(port)) }
            },
            link: { context, id, output, input, _ in
                connection(context).change { $0.addLink(id, from: output, to: input) }
            },
            object_removed: { context, id in
                connection(context).change {
                    $0.apply(.portRemoved(id: id))
                    $0.removeObject(id)
                }
            },
            synced: { context, seq, isEnumerating, _ in
                connection(context).synced(seq, isEnumerating: isEnumerating)
            },
            timer_fired: { context in connection(context).timerFired() },
            // It makes no streams and no claims.
            stream_linked: { _, _, _ in }, stream_lost: { _, _, _ in }, stream_paused: { _, _ in },
            stream_running: { _, _ in }, stream_failed: { _, _, _ in }, stream_named: { _, _, _ in },
            target_set: { context, node, target in
                if let node = node.known {
                    connection(context).setTarget(text(target), ofNode: node)
                } else {
                    connection(context).change { $0.removeTargets() }
                }
            },
            claim_granted: { context, _, serial in connection(context).tell(.granted(serial: serial)) },
            claims_read: { _, _ in },
            claim_failed: { context, _, message in connection(context).tell(.failed(String(cString: message))) },
            // The first inventory waits for what another guard says of itself.
            other_added: { context, _, _, isClaim in if isClaim { connection(context).change { _ in } } },
            peer: { context, peer in
                if peer.pointee.is_foreign { connection(context).rivalChanged(GuardRival(peer.pointee)) }
            },
            other_stream: { context, stream in
                let stream = PipeWireGuardGraph.Stream(stream.pointee)
                connection(context).change { $0.change(stream) }
            },
            other_removed: { context, serial in connection(context).otherRemoved(serial) },
            lost: { context, _, _ in connection(context).lost() })
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> PipeWireGuardConnection {
    guard let context else { preconditionFailure("the shim lost its context") }
    return Unmanaged<PipeWireGuardConnection>.fromOpaque(context).takeUnretainedValue()
}

extension GuardRival {
    fileprivate init(_ peer: oav_pw_peer) {
        self.init(
            serial: peer.serial, name: text(peer.name)?.capped ?? "unnamed",
            processID: peer.process_id == 0 ? nil : peer.process_id, machine: text(peer.machine)?.capped)
    }
}

extension PipeWireGuardGraph.Stream {
    fileprivate init(_ stream: oav_pw_other_stream) {
        let identity: Program.Identity =
            stream.process_id == 0 ? .client(stream.client_id) : .process(stream.process_id)
        let name = text(stream.name)?.capped
        let program = Program(
            identity: identity, name: name ?? "unnamed",
            binary: text(stream.binary) ?? Self.binary(ofProcess: stream.process_id))
        self.init(
            serial: stream.serial, nodeID: stream.node_id, program: program, role: text(stream.role)?.capped,
            isRunning: stream.is_running,
            standing: stream.is_foreign && !stream.is_session && stream.is_movable ? .movable : .leftAlone)
    }

    /// The name of the process' file; nil where it may not be read.
    private static func binary(ofProcess id: UInt32) -> String? {
        guard id != 0 else { return nil }
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(id)/exe", &path, path.count)
        guard count > 0 else { return nil }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: "/").last.map(String.init)
    }
}
