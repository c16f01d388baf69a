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
        let type = PortTypeWords.rawValue(kind)
        guard !usable.contains(where: { $0.portType == type }) else { return }
        let there = usable.map { "'\($0.name.printable)' (\($0.portType.printable))" }.joined(separator: ", ")
        throw StudioError(
            code: "noSuchDevice",
            message: "no output of type \(type) is connected that category \(category) plays on. "
                + "It plays on: \(there.isEmpty ? "none" : there).")
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
                    + "It plays on: \(usable.isEmpty ? "none" : Self.list(usable)).")
        }
        let words = usable.flatMap { [$0.name, $0.uid] } + (takesPortTypes ? PortTypeWords.words : [])
        let hint = kind == nil ? Spelling.nearest(to: text, in: words) : nil
        return StudioError(
            code: "noSuchDevice",
            message: "there is no output '\(text.printable)'."
                + (hint.map { " Did you mean '\($0.printable)'?" } ?? "") + " Connected outputs: "
                + "\(usable.isEmpty ? "none that category \(category) plays on" : Self.list(usable)).")
    }

    private static func named(_ text: String, among ports: [PortFacts]) -> [PortFacts] {
        ports.filter { $0.name.lowercased() == text.lowercased() }
    }

    private static func list(_ ports: [PortFacts]) -> String {
        ports.map { "'\($0.name.printable)' (uid \($0.uid.printable))" }.joined(separator: ", ")
    }
}
