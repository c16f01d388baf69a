internal import AudioModel

/// The outputs in the session manager's order: the first connected output is the default.
///
/// Pure.
package struct OutputOrder: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        /// Why the output has this rank.
        package enum Reason: Hashable, Sendable {
            /// The user's last choice, in a mixer or here.
            case chosen
            case chosenBefore
            /// The sink's own `priority.session`.
            case priority
        }

        /// The sink's `node.name`; untrusted text.
        package var sink: String
        /// The port through which the sink plays; nil if the sink is not connected.
        package var output: GuardOutput?
        /// The sink's `priority.session`; 0 if unknown.
        package var priority: Int
        package var reason: Reason
    }

    package private(set) var places: [Place]

    /// - Parameters:
    ///   - outputs: the connected outputs, and the user's earlier choices.
    ///   - priorities: the priorities that sinks will have after the next setup, by `node.name`.
    package init(_ outputs: GuardOutputs, priorities: [String: Int] = [:]) {
        let ranking = outputs.ranking
        var connected: [String: GuardOutput] = [:]
        for output in outputs.outputs where output.isActive { connected[output.sink] = output }
        let sinks = Set(connected.keys).union(ranking.stored).union([ranking.configured].compactMap(\.self))
            .union(priorities.keys)
        func priority(_ sink: String) -> Int { priorities[sink] ?? connected[sink]?.priority ?? 0 }
        func score(_ sink: String) -> Int { ranking.score(ofSink: sink, priority: priority(sink)) }
        places = sinks.sorted { (score($0), $1) > (score($1), $0) }.map { sink in
            let reason: Place.Reason =
                if ranking.configured == sink { .chosen } else {
                    ranking.stored.contains(sink) ? .chosenBefore : .priority
                }
            return Place(sink: sink, output: connected[sink], priority: priority(sink), reason: reason)
        }
    }
}
