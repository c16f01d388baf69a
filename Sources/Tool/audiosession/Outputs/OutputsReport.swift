import GuardRuntime
import OpenAudioSession

/// The outputs in the session manager's order.
///
/// Pure.
struct OutputsReport: Hashable, Sendable {
    var outputs: OutputChoice.Outputs
    /// What `--prefer` has written.
    var rules = OutputRules()

    /// The order that is in force when each has been connected once more.
    private var places: [OutputChoice.Order.Place] {
        OutputChoice.Order(outputs, priorities: rules.priorities).places
    }

    /// Whether what is connected is in another order now.
    private var isPending: Bool {
        func connected(_ places: [OutputChoice.Order.Place]) -> [String] {
            places.compactMap { $0.output == nil ? nil : $0.sink }
        }
        return connected(places) != connected(OutputChoice.Order(outputs).places)
    }

    /// - Parameter words: names, uids, types or sinks of outputs, the first one first.
    /// - Throws: `BackendError` for a word that means no output, or one that cannot have a place.
    func rules(for words: [String]) throws(BackendError) -> OutputRules {
        var sinks: [String] = []
        for word in words {
            let sink = try sink(for: word)
            guard !sinks.contains(sink) else {
                throw BackendError(
                    .deviceNamedTwice,
                    "'\(word.printable)' is an output that --prefer names twice; name each one once.")
            }
            guard OutputRules.takes(sink) else {
                throw BackendError(
                    .noSuchDevice,
                    "'\(word.printable)' (\(sink.printable)) is not an output of a card or a Bluetooth device, and the session "
                        + "manager has settings for those only. Leave it out.")
            }
            sinks.append(sink)
        }
        guard sinks.count <= OutputRules.mostSinks else {
            throw BackendError(
                .noSuchDevice,
                "--prefer names \(sinks.count) outputs; \(OutputRules.mostSinks) at most have a place. Name fewer.")
        }
        return OutputRules(sinks)
    }

    private func sink(for word: String) throws(BackendError) -> String {
        if let place = places.first(where: { $0.sink == word }) { return place.sink }
        let ports = places.compactMap { place in place.output.map { (port: PortFacts($0), sink: place.sink) } }
        let connected = ports.map(\.port)
        let found = try DeviceQuery(usable: connected, connected: connected, category: .playback)
            .resolve(word, allowsPortTypes: true)
        return ports.first { $0.port.uid == found.uid }?.sink ?? found.uid
    }

    /// For people.
    var lines: [String] {
        guard !places.isEmpty else { return ["No output is known. Run 'audiosession doctor' to find the reason."] }
        let rows = places.enumerated().map { index, place in
            [
                "\(index + 1)", isCurrent(place) ? ">" : "", DisplayWidth.cell(place.output?.name ?? "not connected"),
                words(place), DisplayWidth.cell(place.sink),
            ]
        }
        let table = Table(header: ["", "", "OUTPUT", "WHY HERE", "SINK"], rows: rows)
        return ["Sound goes to the first of these that is connected.", ""] + table.lines + ["", "> current output"]
            + notes
    }

    private var notes: [String] {
        var notes: [String] = []
        if isPending {
            notes.append(
                "The order is in force for each output when it is connected again, and for all after: "
                    + "systemctl --user restart wireplumber")
        }
        let (ranking, places) = (outputs.ranking, places)
        if ranking.configured != nil {
            notes.append(
                "What was chosen in a mixer is above the others. To take it back: audiosession outputs --forget")
        } else if ranking.rules == .wirePlumber04, places.contains(where: { $0.reason == .chosenBefore }) {
            notes.append(
                "WirePlumber 0.4 keeps what was chosen before. To have it forget: systemctl --user stop wireplumber; "
                    + "rm ~/.local/state/wireplumber/default-nodes; systemctl --user start wireplumber")
        }
        return notes
    }

    private func words(_ place: OutputChoice.Order.Place) -> String {
        switch place.reason {
        case .chosen: "chosen last"
        case .chosenBefore: "chosen before"
        case .priority where rules.priorities[place.sink] != nil: "preferred"
        case .priority: "priority \(place.priority)"
        }
    }

    private func isCurrent(_ place: OutputChoice.Order.Place) -> Bool { outputs.defaultSink == .sink(place.sink) }

    var json: JSONValue {
        let order = places.map { place -> JSONValue in
            .fields([
                "sink": .string(place.sink), "connected": .bool(place.output != nil),
                "current": .bool(isCurrent(place)),
                "port": place.output.map { PortFacts($0).json } ?? .null,
                "reason": .string(words(place)), "priority": .integer(place.priority),
            ])
        }
        return .fields(["order": .array(order), "pending": .bool(isPending)])
    }
}

extension PortFacts {
    /// Of a port whose channels are not known.
    init(_ output: OutputChoice.Output) {
        self.init(
            uid: output.uid, name: output.name, portType: AVAudioSession.Port(output.kind).rawValue, channels: 0)
    }
}
