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
            object: { context, object in
                if let object = PipeWireObject(object.pointee) { connection(context).appeared(object) }
            },
            object_removed: { context, kind, id, serial in
                connection(context).removed(PipeWireObject.Removal(kind, id: id, serial: serial))
            },
            node_volume: { _, _, _ in },
            reading: { context, id, isOver in connection(context).read(isOver ? .over : .begun, of: id) },
            route: { context, id, route in connection(context).read(.route(PipeWireRoute(route.pointee)), of: id) },
            active_route: { context, id, active in
                connection(context).read(PipeWireReadings.Part(active.pointee), of: id)
            },
            profile: { _, _, _ in },
            default_node: { context, key, name in
                let fact = PipeWireFact.defaultNode(key: key, name: name)
                connection(context).change { $0.apply(fact) }
            },
            setting: { _, _, _ in }, sink_rate: { _, _, _ in },
            synced: { context, seq in connection(context).synced(seq) },
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
            claim_named: { context, tag, node in
                connection(context).askForClaims { $0.named(tag, nodeID: node) }
            },
            claims_read: { _, _ in },
            claim_failed: { context, tag, message in
                connection(context).claimFailed(tag, String(cString: message))
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
