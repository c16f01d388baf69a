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

extension GuardOutput {
    /// When it leaves, the sound must not go on in the room.
    package var isPrivate: Bool { kind.isPrivate }
}
