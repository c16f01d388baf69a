import ArgumentParser
import Glibc

/// A positional word of `play`'s command line: a file, or the output of the file before it.
///
/// The parser separates options from files and loses their order, which `--to` needs. So `--to X` becomes one positional
/// word before parsing, and keeps its place among the files. The parser's words are Strings, so a name that is not UTF-8
/// is spelled in hexadecimal digits until it is a file here.
enum PlayWord: ExpressibleByArgument, Hashable {
    case file(FilePath)
    case output(String)

    // No word of a command line can contain the character 0.
    private static let outputMark = "\0to "
    private static let bytesMark = "\0bytes "

    init(argument: String) {
        if argument.hasPrefix(Self.outputMark) {
            self = .output(String(argument.dropFirst(Self.outputMark.count)))
        } else {
            self = .file(Self.path(argument))
        }
    }

    /// The program's own words; one that is not UTF-8 is spelled as `path` reads it.
    static var ofThisProcess: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().compactMap {
            word in
            guard let word else { return nil }
            if let text = String(validatingCString: word) { return text }
            let bytes = UnsafeBufferPointer(start: word, count: strlen(word)).map(UInt8.init(bitPattern:))
            return bytesMark + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// The word as it was typed; nil if it is UTF-8.
    static func bytes(_ word: String) -> [UInt8]? {
        guard word.hasPrefix(bytesMark) else { return nil }
        let digits = Array(word.dropFirst(bytesMark.count))
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    static func path(_ word: String) -> FilePath { bytes(word).map(FilePath.init(bytes:)) ?? FilePath(word) }

    /// The words, with each `--to X` and `--to=X` as one word, and `--loop` without a number with a word of its own.
    ///
    /// A `--to` without a name stays unchanged, so that the parser reports it.
    static func folding(_ words: [String]) -> [String] {
        var folded: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return folded + [word] + rest }
            if word.hasPrefix("--to=") {
                folded.append("\(outputMark)\(word.dropFirst(5))")
            } else if word == "--loop" {
                // `--loop 3 song`; a file of this name is a file.
                let count = rest.first.flatMap { Int($0) != nil && path($0).status == nil ? rest.popFirst() : nil }
                folded.append("--loop=\(count ?? Rounds.endless)")
            } else if word == "--to", let name = rest.first, !name.hasPrefix("-") {
                folded.append("\(outputMark)\(name)")
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
    static func pairs(_ words: [PlayWord]) throws -> [(file: FilePath, output: String?)] {
        var pairs: [(file: FilePath, output: String?)] = []
        for word in words {
            switch word {
            case .file(let path): pairs.append((path, nil))
            case .output(let name):
                guard let last = pairs.last else {
                    throw ValidationError("--to '\(name)' comes before any file. Put it after its file.")
                }
                if let output = last.output {
                    throw ValidationError(
                        "'\(last.file.name)' has two outputs, '\(output)' and '\(name)'. Give each file one --to.")
                }
                pairs[pairs.count - 1].output = name
            }
        }
        guard pairs.contains(where: { $0.output != nil }), let lone = pairs.first(where: { $0.output == nil }) else {
            return pairs
        }
        throw ValidationError(
            "'\(lone.file.name)' has no --to, but other files do. Give each file a --to, or none of them.")
    }
}
