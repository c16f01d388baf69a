internal import AudioModel

/// Whether the sound of the default output is caught when that output leaves.
package enum Watch: Hashable, Sendable {
    /// The default output is no private one, or its rules let its sound continue elsewhere.
    case notNeeded
    case watched
    /// The catching sink is not there yet, or the one of an earlier loss is about to end.
    case pending
    /// No priority lies between the output and the next one.
    case noRoom
    /// The session manager ranks outputs in another way than we know.
    case misranked
}

/// The catching sink's life.
///
/// Pure. The session manager moves to this sink what an output has played that leaves.
struct Catching: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Exits: a private output is the default -> `present`; the session manager goes -> `bridging`.
        case none
        /// Asked for; `isSeen` once the server has told of it. Exits: the default changes or leaves -> `none` or another
        /// priority; it is the default -> `suspect`; its output leaves -> `ending`.
        case present(priority: Int, since: HostTime, isSeen: Bool)
        /// It is the default although nothing has left. Exits: the default changes -> `present`; for `rankingSeconds`
        /// -> `mistaken`.
        case suspect(priority: Int, since: HostTime)
        /// Its output has left, and what it caught is on its way to the holding sink. Exit: everything has arrived, or
        /// `arrivalSeconds` have passed -> `none`.
        ///
        /// WirePlumber 0.4 loses track of a stream whose sink goes while it makes a link to it.
        case ending(since: HostTime)
        /// The session manager ranks sinks in another way than we know, or was slow. Exits: the outputs change, or it is
        /// time for another try -> `none`.
        case mistaken(since: HostTime)
        /// There is no session manager, and streams are held: the next one must not play them. Exit: the next one has
        /// been told -> `none`.
        case bridging
    }

    /// Where the sink should rank.
    enum Target: Hashable, Sendable {
        case notNeeded
        case noRoom
        case priority(Int)
    }

    /// What there is of the machine, in a consistent state.
    struct Scene {
        var target: Target
        /// The session manager has made it the default.
        var isDefault: Bool
        /// The server has it.
        var isThere: Bool
        var now: HostTime
    }

    /// The session manager names the default some milliseconds after the sinks have changed.
    static let rankingSeconds = 0.2
    /// How long the sink waits for streams to arrive at the holding sink.
    static let arrivalSeconds = 0.5
    /// How long the server may take to make the sink; each further try waits twice as long.
    static let makingSeconds = 2.0
    /// After these times it is tried again: a busy session manager may have ranked the sink before the output was ready.
    static let retrySeconds = [2.0, 8.0, 32.0]
    /// Above every priority and bonus of WirePlumber's.
    static let topPriority = 1_000_000

    private(set) var phase = Phase.none
    /// How often the server has not made it, or has lost it, since the outputs last changed.
    private var failures = 0
    /// How often it was the default although nothing had left, since the outputs last changed.
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

    /// - Returns: the command that makes, changes or ends the sink.
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
            // Some program ends it again and again.
            phase = .present(priority: target, since: scene.now, isSeen: false)
            return nil
        case .present(target, _, _), .suspect(target, _): failures += 1
        case .none, .present, .suspect, .ending, .mistaken, .bridging: break
        }
        phase = .present(priority: target, since: scene.now, isSeen: false)
        return .setCatch(priority: target)
    }

    /// Its output has left: what plays is there now, or on its way.
    mutating func noteLoss(at now: HostTime) {
        switch phase {
        case .present, .suspect, .ending: phase = .ending(since: now)
        case .none, .mistaken, .bridging: break
        }
    }

    /// Other outputs are there, or they are ranked in another way.
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
            // What plays must not stand still for that.
            phase = .mistaken(since: now)
            mistakes += 1
            return .setCatch(priority: nil)
        case .mistaken where isDue: phase = .none
        case .none, .present, .suspect, .ending, .mistaken, .bridging: break
        }
        return nil
    }

    /// When it has to be asked again.
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
