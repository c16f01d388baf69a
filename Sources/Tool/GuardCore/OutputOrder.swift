internal import AudioModel

/// The outputs in the order in which the session manager takes them: the first that is connected is the default.
///
/// Pure.
package struct OutputOrder: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        /// Why it ranks where it does.
        package enum Reason: Hashable, Sendable {
            /// The last choice of the user, in a mixer or here.
            case chosen
            case chosenBefore
            /// The sink's own `priority.session`.
            case priority
        }

        /// The sink's `node.name`; untrusted text.
        package var sink: String
        /// What the sink plays through; nil where it is not connected.
        package var output: GuardOutput?
        /// Its `priority.session`; 0 where it is not known.
        package var priority: Int
        package var reason: Reason
    }

    package private(set) var places: [Place]

    /// - Parameters:
    ///   - outputs: what is connected, and what the user has chosen before.
    ///   - priorities: those that sinks will have when they are set up again, by `node.name`.
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
