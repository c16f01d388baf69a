import SessionCore

/// The list of outputs that a person moves a cursor through.
///
/// The cursor stays on its output while others come and go; when its own goes, it moves to the first row.
struct DevicePicker {
    enum Outcome: Hashable {
        /// The key is for somebody else.
        case passes
        case stays
        case closes
        case chooses(OutputChoice)
    }

    private var cursor: OutputChoice

    /// - Parameter choice: where the cursor begins.
    init(at choice: OutputChoice, in outputs: OutputFacts) {
        switch choice {
        case .automatic: cursor = .automatic
        case .port(let uid): cursor = .port(uid: uid)
        case .kind: cursor = outputs.current.first.map { .port(uid: $0.uid) } ?? .automatic
        }
    }

    mutating func press(_ key: Key, in outputs: OutputFacts, canChoose: Bool) -> Outcome {
        let rows = Self.rows(of: outputs, canChoose: canChoose)
        let row = rows.firstIndex(of: cursor) ?? 0
        switch key {
        case .up, .down:
            guard !rows.isEmpty else { return .stays }
            cursor = rows[min(max(row + (key == .up ? -1 : 1), 0), rows.count - 1)]
            return .stays
        case .enter:
            guard canChoose, rows.indices.contains(row) else { return .stays }
            cursor = rows[row]
            return .chooses(cursor)
        case .escape, .character("d"), .character("D"): return .closes
        case .left, .right, .character: return .passes
        }
    }

    /// - Parameters:
    ///   - levels: linear peaks of each channel, by the output's uid.
    ///   - awayName: what the chosen output is called while it is not connected.
    func picture(
        of outputs: OutputFacts, levels: [String: [Float]], awayName: String, isMultiRoute: Bool, canChoose: Bool
    ) -> PickerPicture {
        let rows = Self.rows(of: outputs, canChoose: canChoose)
        let cursorRow = rows.firstIndex(of: cursor) ?? 0
        return PickerPicture(
            rows: rows.enumerated().map { index, row in
                let port = row.port(among: outputs.all)
                let what: PickerPicture.Row.What =
                    if row == .automatic { .automatic(several: isMultiRoute) } else {
                        port.map { .output($0) } ?? .away(name: awayName)
                    }
                let peaks = port.flatMap { levels[$0.uid] } ?? []
                return .init(
                    what: what, isAtCursor: index == cursorRow, isChosen: canChoose && outputs.isChosen(row),
                    isInUse: port.map { outputs.current.contains($0) } ?? false,
                    levels: (0..<(port?.channels ?? 0)).map { $0 < peaks.count ? peaks[$0] : 0 })
            }, canChoose: canChoose)
    }

    private static func rows(of outputs: OutputFacts, canChoose: Bool) -> [OutputChoice] {
        let connected = outputs.all.map { OutputChoice.port(uid: $0.uid) }
        guard canChoose else { return connected }
        // A chosen output keeps its row while it is away.
        let isAway = if case .port(let uid) = outputs.choice { !outputs.all.contains { $0.uid == uid } } else { false }
        return [.automatic] + connected + (isAway ? [outputs.choice] : [])
    }
}

extension OutputChoice {
    fileprivate func port(among ports: [PortFacts]) -> PortFacts? {
        if case .port(let uid) = self { ports.first { $0.uid == uid } } else { nil }
    }
}
