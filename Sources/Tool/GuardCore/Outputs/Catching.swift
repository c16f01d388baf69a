internal import AudioModel

/// Whether the sound of the default output is caught when that output leaves.
package enum Watch: Hashable, Sendable {
    /// The default output is not guarded (it is not private, or its rules let its sound continue), or no session manager runs.
    case notNeeded
    case watched
    /// The catching sink does not exist yet, or the catching sink of an earlier loss is about to end.
    case pending
    /// No free priority lies between the default output and the next one.
    case noRoom
    /// The session manager ranks outputs differently than the guard expects.
    case misranked
}

/// The catching sink's life.
///
/// Pure. When an output leaves, the session manager moves its streams to this sink.
struct Catching: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Exits: a guarded output is the default -> `present`; the session manager leaves while streams are held -> `bridging`.
        case none
        /// The guard asked for the sink; `isSeen` is true once the server has announced it. Exits: the default changes or leaves
        /// -> `none` or another priority; the sink becomes the default -> `suspect`; its output leaves -> `ending`.
        case present(priority: Int, since: HostTime, isSeen: Bool)
        /// The sink is the default although no output left. Exits: the default changes -> `present`; after `rankingSeconds`
        /// -> `mistaken`; its output leaves -> `ending`.
        case suspect(priority: Int, since: HostTime)
        /// The sink's output left, and the caught streams move to the holding sink. Exit: all streams have arrived, or
        /// `arrivalSeconds` have passed -> `none`.
        ///
        /// WirePlumber 0.4 loses track of a stream if the stream's sink is removed while WirePlumber links to it.
        case ending(since: HostTime)
        /// The session manager ranks sinks differently than the guard expects, or it was slow. Exits: the outputs change, or the
        /// next try is due -> `none`.
        case mistaken(since: HostTime)
        /// No session manager runs, and streams are held: the next session manager must not play them. Exit: the next session
        /// manager has the held streams' targets -> `none`.
        case bridging
    }

    /// Where the sink should rank.
    enum Target: Hashable, Sendable {
        case notNeeded
        case noRoom
        case priority(Int)
    }

    /// The facts about the machine that the rules read, in a consistent state.
    struct Scene {
        var target: Target
        /// The session manager has made the catching sink the default.
        var isDefault: Bool
        /// The server has the catching sink.
        var isThere: Bool
        var now: HostTime
    }

    /// The session manager sets the default a few milliseconds after the sinks change.
    static let rankingSeconds = 0.2
    /// How long the catching sink waits for streams to arrive at the holding sink.
    static let arrivalSeconds = 0.5
    /// How long the server may take to create the sink; each further try waits twice as long.
    static let makingSeconds = 2.0
    /// The waits between tries: a busy session manager may have ranked the sink before the output was ready.
    static let retrySeconds = [2.0, 8.0, 32.0]
    /// Higher than every priority and bonus in WirePlumber.
    static let topPriority = 1_000_000

    private(set) var phase = Phase.none
    /// How often the server did not create the sink, or lost it, since the outputs last changed.
    private var failures = 0
    /// How often the sink was the default although no output left, since the outputs last changed.
    private(set) var mistakes = 0

    var isMistaken: Bool { if case .mistaken = phase { true } else { false } }

    private var priority: Int? {
        switch phase {
        case .present(let priority, _, _), .suspect(let priority, _): priority
        case .none, .ending, .mistaken, .bridging: nil
        }
    }

    func watch(_ scene: Scene) -> Watch {
        switch phase {
        case .mistaken: return scene.target == .notNeeded ? .notNeeded : .misranked
        case .suspect, .ending, .bridging: return .pending
        case .none, .present: break
        }
        return switch scene.target {
        case .notNeeded: .notNeeded
        case .noRoom: .noRoom
        case .priority(let target): scene.isThere && target == priority ? .watched : .pending
        }
    }

    /// - Returns: the command that creates, changes or ends the sink.
    mutating func settle(_ scene: Scene) -> GuardCommand? {
        switch phase {
        case .ending, .mistaken, .bridging: return nil
        case .suspect where scene.isDefault: return nil
        case .present(let priority, _, _) where scene.isDefault:
            phase = .suspect(priority: priority, since: scene.now)
            return nil
        case .none, .present, .suspect: break
        }
        guard case .priority(let target) = scene.target else { return withdraw() }
        switch phase {
        case .present(target, let since, false)
        where !scene.isThere && scene.now < since.advanced(bySeconds: makingSeconds):
            return nil
        case .present(target, let since, _) where scene.isThere:
            phase = .present(priority: target, since: since, isSeen: true)
            return nil
        case .suspect(target, _) where scene.isThere:
            phase = .present(priority: target, since: scene.now, isSeen: true)
            return nil
        case .present(target, _, true) where failures > 0:
            // Another program removes the sink again and again.
            phase = .present(priority: target, since: scene.now, isSeen: false)
            return nil
        case .present(target, _, _), .suspect(target, _): failures += 1
        case .none, .present, .suspect, .ending, .mistaken, .bridging: break
        }
        phase = .present(priority: target, since: scene.now, isSeen: false)
        return .setCatch(priority: target)
    }

    /// The sink's output left: its streams are at the catching sink, or on their way.
    mutating func noteLoss(at now: HostTime) {
        switch phase {
        case .present, .suspect, .ending: phase = .ending(since: now)
        case .none, .mistaken, .bridging: break
        }
    }

    /// The set of outputs or their ranking changed.
    mutating func noteNewOutputs() {
        (failures, mistakes) = (0, 0)
        if isMistaken { phase = .none }
    }

    mutating func noteManagerCame() -> GuardCommand? {
        guard phase == .bridging else { return nil }
        phase = .none
        return .setCatch(priority: nil)
    }

    mutating func noteManagerLeft(isHolding: Bool) -> GuardCommand? {
        guard isHolding else { return withdraw() }
        phase = .bridging
        return .setCatch(priority: Self.topPriority)
    }

    private mutating func withdraw() -> GuardCommand? {
        guard priority != nil else { return nil }
        phase = .none
        return .setCatch(priority: nil)
    }

    /// - Parameter hasArrived: the held streams are at the holding sink, and all others at any sink.
    mutating func letTimePass(hasArrived: Bool, now: HostTime) -> GuardCommand? {
        let isDue = deadline.map { $0 <= now } ?? false
        switch phase {
        case .ending where isDue || hasArrived:
            phase = .none
            return .setCatch(priority: nil)
        case .suspect where isDue:
            // The streams that play now must not be interrupted by this.
            phase = .mistaken(since: now)
            mistakes += 1
            return .setCatch(priority: nil)
        case .mistaken where isDue: phase = .none
        case .none, .present, .suspect, .ending, .mistaken, .bridging: break
        }
        return nil
    }

    /// The next time at which `letTimePass` has work.
    var deadline: HostTime? {
        switch phase {
        case .none, .bridging, .present(_, _, true): nil
        case .present(_, let since, false): since.advanced(bySeconds: makingSeconds)
        case .suspect(_, let since): since.advanced(bySeconds: Self.rankingSeconds)
        case .ending(let since): since.advanced(bySeconds: Self.arrivalSeconds)
        case .mistaken(let since):
            Self.retrySeconds.dropFirst(mistakes - 1).first.map { since.advanced(bySeconds: $0) }
        }
    }

    private var makingSeconds: Double { Self.makingSeconds * Double(1 << min(failures, 5)) }
}
