internal import Synchronization

/// Words that stand for the names of devices, programs and files: always the same word for the same name of a kind.
///
/// Any thread.
package final class Pseudonyms: Sendable {
    private struct State {
        var words: [Name: String] = [:]
        var counts: [String: Int] = [:]
    }

    private struct Name: Hashable {
        let kind: String
        let text: String
    }

    /// Those of the trace that the environment asks for, and of what is printed beside it.
    package static let ofProcess = Pseudonyms()

    private let state = Mutex(State())

    package init() {}

    /// - Parameter kind: what the word begins with, "port" for uids of ports.
    package func word(for text: String, kind: String) -> String {
        state.withLock { state in
            let name = Name(kind: kind, text: text)
            if let word = state.words[name] { return word }
            state.counts[kind, default: 0] += 1
            let word = "\(kind)-\(state.counts[kind, default: 0])"
            state.words[name] = word
            return word
        }
    }
}
