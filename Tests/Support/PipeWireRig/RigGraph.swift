import CRig

/// The server's nodes, ports and links at one instant, as its registry tells them.
package struct RigGraph: Sendable {
    package struct Node: Sendable, Equatable {
        package let id: UInt32
        package let name: String
        package let mediaClass: String
        package let description: String
    }

    package struct Port: Sendable, Equatable {
        package let id: UInt32
        package let node: UInt32
        package let direction: String
        package let channel: String
    }

    package struct Link: Sendable, Equatable {
        package let outputNode: UInt32
        package let inputNode: UInt32
    }

    package let nodes: [Node]
    package let ports: [Port]
    package let links: [Link]

    package func node(named name: String) -> Node? {
        nodes.last { $0.name == name }
    }

    /// The names of the nodes whose outputs are linked to a node's inputs, each once, in the graph's order.
    package func feeders(of name: String) -> [String] {
        guard let target = node(named: name) else { return [] }
        let feeding = Set(links.filter { $0.inputNode == target.id }.map(\.outputNode))
        return nodes.filter { feeding.contains($0.id) }.map(\.name)
    }

    /// The names of the nodes that a node feeds, meters of the rig left out.
    package func targets(of name: String) -> [String] {
        guard let source = node(named: name) else { return [] }
        let fed = Set(links.filter { $0.outputNode == source.id }.map(\.inputNode))
        return nodes.filter { fed.contains($0.id) && !$0.name.hasPrefix("oav-rig.") }.map(\.name)
    }

    var summary: String {
        let lines = nodes.map { node in
            let portCount = ports.count { $0.node == node.id }
            return "\(node.id) \(node.name) (\(node.mediaClass), \(portCount) ports) <- \(feeders(of: node.name))"
        }
        return "The graph held: " + lines.joined(separator: "; ")
    }
}

extension RigGraph {
    init(of connection: RigConnection) {
        nodes = Self.objects(OAV_RIG_NODE, of: connection) { object in
            Node(
                id: object.id, name: object["node.name"] ?? "", mediaClass: object["media.class"] ?? "",
                description: object["node.description"] ?? "")
        }
        ports = Self.objects(OAV_RIG_PORT, of: connection) { object in
            Port(
                id: object.id, node: object["node.id"].flatMap(UInt32.init) ?? .max,
                direction: object["port.direction"] ?? "", channel: object["audio.channel"] ?? "")
        }
        links = Self.objects(OAV_RIG_LINK, of: connection) { object in
            Link(
                outputNode: object["link.output.node"].flatMap(UInt32.init) ?? .max,
                inputNode: object["link.input.node"].flatMap(UInt32.init) ?? .max)
        }
    }

    /// Whether the session manager has published the metadata in which it keeps the default devices.
    static func hasDefaultMetadata(_ connection: RigConnection) -> Bool {
        objects(OAV_RIG_METADATA, of: connection) { $0["metadata.name"] }.contains("default")
    }

    private struct RegistryObject {
        let pointer: OpaquePointer
        var id: UInt32 { oav_rig_object_id(pointer) }

        subscript(key: String) -> String? {
            oav_rig_object_property(pointer, key).map { String(cString: $0) }
        }
    }

    /// Transforms each object while the connection is locked: it is valid no longer than that.
    private static func objects<Value>(
        _ kind: oav_rig_kind, of connection: RigConnection, transform: @escaping (RegistryObject) -> Value
    ) -> [Value] {
        var values: [Value] = []
        withoutActuallyEscaping({ values.append(transform(RegistryObject(pointer: $0))) }) { visit in
            let visitor = Visitor(visit)
            withExtendedLifetime(visitor) {
                oav_rig_for_each(
                    connection.pointer, kind,
                    { Unmanaged<Visitor>.fromOpaque($0!).takeUnretainedValue().visit($1) },
                    Unmanaged.passUnretained(visitor).toOpaque())
            }
        }
        return values
    }

    private final class Visitor {
        let visit: (OpaquePointer) -> Void

        init(_ visit: @escaping (OpaquePointer) -> Void) {
            self.visit = visit
        }
    }
}
