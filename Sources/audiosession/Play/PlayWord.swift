import ArgumentParser

/// A positional word of `play`'s command line: a file, or the output of the file before it.
///
/// The parser separates options from files and loses their order, which `--to` needs. So `--to X` becomes one positional
/// word before parsing, and keeps its place among the files.
enum PlayWord: ExpressibleByArgument, Hashable {
    case file(String)
    case output(String)

    /// No word of a command line can contain this character.
    private static let mark: Character = "\0"

    init(argument: String) {
        self = argument.first == Self.mark ? .output(String(argument.dropFirst())) : .file(argument)
    }

    /// The words, with each `--to X` and `--to=X` as one word.
    ///
    /// A `--to` without a name stays unchanged, so that the parser reports it.
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

    /// Each file with its output; all outputs are nil if none is given.
    ///
    /// - Throws: `ValidationError` if only some files have an output, or an output has no file.
    static func pairs(_ words: [PlayWord]) throws -> [(file: String, output: String?)] {
        var pairs: [(file: String, output: String?)] = []
        for word in words {
            switch word {
            case .file(let path): pairs.append((path, nil))
            case .output(let name):
                guard let last = pairs.last else {
                    throw ValidationError("--to '\(name)' comes before any file. Put it after its file.")
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
            "'\(lone.file)' has no --to, but other files do. Give each file a --to, or none of them.")
    }
}
