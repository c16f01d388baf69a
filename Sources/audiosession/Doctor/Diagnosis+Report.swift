extension Diagnosis {
    /// For people: a table, then what to do.
    var lines: [String] {
        let table = Table(rows: checks.map { [Self.mark($0.verdict), $0.name, $0.finding] })
        let remedies = checks.compactMap { check in check.remedy.map { "\(check.name): \($0)" } }
        let verdict =
            canPlay ? "Sound can be played." : "Sound cannot be played here; the simulated host (--host simulated) can."
        return table.lines + (remedies.isEmpty ? [] : ["", "What to do:"] + remedies.map { "  " + $0 }) + ["", verdict]
    }

    var json: JSONValue {
        .fields([
            "version": .string(Version.current), "canPlay": .bool(canPlay),
            "checks": .array(
                checks.map { check in
                    .fields([
                        "name": .string(check.name), "verdict": .string(check.verdict.rawValue),
                        "finding": .string(check.finding), "remedy": check.remedy.map { .string($0) } ?? .null,
                    ])
                }),
        ])
    }

    private static func mark(_ verdict: Check.Verdict) -> String {
        switch verdict {
        case .ok: "ok"
        case .warning: "warning"
        case .missing: "MISSING"
        }
    }
}
