import SessionRuntime

/// What a bug report needs, without the names of devices.
///
/// Pure.
struct ProblemReport {
    /// The name of the system, its kernel and its architecture.
    var system: String
    var diagnosis: Diagnosis
    /// nil: no server answers.
    var ports: PortInventory?
    var route = RouteFacts()
    /// The lines of a trace, which has no names of its own.
    var trace: [String] = []
    var traceSeconds = 0.0
    /// Those of the trace.
    var pseudonyms = Pseudonyms()

    var lines: [String] {
        let hidden = Anonymizer(ports?.entries.map(\.port) ?? [], pseudonyms)
        let head = [
            "audiosession \(LibraryVersion.current) on \(system.printable)",
            "Names of devices are replaced: port-1 is always the same device. Read it before you send it.", "",
        ]
        let checks = diagnosis.checks.map { check in
            // A guard names the programs that it holds.
            let finding = check.name == "guard" ? Self.withoutPrograms(check.finding) : hidden.text(check.finding)
            return "\(check.verdict.rawValue)  \(check.name): \(finding)"
        }
        return head + checks + portLines(hidden) + traceLines
    }

    private static func withoutPrograms(_ finding: String) -> String {
        finding.hasPrefix("not running") ? finding : "running"
    }

    private func portLines(_ hidden: Anonymizer) -> [String] {
        guard let ports else { return [] }
        let rows = ports.entries.map { entry in
            [
                hidden.text(entry.port.uid), entry.isOutput ? "output" : "input", entry.port.portType.printable,
                String(entry.port.channels), entry.isDefault ? "default" : "",
                (route.outputs + route.inputs).contains { $0.uid == entry.port.uid } ? "in the route" : "",
                entry.caveat == nil ? "" : "virtual",
            ]
        }
        return ["", "Ports:"] + (rows.isEmpty ? ["none"] : Table(rows: rows).lines)
    }

    private var traceLines: [String] {
        trace.isEmpty ? [] : ["", "Trace of \(traceSeconds.fixed(0)) s:"] + trace
    }
}
