internal import AudioModel

/// Follows a session manager that starts while streams run, and names the streams that it has left standing.
///
/// Pure. A session manager that starts suspends the nodes that it finds. The server runs them again, after more than 100 ms on
/// a busy machine. PipeWire 0.3.65 may leave a node or a link as it is, without an event: only another node helps.
struct PipeWireManagerStart: Sendable {
    struct Progress: Hashable, Sendable {
        /// How often the server has called the stream.
        var cycles: UInt32
        /// All of its links pass sound on.
        var isLinked: Bool
    }

    private enum Phase: Hashable {
        /// Exit: one is noted -> `settled`; none is -> `absent`.
        case unknown
        /// Exit: one comes -> `starting`.
        case absent
        /// Exits: the time is over -> `settled`; it goes -> `absent`.
        case starting(until: HostTime, nextLook: HostTime)
        /// Exit: it goes -> `absent`.
        case settled
    }

    /// Well above the longest cycle, 8192 frames at 48 kHz.
    private static let lookMilliseconds: UInt64 = 300
    /// It sets up one node after the other; a busy machine takes seconds for it.
    private static let startMilliseconds: UInt64 = 10_000

    private var phase = Phase.unknown
    private var lastSeen: [StreamID: Progress] = [:]

    /// A stream that is paused now is paused by the start, and by no policy.
    var isUnderWay: Bool { if case .starting = phase { true } else { false } }

    /// When to call `look`; nil: not at all.
    var nextLook: HostTime? { if case .starting(_, let look) = phase { look } else { nil } }

    /// - Returns: whether one has begun to start, or has gone.
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

    /// - Parameter progress: of the streams that run and are linked.
    /// - Returns: those that stand since the last look.
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
