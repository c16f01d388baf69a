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
                switch ShimNode(node.pointee) {
                case .device(let node): connection(context).change { $0.apply(.nodeChanged(node)) }
                case .program(let node): connection(context).programChanged(node)
                }
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
            object_removed: { context, id in connection(context).objectRemoved(id) },
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
            other_removed: { context, serial in connection(context).otherRemoved(serial) },
            client: { context, id, process, name in
                let client = PipeWireClients.Client(processID: process == 0 ? nil : process, name: text(name))
                connection(context).addClient(id, client)
            },
            own_client: { context, id in connection(context).learnOwnClient(id) },
            lost: { context, _, _ in connection(context).lost() })
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> PipeWireGuardConnection {
    guard let context else { preconditionFailure("the shim lost its context") }
    return Unmanaged<PipeWireGuardConnection>.fromOpaque(context).takeUnretainedValue()
}

extension GuardRival {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        self.init(
            serial: node.serial, name: clients.name(of: node)?.capped ?? "unnamed",
            processID: clients.processID(of: node), machine: node.properties["application.process.host"]?.capped)
    }
}

extension PipeWireGuardGraph.Stream {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        let process = clients.processID(of: node)
        let program = Program(
            identity: process.map { .process($0) } ?? .client(node.clientID ?? .max),
            name: clients.name(of: node)?.capped ?? "unnamed",
            binary: node.properties["application.process.binary"] ?? process.flatMap(Self.binary(ofProcess:)))
        self.init(
            serial: node.serial, nodeID: node.nodeID, program: program,
            role: node.properties["media.role"]?.capped, isRunning: node.isRunning,
            standing: clients.isForeign(node) && !node.isSession && node.isMovable ? .movable : .leftAlone)
    }

    /// The name of the process' file; nil where it may not be read.
    private static func binary(ofProcess id: UInt32) -> String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(id)/exe", &path, path.count)
        guard count > 0 else { return nil }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: "/").last.map(String.init)
    }
}
