import ArgumentParser

/// `audiosession route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Show the current route and all ports.",
        discussion: """
            EXAMPLES
              audiosession route
              audiosession route --json | jq -r '.ports[] | select(.default) | .uid'
            """)

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    @OptionGroup var host: HostOption

    func run() throws {
        let backend = try makeBackend(host: host.host)
        defer { backend.close() }
        let report = RouteReport(
            host: backend.hostName, currentRoute: backend.currentRoute, ports: backend.ports,
            heldByGuard: GuardText.heldLines)
        try DescriptorOutput.print(json ? [report.json.text] : report.lines)
    }
}

/// The current route and all ports.
///
/// Pure.
struct RouteReport: Hashable, Sendable {
    var host: String
    var currentRoute: RouteFacts
    var ports: PortInventory
    /// Lines about other programs that a guard has paused.
    var heldByGuard: [String] = []

    /// For people: a table that marks the route and the defaults.
    var lines: [String] {
        let rows = ports.entries.map { entry in
            [
                isInRoute(entry) ? ">" : "", entry.isDefault ? "*" : "", entry.isOutput ? "output" : "input",
                entry.port.portType.printable, DisplayWidth.cell(entry.port.name), String(entry.port.channels),
                DisplayWidth.cell(entry.port.uid),
            ]
        }
        let summary = ["Host: \(host.printable)", "Route: \(currentRoute.label)", ""]
        guard !rows.isEmpty else {
            return summary + ["No ports are connected. Run 'audiosession doctor' to find the reason."] + heldByGuard
        }
        let table = Table(header: ["", "", "DIRECTION", "TYPE", "NAME", "CHANNELS", "UID"], rows: rows)
        return summary + table.lines + ["", "> current route   * default"] + note + heldByGuard
    }

    /// One for all outputs that have a caveat; nothing is heard of an input.
    private var note: [String] {
        let outputs = ports.entries.filter { $0.isOutput && $0.caveat != nil }.map { DisplayWidth.cell($0.port.name) }
        guard !outputs.isEmpty else { return [] }
        return [
            "Note: \(outputs.joined(separator: ", ")) \(outputs.count == 1 ? "is a virtual output" : "are virtual outputs"): "
                + "when the device behind \(outputs.count == 1 ? "it" : "them") is unplugged, sound may go on elsewhere. A hardware "
                + "output is safe."
        ]
    }

    var json: JSONValue {
        let entries = ports.entries.map { entry -> JSONValue in
            guard case .object(var fields) = entry.port.json else { return .null }
            fields.append(.init(name: "direction", value: .string(entry.isOutput ? "output" : "input")))
            fields.append(.init(name: "default", value: .bool(entry.isDefault)))
            if let caveat = entry.caveat { fields.append(.init(name: "caveat", value: .string(caveat))) }
            return .object(fields)
        }
        return .fields([
            "host": .string(host), "currentRoute": currentRoute.json, "ports": .array(entries),
            "heldByGuard": .array(heldByGuard.map { .string($0) }),
        ])
    }

    private func isInRoute(_ entry: PortInventory.Entry) -> Bool {
        (entry.isOutput ? currentRoute.outputs : currentRoute.inputs).contains { $0.uid == entry.port.uid }
    }
}
