import AudioModel
import HostInterface
import SessionCore
import Synchronization

@testable import SessionRuntime

/// Everything one session and its player did, in order; a test waits for an entry instead of for time to pass.
final class Journal: SessionRecorder {
    private struct Waiter {
        var condition: @Sendable ([Entry]) -> Bool
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var entries: [Entry] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let poster = Mutex<NoticeQueue?>(nil)
    private let phase = Mutex(Phase.inactive)

    struct TimedOut: Error, CustomStringConvertible {
        var what: String
        var history: [Entry]
        var description: String { "waited 20 s for \(what); so far: \(history)" }
    }

    /// From now on the session's events take their place among what its poster delivers, so that their order is the one
    /// that observers see.
    func follow(_ runtime: SessionRuntime) { poster.withLock { $0 = runtime.notices } }

    func begin(on host: String, _ state: SessionState) {}

    func end() {}

    /// The entries of one event are in the order of its effects.
    ///
    /// An event without entries is noted as well: whoever waits looks at the session's state again.
    func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        var entries: [Entry] = []
        if case .host(.inventoryChanged(let inventory, losses: _)) = event.fact {
            entries.append(.inventory(inventory.ports.map(\.kind)))
        }
        let phase = Phase(state)
        if self.phase.withLock({ $0.replace(with: phase) }) { entries.append(.phase(phase)) }
        entries += effects.compactMap(Entry.init)
        if let poster = poster.withLock({ $0 }) {
            poster.enqueue { [entries] in self.append(entries) }
        } else {
            append(entries)
        }
    }

    func append(_ entry: Entry) { append([entry]) }

    private func append(_ entries: [Entry]) {
        let ready = state.withLock { state in
            state.entries += entries
            let ready = state.waiters.filter { $0.value.condition(state.entries) }
            for key in ready.keys { state.waiters[key] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Forgets what happened while a test was set up, but for the newest inventory.
    func clear() {
        state.withLock { state in
            state.entries = state.entries.last { if case .inventory = $0 { true } else { false } }.map { [$0] } ?? []
        }
    }

    var entries: [Entry] { state.withLock { $0.entries } }
    /// What a user of the session and the player sees: no inventories and no phases.
    var events: [Entry] { entries.filter(\.isEvent) }
    /// Where the session stood, one change after the other.
    var phases: [Phase] { entries.compactMap { if case .phase(let phase) = $0 { phase } else { nil } } }
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns once `condition` holds for the whole history; fails after 20 s of wall clock.
    func wait(for what: String, _ condition: @escaping @Sendable ([Entry]) -> Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.suspend(until: condition) }
            group.addTask {
                try await Task.sleep(for: .seconds(20))
                throw TimedOut(what: what, history: self.entries)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Returns once `entry` stands in the history at or after `start`.
    func wait(for entry: Entry, from start: Int = 0) async throws {
        try await wait(for: "\(entry)") { $0.dropFirst(start).contains(entry) }
    }

    private func suspend(until condition: @escaping @Sendable ([Entry]) -> Bool) async throws {
        let key = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isReady = state.withLock { state in
                    if condition(state.entries) || Task.isCancelled { return true }
                    state.waiters[key] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(throwing: CancellationError())
        }
    }
}

extension Journal.Phase {
    /// False where it was that already.
    fileprivate mutating func replace(with phase: Self) -> Bool {
        defer { self = phase }
        return self != phase
    }
}
