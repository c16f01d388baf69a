import AudioModel

@testable import GuardCore

extension ModelMachine {
    struct Sink: Hashable {
        var name: String
        var kind: PortKind
        var priority: Int
        /// The ports of a card with a jack: the first available one is active.
        var hasJack = false
        var isPlugged = true
        /// The user has switched the card to its speaker, although the headphones are in.
        var isSwitched = false
        /// The speaker, as the card has it, and as the session manager remembers it.
        var isMuted = false
        var isRememberedAsMuted = false
        /// It does what it is told.
        var answers = true
        /// The session manager remembers a mute of the speaker also while that is unavailable.
        var isRemembered = true
        /// The session manager sets what it remembers when `finishSwitch` says so.
        var isSlow = false

        var isOnSpeaker: Bool { isSwitched || !isPlugged }
    }
}

/// The sinks of a machine, and which one its session manager chooses by the rules of its version.
struct ModelOutputs {
    var sinks: [ModelMachine.Sink] = []
    /// Of the catching sink; nil where there is none.
    var catchPriority: Int?
    var hasManager = true
    var ranking = SinkRanking()

    /// The sink that the session manager would choose without the guard.
    var realDefault: String? { best(among: sinks.map { ($0.name, score($0)) }) }

    var defaultSink: GuardOutputs.DefaultSink {
        var candidates = sinks.map { ($0.name, score($0)) }
        let isChosen = sinks.contains { $0.name == ranking.configured || ranking.stored.contains($0.name) }
        let prioritiesCount = ![.wirePlumber0511, .wirePlumber0518].contains(ranking.rules) || !isChosen
        if let catchPriority, prioritiesCount { candidates.append(("(catch)", catchPriority)) }
        guard hasManager, let name = best(among: candidates) else { return .none }
        return name == "(catch)" ? .catch : .sink(name)
    }

    private func best(among candidates: [(String, Int)]) -> String? {
        var best: (name: String, score: Int)?
        for (name, score) in candidates where score > best?.score ?? .min { best = (name, score) }
        return best?.name
    }

    private func score(_ sink: ModelMachine.Sink) -> Int {
        let isConfigured = ranking.configured == sink.name
        let stored = ranking.stored.firstIndex(of: sink.name)
        return switch ranking.rules {
        case .wirePlumber04: sink.priority + (isConfigured ? 340_000 : stored.map { (16 - $0) * 20_000 } ?? 0)
        case .wirePlumber05, .wirePlumber0511:
            sink.priority + (isConfigured ? 30_000 : stored.map { 20_000 - $0 } ?? 0)
        case .wirePlumber0518: isConfigured ? sink.priority + 30_000 : stored.map { 20_000 - $0 } ?? sink.priority
        }
    }

    /// Where the session manager links a stream that no guard has moved.
    ///
    /// - Parameter target: what its program or its user has chosen.
    func linkTarget(chosen target: String?) -> ProgramStream.LinkTarget {
        if let target, sinks.contains(where: { $0.name == target }) { return .sink(target) }
        return switch defaultSink {
        case .none: .nowhere
        case .catch: .catch
        case .sink(let name): .sink(name)
        }
    }

    /// - Returns: whether there is such a sink.
    mutating func setJack(of name: String, isPlugged: Bool) -> Bool {
        guard let index = sinks.firstIndex(where: { $0.name == name }) else { return false }
        sinks[index].isPlugged = isPlugged
        sinks[index].isSwitched = false
        if sinks[index].isOnSpeaker { sinks[index].isMuted = sinks[index].isRememberedAsMuted }
        return true
    }

    /// - Returns: whether there is such a sink, and it is on its speaker.
    mutating func finishSwitch(_ name: String) -> Bool {
        guard let index = sinks.firstIndex(where: { $0.name == name }), sinks[index].isOnSpeaker else { return false }
        sinks[index].isMuted = sinks[index].isRememberedAsMuted
        return true
    }

    /// As the server tells of them.
    var told: GuardOutputs {
        let outputs = sinks.flatMap { sink -> [GuardOutput] in
            func output(_ uid: String, _ kind: PortKind, isActive: Bool) -> GuardOutput {
                GuardOutput(
                    sink: sink.name, uid: uid, name: uid, kind: kind, isActive: isActive, priority: sink.priority)
            }
            guard sink.hasJack else { return [output(sink.name, sink.kind, isActive: true)] }
            let jack = output(sink.name + "/jack", .headphones, isActive: !sink.isOnSpeaker)
            let speaker = output(sink.name + "/speaker", .builtInSpeaker, isActive: sink.isOnSpeaker)
            return sink.isPlugged ? [jack, speaker] : [speaker]
        }
        let jacks = sinks.filter(\.hasJack).map { sink in
            let (jack, speaker) = (sink.name + "/jack", sink.name + "/speaker")
            return GuardJack(
                sink: sink.name,
                ports: [
                    .init(uid: jack, name: jack, kind: .headphones, isAvailable: sink.isPlugged),
                    .init(uid: speaker, name: speaker, kind: .builtInSpeaker, isAvailable: !sink.isPlugged),
                ], active: sink.isOnSpeaker ? speaker : jack, isMuted: sink.isOnSpeaker && sink.isMuted)
        }
        return GuardOutputs(
            outputs: outputs, defaultSink: defaultSink, ranking: ranking, jacks: jacks, hasCatch: catchPriority != nil)
    }
}
