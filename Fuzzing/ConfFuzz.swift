import AudioModel
import GuardCore
import GuardRuntime

/// The guard's configuration, of any bytes: every fault has a line and can be shown, and rules are bounded.
enum ConfFuzz {
    /// What the C library's regular expressions cost is not asked here: "(((a{99}){99}){99})" is its user's own fault.
    private static let patterns = PatternLanguage(
        fault: { $0.contains("(") ? "Unmatched (" : nil }, matches: { $1.contains($0) })

    static func run(_ bytes: [UInt8]) {
        var configuration = GuardConfiguration()
        do throws(ConfigurationText.Fault) {
            let fields = try ConfigurationText.fields(bytes)
            // Twice, as two files.
            for name in ["a.conf", "b.conf"] { configuration.add(name, fields, patterns) }
        } catch {
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 2
            require((1...lines).contains(error.line), "line \(error.line) of \(lines)")
            require(!error.words.isEmpty && error.words == error.words.printable, "a fault that cannot be shown")
        }
        require(configuration.problems.count <= GuardConfiguration.mostProblems, "faults without a bound")
        for problem in configuration.problems { require(problem == problem.printable, "a fault that cannot be shown") }
        let options = configuration.options
        require(
            options.programRules.count <= GuardConfiguration.mostRules
                && options.outputRules.count <= GuardConfiguration.mostRules, "rules without a bound")
        for line in configuration.lines { require(!line.text.isEmpty, "a setting without a value") }
        for name in ["mpv", "", "a"] {
            let program = Program(identity: .process(1), name: name, binary: name.isEmpty ? nil : name)
            _ = options.policy(of: program, role: "Music", patterns)
            let output = GuardOutput(sink: name, uid: name, name: name, kind: .headphones, priority: 1, bus: "usb")
            if case .resume(let seconds) = options.policy(of: output, patterns).onReturn {
                require(seconds >= 0, "a return before the loss")
            }
        }
    }
}
