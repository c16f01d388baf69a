import AudioModel
import SessionCore
import Synchronization

@testable import OpenAVFAudio

/// Everything one session and its player did, in order; a test waits for an entry instead of for time to pass.
final class Journal: Sendable {
    enum Entry: Equatable, Sendable, CustomStringConvertible {
        case routeChange(RouteChangeReason, previous: [PortKind], current: [PortKind])
        case player(FilePlayer.State, FilePlayer.Cause)
        case availableInputs
        case inventory([PortKind])

        var description: String {
            switch self {
            case .routeChange(let reason, let previous, let current): "\(reason) \(previous) -> \(current)"
            case .player(let state, let cause): "player \(state) (\(cause))"
            case .availableInputs: "availableInputs"
            case .inventory(let kinds): "inventory \(kinds)"
            }
        }
    }

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
    private let poster = Mutex<NotificationPoster?>(nil)

    struct TimedOut: Error, CustomStringConvertible {
        var what: String
        var history: [Entry]
        var description: String { "waited 10 s for \(what); so far: \(history)" }
    }

    /// From now on the session's events take their place among what its poster delivers, so that their order is the one
    /// that observers see.
    func follow(_ process: AudioProcess) { poster.withLock { $0 = process.poster } }

    /// The recorder for an `AudioProcess`.
    func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        var entries: [Entry] = []
        if case .inventoryChanged(let inventory) = event.fact {
            entries.append(.inventory(inventory.ports.map(\.kind)))
        }
        for effect in effects {
            switch effect {
            case .postRouteChange(let change):
                entries.append(
                    .routeChange(
                        change.reason, previous: change.previous.outputs.map(\.kind),
                        current: change.current.outputs.map(\.kind)))
            case .postAvailableInputsChange: entries.append(.availableInputs)
            default: break
            }
        }
        guard !entries.isEmpty else { return }
        if let poster = poster.withLock({ $0 }) {
            poster.enqueue { [entries] in for entry in entries { self.append(entry) } }
        } else {
            for entry in entries { append(entry) }
        }
    }

    func append(_ entry: Entry) {
        let ready = state.withLock { state in
            state.entries.append(entry)
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
    /// What a user of the session and the player sees: no inventories.
    var events: [Entry] { entries.filter { if case .inventory = $0 { false } else { true } } }
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns once `condition` holds for the whole history; fails after 10 s of wall clock.
    func wait(for what: String, _ condition: @escaping @Sendable ([Entry]) -> Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.suspend(until: condition) }
            group.addTask {
                try await Task.sleep(for: .seconds(10))
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
