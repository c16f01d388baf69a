import Foundation

/// How often a benchmark repeats what it measures, and who is told about it.
struct Rounds {
    var isQuick: Bool
    var benchmark: String

    /// Runs `body` so often, counting from 1, or a tenth of that in a quick run.
    func run(_ count: Int, of what: String, _ body: (Int) throws -> Void) rethrows {
        let count = isQuick ? max(2, count / 10) : count
        // A terminal sees the count move; a log gets one line.
        let isMoving = isatty(STDERR_FILENO) == 1
        for round in 1...count {
            if isMoving { say("\r\(benchmark): \(what), \(round) of \(count) ") }
            try body(round)
        }
        say(isMoving ? "\n" : "\(benchmark): \(what), \(count) rounds\n")
    }

    private func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
