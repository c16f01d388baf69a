import AudioModel
import Foundation
import HostInterface

/// Everything a host delivered, in order; a test waits for an event instead of for time to pass.
///
/// `@unchecked Sendable`: `events` is read and written under `condition` only.
final class EventLog: @unchecked Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var what: String
        var events: [HostEvent]
        var description: String { "waited 20 s for \(what); so far: \(events)" }
    }

    private let condition = NSCondition()
    private var events: [HostEvent] = []
    private var instants: [ContinuousClock.Instant] = []

    func append(_ event: HostEvent) {
        condition.withLock {
            events.append(event)
            instants.append(.now)
            condition.broadcast()
        }
    }

    var all: [HostEvent] { condition.withLock { events } }
    var count: Int { condition.withLock { events.count } }

    /// When the newest event of this kind came.
    func instant(ofLast event: HostEvent) -> ContinuousClock.Instant? {
        condition.withLock { events.lastIndex(of: event).map { instants[$0] } }
    }

    /// Returns once `isThere` holds of the events from number `start` on.
    ///
    /// 20 s: far above what a loaded machine needs; only a broken host or test meets it.
    @discardableResult
    func wait(
        for what: String, from start: Int = 0, _ isThere: ([HostEvent]) -> Bool
    ) throws -> [HostEvent] {
        let deadline = Date(timeIntervalSinceNow: 20)
        condition.lock()
        defer { condition.unlock() }
        while !isThere(Array(events.dropFirst(start))) {
            guard condition.wait(until: deadline) else { throw TimedOut(what: what, events: events) }
        }
        return Array(events.dropFirst(start))
    }
}

extension [HostEvent] {
    /// The newest inventory's outputs' uids.
    var outputs: [String]? { inventory?.outputs.map(\.uid) }

    var inventory: Inventory? {
        for event in reversed() {
            if case .inventoryChanged(let inventory) = event { return inventory }
        }
        return nil
    }

    /// What was told about servers that went and came, in order.
    var lives: [Life] {
        compactMap { event in
            switch event {
            case .connectionLost: .lost
            case .connectionRestored: .restored
            default: nil
            }
        }
    }

    enum Life { case lost, restored }

    /// The uids of the ports that streams were taken off.
    var lostPorts: [String] {
        compactMap { if case .streamSilenced(_, let uid, _) = $0 { uid } else { nil } }
    }
}
