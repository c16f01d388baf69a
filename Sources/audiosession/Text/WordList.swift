import AudioModel

/// The words that an option takes, each standing for one value.
struct WordList<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        var word: String
        var value: Value
    }

    /// What the words name, in the singular: "category".
    var noun: String
    var entries: [Entry]

    var words: [String] { entries.map(\.word) }

    /// - Throws: `WordError` when no entry has this word.
    func value(for word: String) throws(WordError) -> Value {
        if let entry = entries.first(where: { $0.word == word }) { return entry.value }
        throw WordError(noun: noun, received: word, allowed: words)
    }

    /// The values of words separated by commas; "" is none.
    ///
    /// - Throws: `WordError` for the first unknown word, an empty one included.
    func values(forList list: String) throws(WordError) -> [Value] {
        guard !list.isEmpty else { return [] }
        var values: [Value] = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            values.append(try value(for: String(word)))
        }
        return values
    }
}

/// A word that names nothing.
struct WordError: Error, Hashable, CustomStringConvertible {
    var noun: String
    var received: String
    var allowed: [String]
    /// Taken too, but not listed.
    var alsoKnown: [String] = []

    var description: String {
        let hint = Spelling.nearest(to: received, in: allowed + alsoKnown).map { " Did you mean '\($0)'?" } ?? ""
        return "there is no \(noun) '\(received.printable)'.\(hint) Allowed: \(allowed.joined(separator: ", "))."
    }
}
