import AudioDeviceSelection

/// The list of outputs in which a person moves a cursor.
///
/// The cursor stays on its output while others come and go. If its own output goes, it moves to the first row.
struct DevicePicker {
    /// The list as it is shown.
    struct Content: Hashable, Sendable {
        struct Row: Hashable, Sendable {
            enum Kind: Hashable, Sendable {
                /// The system's choice; `several` if that is a route of several outputs.
                case automatic(several: Bool)
                case output(PortFacts)
                /// Chosen, but not connected now. Untrusted text.
                case away(name: String)
            }

            var kind: Kind
            var isAtCursor: Bool
            var isChosen: Bool
            /// This program plays on it now.
            var isInUse: Bool
            /// Linear peaks, one for each channel; 0 if nothing plays there.
            var levels: [Float]
        }

        var rows: [Row]
        /// False if each file has its own output.
        var canChoose: Bool
    }

    private var cursor: AudioDevices.Choice

    /// - Parameter outputs: their choice is where the cursor begins.
    init(in outputs: OutputFacts) {
        switch outputs.choice {
        case .automatic: cursor = .automatic
        case .device(let uid): cursor = .device(uid: uid)
        case .portType: cursor = outputs.current.first.map { .device(uid: $0.uid) } ?? .automatic
        }
    }

    mutating func press(_ key: Key, in outputs: OutputFacts, canChoose: Bool) -> PickerOutcome<AudioDevices.Choice> {
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
        case .left, .right, .pageUp, .pageDown, .backspace, .character: return .passes
        }
    }

    /// - Parameters:
    ///   - levels: linear peaks of each channel, by the output's uid.
    ///   - awayName: the name of the chosen output while it is not connected.
    func content(
        of outputs: OutputFacts, levels: [String: [Float]], awayName: String, isMultiRoute: Bool, canChoose: Bool
    ) -> Content {
        let rows = Self.rows(of: outputs, canChoose: canChoose)
        let cursorRow = rows.firstIndex(of: cursor) ?? 0
        return Content(
            rows: rows.enumerated().map { index, row in
                let port = Self.port(of: row, among: outputs.all)
                let kind: Content.Row.Kind =
                    if row == .automatic { .automatic(several: isMultiRoute) } else {
                        port.map { .output($0) } ?? .away(name: awayName)
                    }
                let peaks = port.flatMap { levels[$0.uid] } ?? []
                return .init(
                    kind: kind, isAtCursor: index == cursorRow, isChosen: canChoose && outputs.isChosen(row),
                    isInUse: port.map { outputs.current.contains($0) } ?? false,
                    levels: (0..<(port?.channels ?? 0)).map { $0 < peaks.count ? peaks[$0] : 0 })
            }, canChoose: canChoose)
    }

    private static func rows(of outputs: OutputFacts, canChoose: Bool) -> [AudioDevices.Choice] {
        let connected = outputs.all.map { AudioDevices.Choice.device(uid: $0.uid) }
        guard canChoose else { return connected }
        // A chosen output keeps its row while it is away.
        let isAway =
            if case .device(let uid) = outputs.choice { !outputs.all.contains { $0.uid == uid } } else { false }
        return [.automatic] + connected + (isAway ? [outputs.choice] : [])
    }

    private static func port(of choice: AudioDevices.Choice, among ports: [PortFacts]) -> PortFacts? {
        if case .device(let uid) = choice { ports.first { $0.uid == uid } } else { nil }
    }
}
