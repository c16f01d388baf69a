import ArgumentParser

/// A word of `play`'s command line that stands for itself: a file, or the output that the file before it is for.
///
/// The parser tells options apart from files and loses the order of the two, which `--to` lives on. So `--to X` becomes
/// one word before parsing, and stays at its place among the files.
enum PlayWord: ExpressibleByArgument, Hashable {
    case file(String)
    case output(String)

    /// No word of a command line has this character in it.
    private static let mark: Character = "\0"

    init(argument: String) {
        self = argument.first == Self.mark ? .output(String(argument.dropFirst())) : .file(argument)
    }

    /// The words with each `--to X` and `--to=X` in one.
    ///
    /// A `--to` without a name stays as it is, for the parser to find fault with.
    static func folding(_ words: [String]) -> [String] {
        var folded: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return folded + [word] + rest }
            if word.hasPrefix("--to=") {
                folded.append("\(mark)\(word.dropFirst(5))")
            } else if word == "--to", let name = rest.first, !name.hasPrefix("-") {
                folded.append("\(mark)\(name)")
                rest.removeFirst()
            } else {
                folded.append(word)
            }
        }
        return folded
    }

    /// Each file with its output, where files and outputs alternate; nil outputs where no output is named.
    ///
    /// - Throws: `ValidationError` for a file without an output among others that have one, and the other way round.
    static func pairs(_ words: [PlayWord]) throws -> [(file: String, output: String?)] {
        var pairs: [(file: String, output: String?)] = []
        for word in words {
            switch word {
            case .file(let path): pairs.append((path, nil))
            case .output(let name):
                guard let last = pairs.last else {
                    throw ValidationError("--to '\(name)' comes before any file. Put it after the one that it is for.")
                }
                if let output = last.output {
                    throw ValidationError(
                        "'\(last.file)' has two outputs, '\(output)' and '\(name)'. Give each file one --to.")
                }
                pairs[pairs.count - 1].output = name
            }
        }
        guard pairs.contains(where: { $0.output != nil }), let lone = pairs.first(where: { $0.output == nil }) else {
            return pairs
        }
        throw ValidationError(
            "'\(lone.file)' has no --to, and other files have. "
                + "Put --to and an output after each file, or after none of them.")
    }
}
