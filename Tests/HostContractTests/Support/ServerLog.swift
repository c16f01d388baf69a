import Foundation
import OpenAVFAudio

/// What a session posts about the sound server, and what its players tell, each in order; any thread.
final class ServerLog: @unchecked Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var description: String
    }

    // @unchecked: `entries` is touched only while `condition` is locked; `tokens` only by `init` and `deinit`.
    private let condition = NSCondition()
    private var entries: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(of session: AVAudioSession) {
        let names = [
            (AVAudioSession.mediaServicesWereLostNotification, "lost"),
            (AVAudioSession.mediaServicesWereResetNotification, "reset"),
            (AVAudioSession.interruptionNotification, "interruption"),
        ]
        for (name, word) in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [weak self] _ in
                    self?.append(word)
                })
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    func append(_ entry: String) {
        condition.withLock {
            entries.append(entry)
            condition.broadcast()
        }
    }

    var all: [String] { condition.withLock { entries } }
    var count: Int { condition.withLock { entries.count } }

    /// Waits until what came after `start` satisfies the condition; blocks the calling thread.
    @discardableResult
    func wait(for what: String, from start: Int, _ isThere: ([String]) -> Bool) throws -> [String] {
        let deadline = Date(timeIntervalSinceNow: 20)
        return try condition.withLock {
            while !isThere(Array(entries.dropFirst(start))) {
                guard condition.wait(until: deadline) else {
                    throw TimedOut(description: "waited 20 s for \(what); so far: \(entries.dropFirst(start))")
                }
            }
            return Array(entries.dropFirst(start))
        }
    }
}
