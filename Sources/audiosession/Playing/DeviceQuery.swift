import AudioModel

/// What a person wrote after `--device`.
enum DeviceQuery {
    /// The one output meant: its uid exactly, else its name in any case.
    ///
    /// - Throws: `StudioError` listing the outputs when none or several match.
    static func resolve(_ text: String, among outputs: [PortFacts]) throws(StudioError) -> PortFacts {
        if let exact = outputs.first(where: { $0.uid == text }) { return exact }
        let named = outputs.filter { $0.name.lowercased() == text.lowercased() }
        if named.count == 1 { return named[0] }
        guard named.isEmpty else {
            throw StudioError(
                code: "ambiguousDevice",
                message: "'\(text.printable)' names \(named.count) outputs; give the uid of one: \(list(named)).")
        }
        guard !outputs.isEmpty else {
            throw StudioError(
                code: "noSuchDevice",
                message: "there is no output '\(text.printable)', nor any other; 'audiosession doctor' tells why.")
        }
        let hint = Spelling.nearest(to: text, in: outputs.flatMap { [$0.name, $0.uid] })
        throw StudioError(
            code: "noSuchDevice",
            message: "there is no output '\(text.printable)'."
                + (hint.map { " Did you mean '\($0.printable)'?" } ?? "") + " Connected outputs: \(list(outputs)).")
    }

    private static func list(_ ports: [PortFacts]) -> String {
        ports.map { "'\($0.name.printable)' (uid \($0.uid.printable))" }.joined(separator: ", ")
    }
}
