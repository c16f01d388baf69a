internal import AudioModel

/// Follows a session manager that starts while streams run, and finds the streams that no longer run because of the start.
///
/// Pure. A starting session manager suspends the existing nodes. The server runs them again, after more than 100 ms on a busy
/// machine. PipeWire 0.3.65 may leave a node or a link unchanged, without an event: only a new node helps.
struct PipeWireManagerStart: Sendable {
    struct Progress: Hashable, Sendable {
        /// How often the server has called the stream.
        var cycles: UInt32
        /// Whether all of its links pass sound on.
        var isLinked: Bool
    }

    private enum Phase: Hashable {
        /// Exit: a session manager is noted -> `settled`; none -> `absent`.
        case unknown
        /// Exit: a session manager appears -> `starting`.
        case absent
        /// Exits: the time is over -> `settled`; the session manager leaves -> `absent`.
        case starting(until: HostTime, nextLook: HostTime)
        /// Exit: the session manager leaves -> `absent`.
        case settled
    }

    /// Longer than the longest cycle, 8192 frames at 48 kHz.
    private static let lookMilliseconds: UInt64 = 300
    /// The session manager sets up one node after the other; a busy machine needs seconds for that.
    private static let startMilliseconds: UInt64 = 10_000

    private var phase = Phase.unknown
    private var lastSeen: [StreamID: Progress] = [:]

    /// Whether a pause now is caused by the start, and not by a policy.
    var isUnderWay: Bool { if case .starting = phase { true } else { false } }

    /// When to call `look`; nil: never.
    var nextLook: HostTime? { if case .starting(_, let look) = phase { look } else { nil } }

    /// - Returns: whether a session manager has begun to start, or has left.
    @discardableResult
    mutating func noted(isThere: Bool, at now: HostTime) -> Bool {
        switch (phase, isThere) {
        case (.absent, true):
            phase = .starting(until: now.advanced(byMilliseconds: Self.startMilliseconds), nextLook: now)
            lastSeen = [:]
            return true
        case (.starting, false), (.settled, false):
            phase = .absent
            return true
        case (.unknown, _):
            phase = isThere ? .settled : .absent
            return false
        case (.absent, false), (.starting, true), (.settled, true): return false
        }
    }

    /// - Parameter progress: the progress of the streams that run and are linked.
    /// - Returns: the streams that made no progress since the last look.
    mutating func look(_ progress: [StreamID: Progress], at now: HostTime) -> [StreamID] {
        guard case .starting(let end, _) = phase else { return [] }
        let standing = progress.filter { id, progress in
            guard let last = lastSeen[id] else { return false }
            return last.cycles == progress.cycles || !last.isLinked && !progress.isLinked
        }
        lastSeen = progress
        let nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
        phase = now < end ? .starting(until: end, nextLook: nextLook) : .settled
        return standing.keys.sorted { $0.number < $1.number }
    }
}
