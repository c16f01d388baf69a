import AudioModel
import OpenAVFAudio
import SessionCore

/// Finds the output that a person names.
struct DeviceQuery {
    /// Those that the category plays on.
    var usable: [PortFacts]
    /// All that are connected.
    var connected: [PortFacts]
    var category: SessionCategory

    /// The one output meant: its uid exactly, else its name in any case.
    ///
    /// - Parameter takesPortTypes: "HDMI" also means the first output of that type, where no output has that name.
    /// - Throws: `StudioError` listing the outputs when none or several match.
    func resolve(_ text: String, takesPortTypes: Bool = false) throws(StudioError) -> PortFacts {
        if let exact = usable.first(where: { $0.uid == text }) { return exact }
        let named = Self.named(text, among: usable)
        if named.count == 1 { return named[0] }
        if takesPortTypes, let kind = PortTypeWords.kind(for: text),
            let first = usable.first(where: { $0.portType == PortTypeWords.rawValue(kind) })
        {
            return first
        }
        guard named.isEmpty else {
            throw StudioError(
                code: "ambiguousDevice",
                message: "'\(text.printable)' names \(named.count) outputs; give the uid of one: \(Self.list(named)).")
        }
        throw missing(text, takesPortTypes)
    }

    /// - Throws: `StudioError` where no output is of this type.
    func expect(_ kind: PortKind) throws(StudioError) {
        guard !usable.contains(where: { $0.portType == PortTypeWords.rawValue(kind) }) else { return }
        let there = usable.map { port in
            let type = PortTypeWords.kind(for: port.portType).map(PortTypeWords.word) ?? port.portType
            return "'\(port.name.printable)' (\(type.printable))"
        }
        throw StudioError(
            code: "noSuchDevice",
            message: "no \(PortTypeWords.word(for: kind)) output is there for category \(category), which now plays "
                + "on: \(there.isEmpty ? "none" : there.joined(separator: ", ")). "
                + "Connect one, or name another with --port-type or --device.")
    }

    private func missing(_ text: String, _ takesPortTypes: Bool) -> StudioError {
        guard !connected.isEmpty else {
            return StudioError(
                code: "noSuchDevice",
                message: "there is no output '\(text.printable)', nor any other; 'audiosession doctor' tells why.")
        }
        let kind = takesPortTypes ? PortTypeWords.kind(for: text) : nil
        let unusable = connected.first {
            $0.uid == text || $0.name.lowercased() == text.lowercased()
                || $0.portType == kind.map(PortTypeWords.rawValue)
        }
        if let unusable {
            return StudioError(
                code: "noSuchDevice",
                message: "'\(unusable.name.printable)' is connected, but category \(category) does not play on it now. "
                    + "It plays on: \(usable.isEmpty ? "none" : Self.list(usable)). "
                    + advice(takesPortTypes))
        }
        let words = usable.flatMap { [$0.name, $0.uid] } + (takesPortTypes ? PortTypeWords.words : [])
        let hint = kind == nil ? Spelling.nearest(to: text, in: words) : nil
        return StudioError(
            code: "noSuchDevice",
            message: "there is no output '\(text.printable)'."
                + (hint.map { " Did you mean '\($0.printable)'?" } ?? "") + " Connected outputs: "
                + (usable.isEmpty
                    ? "none that category \(category) plays on. \(advice(takesPortTypes))"
                    : "\(Self.list(usable)). Give the name or uid of one."))
    }

    /// What to do where the category does not play on an output.
    ///
    /// Files with an output for each play in the category that has several, whatever else is asked for.
    private func advice(_ takesPortTypes: Bool) -> String {
        switch (usable.isEmpty, takesPortTypes) {
        case (false, false): "Name one of these, or choose another --category."
        case (false, true): "Name one of these."
        case (true, false): "Choose another --category."
        case (true, true): "Connect one that is wired."
        }
    }

    private static func named(_ text: String, among ports: [PortFacts]) -> [PortFacts] {
        ports.filter { $0.name.lowercased() == text.lowercased() }
    }

    private static func list(_ ports: [PortFacts]) -> String {
        ports.map { "'\($0.name.printable)' (uid \($0.uid.printable))" }.joined(separator: ", ")
    }
}
