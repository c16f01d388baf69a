import ArgumentParser
import AudioModel

/// `--category`, `--mode` and `--options`, which several verbs take.
struct SessionOption: ParsableArguments {
    @Option(
        name: .customLong("category"),
        help: ArgumentHelp(
            "The session's category: \(SessionWords.categories.words.joined(separator: ", ")). (default: playback)",
            valueName: "category"),
        completion: .list(SessionWords.categories.words), transform: { try oneWord($0, of: SessionWords.categories) })
    var givenCategory: SessionCategory?

    @Option(
        help: ArgumentHelp(
            "The session's mode: \(SessionWords.modes.words.joined(separator: ", ")). (default: default)",
            valueName: "mode"),
        completion: .list(SessionWords.modes.words), transform: { try oneWord($0, of: SessionWords.modes) })
    var mode: SessionMode = .default

    @Option(
        help: ArgumentHelp(
            "The category's options: \(SessionWords.options.words.joined(separator: ", ")).", valueName: "option,..."),
        completion: .list(SessionWords.options.words), transform: { try wordList($0, of: SessionWords.options) })
    var options: SessionOptions = []

    var category: SessionCategory { givenCategory ?? .playback }

    var configuration: SessionConfiguration {
        SessionConfiguration(category: category, mode: mode, options: options)
    }
}

private func oneWord<Value>(_ word: String, of list: WordList<Value>) throws -> Value {
    do {
        return try list.value(for: word)
    } catch {
        throw ValidationError("\(error)")
    }
}

private func wordList<Options: OptionSet & Sendable>(
    _ words: String, of list: WordList<Options>
) throws -> Options where Options.Element == Options {
    do {
        return try list.values(forList: words).reduce(into: Options()) { $0.formUnion($1) }
    } catch {
        throw ValidationError("\(error)")
    }
}
