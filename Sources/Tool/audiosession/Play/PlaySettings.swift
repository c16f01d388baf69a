import ArgumentParser
import GuardRuntime

/// Defaults of `play` in files of the guard's syntax: `play.settings = { volume = 0.8 on-return = stay }`.
///
/// Each is an option, which the parser of the command line judges; one with a fault is left out.
struct PlaySettings: Hashable {
    /// They come before a person's own, which outrank them.
    private(set) var words: [String] = []
    /// "FILE:LINE: what is wrong", printable.
    private(set) var problems: [String] = []

    /// - Parameter folders: of files that need not be there; later ones outrank earlier ones.
    init(_ folders: [String] = ["/etc", UserFile.folder("XDG_CONFIG_HOME", ".config")]) {
        for path in folders.map({ "\($0)/audiosession/play.conf" }) where FilePath(path).status != nil {
            do throws(ConfigurationText.Fault) {
                for field in try ConfigurationText.fields(GuardFiles.bytes(ofFile: path)) {
                    guard field.key == "play.settings", case .table(let settings) = field.value.kind else {
                        note(path, field.line, "'\(field.key)' is not known; write play.settings = { volume = 0.8 }")
                        continue
                    }
                    for setting in settings { add(path, setting.line, setting.key, setting.value.text) }
                }
            } catch {
                note(path, error.line, error.words)
            }
        }
    }

    private mutating func add(_ path: String, _ line: Int, _ key: String, _ text: String?) {
        guard let text else { return note(path, line, "\(key) must be one word; for a flag: true") }
        let word = ["true": "--\(key)", "false": "--no-\(key)"][text] ?? "--\(key)=\(text)"
        do {
            _ = try PlayCommand.parse([word, "-"])
            words.append(word)
        } catch {
            note(path, line, PlayCommand.message(for: error))
        }
    }

    private mutating func note(_ path: String, _ line: Int?, _ words: String) {
        problems.append("\(path)\(line.map { ":\($0)" } ?? ""): \(words)".printable)
    }
}
