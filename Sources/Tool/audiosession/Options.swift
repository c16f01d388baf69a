public import ArgumentParser
import GuardRuntime
public import OpenAudioSession

/// `--host`.
struct HostOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The audio host: pipewire, simulated or auto. (default: pipewire)",
            discussion:
                "auto uses PipeWire if a server is running, else a simulated speaker, which has no audio output and no microphone.",
            valueName: "host"))
    var host: AudioSessionHost?
}

extension AudioSessionHost: ExpressibleByArgument {
    public static var allValueStrings: [String] { ["pipewire", "simulated", "auto"] }
}

/// `--on-return` and `--return-within`, of the guard and of a player.
struct ReturnOption: ParsableArguments {
    enum OnReturn: String, CaseIterable, ExpressibleByArgument { case resume, stay }

    @Option(help: "When the device comes back: resume what it played, or stay silent. (default: resume)")
    var onReturn: OnReturn?

    @Option(
        help: ArgumentHelp(
            "How long after the device has left it resumes by itself, up to a day, or always. (default: 600)",
            valueName: "seconds"),
        transform: { text in
            do throws(GuardController.Configuration.Fault) { _ = try rule(within: text) } catch {
                throw ValidationError("it \(error.words), for example: --return-within 600")
            }
            return text
        })
    var returnWithin: String?

    /// For a player.
    var rule: ReturnRule.Limit { onReturn == .stay ? .stay : (try? Self.rule(within: returnWithin ?? "600")) ?? .stay }

    private static func rule(within text: String) throws(GuardController.Configuration.Fault) -> ReturnRule.Limit {
        var configuration = GuardController.Configuration()
        try configuration.set(.returnWithin, to: text, origin: GuardSettings.commandLine)
        return configuration.options.onReturn
    }
}

/// `--events`.
enum EventStyle: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}

/// The transform of an option whose value is a number.
///
/// - Parameter rule: what the value must be, with an example.
func number(_ word: String, in range: ClosedRange<Double>, rule: String) throws -> Double {
    guard let number = Double(word), range.contains(number) else {
        throw ValidationError("it must be a number \(rule)")
    }
    return number
}

/// As `number`, of what is counted.
func wholeNumber(_ word: String, in range: ClosedRange<Double>, rule: String) throws -> Int {
    guard let whole = Int(exactly: try number(word, in: range, rule: rule)) else {
        throw ValidationError("it must be a whole number \(rule)")
    }
    return whole
}

/// `--category`, `--mode` and `--options`.
struct SessionOption: ParsableArguments {
    @Option(
        name: .customLong("category"),
        help: ArgumentHelp(
            "The session's category: \(SessionWords.categories.words.joined(separator: ", ")). (default: playback)",
            valueName: "category"),
        completion: .list(SessionWords.categories.words), transform: { try SessionWords.categories.value(for: $0) })
    var givenCategory: AVAudioSession.Category?

    @Option(
        help: ArgumentHelp(
            "The session's mode: \(SessionWords.modes.words.joined(separator: ", ")). (default: default)",
            valueName: "mode"),
        completion: .list(SessionWords.modes.words), transform: { try SessionWords.modes.value(for: $0) })
    var mode: AVAudioSession.Mode = .default

    @Option(
        help: ArgumentHelp(
            "The category's options: \(SessionWords.options.words.joined(separator: ", ")).", valueName: "option,..."),
        completion: .list(SessionWords.options.words),
        transform: { .init(try SessionWords.options.values(forList: $0)) })
    var options: AVAudioSession.CategoryOptions = []

    var settings: SessionSettings {
        SessionSettings(category: givenCategory ?? .playback, mode: mode, options: options)
    }
}
