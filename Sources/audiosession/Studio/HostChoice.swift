import ArgumentParser
import AudioModel

/// Which host to play on.
enum HostChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    case pipewire
    case simulated
    /// PipeWire where a server answers, else simulated.
    case auto

    /// What the option asks for, else `AUDIOSESSION_HOST`, else `auto`.
    ///
    /// The library goes on with `auto` where it does not know the word; a program can stop and say so.
    ///
    /// - Throws: `StudioError` for a word that names no host.
    static func asked(
        by option: HostChoice?, environment: [String: String]
    ) throws(StudioError) -> HostChoice {
        if let option { return option }
        guard let word = environment["AUDIOSESSION_HOST"], !word.isEmpty else { return .auto }
        if let choice = HostChoice(rawValue: word) { return choice }
        throw StudioError(
            code: "noSuchHost",
            message: "AUDIOSESSION_HOST is '\(word.printable)'; set it to pipewire, simulated or auto, or use --host.")
    }
}
