/// What a session manager's choice of the default rests on, besides priorities.
package struct SinkRanking: Hashable, Sendable {
    /// The bonuses that the session manager's versions give, each from this version on.
    package enum Rules: Hashable, Sendable, CaseIterable {
        case wirePlumber04, wirePlumber05, wirePlumber0511, wirePlumber0518
    }

    package var rules: Rules
    /// The sink that the user has configured; it need not be there.
    package var configured: String?
    /// The sinks that the user has configured before, the newest first, with the configured one.
    package var stored: [String]
    /// The highest `priority.session` of the microphones; nil where there is none.
    package var sourcePriority: Int?

    package init(
        rules: Rules = .wirePlumber05, configured: String? = nil, stored: [String] = [], sourcePriority: Int? = nil
    ) {
        self.sourcePriority = sourcePriority
        self.rules = rules
        self.configured = configured
        self.stored = stored
    }

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
}
