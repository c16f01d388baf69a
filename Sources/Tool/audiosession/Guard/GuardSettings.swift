import Foundation
import GuardRuntime
import Synchronization

/// What is in force: what the files say, and over it the command line.
///
/// Threads: `current` on any; `read` on one.
final class GuardSettings: Sendable {
    static let commandLine = "the command line"

    private let standard: GuardController.Options
    private let overrides: [(GuardController.Configuration.Setting, String)]
    private let excluded: [String]
    private let configuration: Mutex<GuardController.Configuration>

    /// - Parameters:
    ///   - standard: what is in force where nothing is said.
    ///   - overrides: valid values, which outrank the files.
    ///   - excluded: names or binaries of programs, which no file can include again.
    init(
        _ standard: GuardController.Options = GuardController.Options(),
        overrides: [(GuardController.Configuration.Setting, String)] = [], excluded: [String] = []
    ) {
        self.standard = standard
        self.overrides = overrides
        self.excluded = excluded
        configuration = Mutex(GuardController.Configuration(options: standard))
    }

    var current: GuardController.Configuration { configuration.withLock { $0 } }

    /// - Returns: whether it says anything else than before.
    @discardableResult
    func read(_ files: GuardFiles) -> Bool {
        var new = GuardController.Configuration(options: standard)
        files.add(to: &new)
        // They were checked when they were parsed.
        for (setting, text) in overrides { try? new.set(setting, to: text, origin: Self.commandLine) }
        new.exclude(excluded)
        return configuration.withLock { [new] configuration in
            defer { configuration = new }
            return configuration != new
        }
    }

    /// The system's, then the user's.
    static var directories: [String] { ["/etc/audiosession/guard.conf.d", userDirectory] }

    static var userDirectory: String {
        UserFile.folder("XDG_CONFIG_HOME", ".config") + "/audiosession/guard.conf.d"
    }
}

/// One file for each program that `guard exclude` leaves alone.
enum ExcludeFile {
    /// - Parameter program: printable.
    static func path(_ program: String) -> String {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        let name = program.addingPercentEncoding(withAllowedCharacters: allowed) ?? "program"
        return "\(GuardSettings.userDirectory)/exclude-\(name).conf"
    }

    static func text(_ program: String) -> String {
        let quoted = JSONValue.string(program).text
        return """
            # Written by 'audiosession guard exclude'; 'audiosession guard exclude --undo' removes it.
            guard.programs.rules = [
                {
                    matches = [ { application.name = \(quoted) } { application.process.binary = \(quoted) } ]
                    actions = { update-props = { guard.action = leave-alone } }
                }
            ]

            """
    }

    /// - Throws: `BackendError`.
    static func write(_ program: String) throws(BackendError) -> String {
        let (path, text) = (path(program), text(program))
        if UserFile.text(path) == text {
            return "\(program) is left alone already: \(path.printable)"
        }
        try UserFile.write(text, to: path)
        return "Wrote \(path.printable): the guard leaves \(program) alone."
    }

    /// - Throws: `BackendError`.
    static func remove(_ program: String) throws(BackendError) -> String {
        let path = path(program)
        guard FileManager.default.fileExists(atPath: path) else {
            return "There is no \(path.printable). See 'audiosession guard config' for what leaves a program alone."
        }
        try UserFile.remove(path)
        return "Removed \(path.printable)."
    }
}
