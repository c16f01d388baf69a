package import AudioModel
internal import Dispatch
internal import Synchronization

/// Reads a session manager's ranking on another thread: its files may be on a slow disk, and the loop thread waits for none.
///
/// One reading at a time; requests during a reading are one more reading, of the newest process.
package final class WirePlumberRankingReader: Sendable {
    /// What was read of one process; 0: no session manager is known.
    package struct Ranking: Hashable, Sendable {
        package let process: UInt32
        package let rules: SinkRanking.Rules
        package let stored: [String]

        static func read(ofProcess id: UInt32) -> Ranking {
            let rules = WirePlumberRanking.rules(ofProcess: id)
            return Ranking(
                process: id, rules: rules, stored: WirePlumberRanking.storedSinks(rules, ofProcess: id))
        }
    }

    private enum State {
        /// Exit: a request -> `reading`.
        case idle
        /// Exits: the reading is reported -> `reading` with the next process, or `idle`.
        case reading(next: UInt32?)
    }

    private let state = Mutex(State.idle)
    private let report: @Sendable (Ranking) -> Void

    /// - Parameter report: called on one of Dispatch's threads, for one reading after the other.
    package init(_ report: @escaping @Sendable (Ranking) -> Void) { self.report = report }

    /// Requests a reading.
    ///
    /// Any thread; does not wait.
    package func read(ofProcess id: UInt32) {
        let begins = state.withLock { state in
            switch state {
            case .idle:
                state = .reading(next: nil)
                return true
            case .reading:
                state = .reading(next: id)
                return false
            }
        }
        if begins { DispatchQueue.global(qos: .userInitiated).async { self.run(id) } }
    }

    private func run(_ first: UInt32) {
        var next: UInt32? = first
        while let process = next {
            report(.read(ofProcess: process))
            next = state.withLock { state in
                guard case .reading(let process?) = state else {
                    state = .idle
                    return nil
                }
                state = .reading(next: nil)
                return process
            }
        }
    }
}
