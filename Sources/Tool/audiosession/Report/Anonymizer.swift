import SessionRuntime

/// Replaces the names of devices in texts, always by the same word for the same name.
///
/// Pure.
struct Anonymizer {
    private var words: [(name: String, word: String)] = []

    /// - Parameters:
    ///   - ports: whose names and uids are to be hidden.
    ///   - pseudonyms: those of the other parts of the text.
    init(_ ports: [PortFacts], _ pseudonyms: Pseudonyms) {
        for port in ports {
            let word = pseudonyms.word(for: port.uid, kind: "port")
            for name in [port.uid, port.name] where !words.contains(where: { $0.name == name }) {
                words.append((name, word))
            }
        }
        // A name may be part of another.
        words.sort { $0.name.count > $1.name.count }
    }

    /// Names that say only what kind of port it is are no secret, and stay where nothing else has them.
    func text(_ text: String) -> String {
        words.reduce(text) { text, entry in
            entry.name.isEmpty ? text : text.replacing(entry.name, with: entry.word)
        }
    }
}
