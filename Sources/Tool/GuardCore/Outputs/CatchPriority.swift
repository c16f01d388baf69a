internal import AudioModel

/// The rank that a catching sink needs: above every output except the default one.
package enum CatchPriority {
    /// The `priority.session` of a sink that becomes the default when the default leaves; nil if no such number exists.
    ///
    /// It is the smallest such number: a session manager counts a sink's monitor as a source, and the monitor of the catching sink
    /// must not replace a microphone as the default.
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
    /// When the output leaves, its sound must not continue on a speaker in the room.
    package var isPrivate: Bool { kind.isPrivate }
}
