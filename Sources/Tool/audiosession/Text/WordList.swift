/// The words of an option, each with its value.
struct WordList<Value: Sendable>: Sendable {
    /// What the words name, in the singular: "category".
    var noun: String
    var entries: [(key: String, value: Value)]

    init(noun: String, _ values: KeyValuePairs<String, Value>) {
        (self.noun, entries) = (noun, Array(values))
    }

    init(noun: String, _ values: some Sequence<(String, Value)>) {
        (self.noun, entries) = (noun, values.map { (key: $0, value: $1) })
    }

    var words: [String] { entries.map(\.key) }

    /// - Throws: `WordError` if no entry has this word.
    func value(for word: String) throws(WordError) -> Value {
        if let entry = entries.first(where: { $0.key == word }) { return entry.value }
        throw WordError(noun: noun, received: word, allowed: words)
    }

    /// The values of words separated by commas; "" is none.
    ///
    /// - Throws: `WordError` for the first unknown word, including an empty one.
    func values(forList list: String) throws(WordError) -> [Value] {
        guard !list.isEmpty else { return [] }
        var values: [Value] = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            values.append(try value(for: String(word)))
        }
        return values
    }
}

extension WordList where Value: Equatable {
    func word(for value: Value) -> String { entries.first { $0.value == value }?.key ?? "\(value)" }
}

/// An unknown word.
struct WordError: Error, Hashable, CustomStringConvertible {
    var noun: String
    var received: String
    var allowed: [String]
    /// Also allowed, but not listed.
    var alsoKnown: [String] = []

    var description: String {
        let hint = Spelling.nearest(to: received, in: allowed + alsoKnown).map { " Did you mean '\($0)'?" } ?? ""
        return "unknown \(noun) '\(received.printable)'.\(hint) Allowed: \(allowed.joined(separator: ", "))."
    }
}

/// Finds the word that a person probably meant.
enum Spelling {
    /// The nearest of `words`: equal except for case, else the only one that begins with `typed`, else one within a third
    /// of its length in edits; nil if none is near.
    static func nearest(to typed: String, in words: [String]) -> String? {
        let wanted = typed.lowercased()
        guard !wanted.isEmpty else { return nil }
        if let same = words.first(where: { $0.lowercased() == wanted }) { return same }
        let beginning = words.filter { $0.lowercased().hasPrefix(wanted) }
        if beginning.count == 1 { return beginning[0] }
        let scored = words.map { (word: $0, edits: edits(wanted, $0.lowercased())) }
        guard let best = scored.min(by: { $0.edits < $1.edits }), best.edits <= max(1, best.word.count / 3) else {
            return nil
        }
        return best.word
    }

    /// Levenshtein's distance: insertions, deletions and substitutions.
    private static func edits(_ a: String, _ b: String) -> Int {
        let target = Array(b)
        var row = Array(0...target.count)
        for (i, character) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in target.indices {
                let substituted = diagonal + (character == target[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[target.count]
    }
}
