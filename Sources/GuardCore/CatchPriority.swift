internal import AudioModel

/// Where a catching sink must rank: above every output but the default one.
package enum CatchPriority {
    /// The `priority.session` of a sink that becomes the default when the default leaves; nil where there is no such number.
    ///
    /// The smallest one: a session manager counts a sink's monitor among the sources, and the catch's must not displace a
    /// microphone.
    package static func priority(for outputs: GuardOutputs) -> Int? {
        guard case .sink(let name) = outputs.defaultSink else { return nil }
        var scores: [String: Int] = [:]
        for output in outputs.outputs {
            scores[output.sink] = outputs.ranking.score(ofSink: output.sink, priority: output.priority)
        }
        guard let best = scores.removeValue(forKey: name),
            !scores.keys.contains(where: outputs.ranking.isPreferredToAnyPriority)
        else { return nil }
        let priority = max(scores.values.max() ?? 0, 0) + 1
        if let source = outputs.ranking.sourcePriority, priority >= source { return nil }
        return priority < best ? priority : nil
    }
}

extension SinkRanking {
    /// The session manager takes the sink with the highest score.
    ///
    /// Source: WirePlumber 0.4.13 module-default-nodes.c, find_best_media_class_node; 0.5.8, 0.5.11 and 0.5.18
    /// default-nodes/*.lua.
    package func score(ofSink name: String, priority: Int) -> Int {
        let place = stored.firstIndex(of: name)
        let isConfigured = configured == name
        switch rules {
        case .wirePlumber04:
            if isConfigured { return priority + 340_000 }
            return priority + (place.map { $0 < 16 ? (16 - $0) * 20_000 : 0 } ?? 0)
        case .wirePlumber05, .wirePlumber0511:
            if isConfigured { return priority + 30_000 }
            return priority + (place.map { 20_000 - $0 } ?? 0)
        case .wirePlumber0518:
            if isConfigured { return priority + 30_000 }
            return place.map { 20_000 - $0 } ?? priority
        }
    }

    /// From 0.5.11 on, the priorities count only where no output is there that its user has chosen.
    func isPreferredToAnyPriority(_ sink: String) -> Bool {
        rules.are0511OrLater && (sink == configured || stored.contains(sink))
    }
}

extension GuardOutput {
    /// When it leaves, the sound must not go on in the room.
    package var isPrivate: Bool { kind.isPrivate }
}
