/// What a session manager's choice of the default rests on, besides priorities.
package struct SinkRanking: Hashable, Sendable {
    /// The bonuses that the session manager's versions give, each from this version on.
    package enum Rules: Hashable, Sendable, CaseIterable {
        case wirePlumber04, wirePlumber05, wirePlumber0511, wirePlumber0518

        /// From then on, what is set of a port that is not available is not stored, and an output that its user has chosen is
        /// above every priority.
        ///
        /// Source: WirePlumber 0.5.11, scripts/device/state-routes.lua and scripts/default-nodes/*.lua.
        package var are0511OrLater: Bool { self == .wirePlumber0511 || self == .wirePlumber0518 }
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

    /// From 0.5.11 on, the priorities count only where no output is there that its user has chosen.
    package func isPreferredToAnyPriority(_ sink: String) -> Bool {
        rules.are0511OrLater && (sink == configured || stored.contains(sink))
    }

    /// What it is after the user has taken the choice back, before the session manager has stored that.
    ///
    /// Source: WirePlumber 0.4.13 module-default-nodes.c, on_metadata_changed; 0.5.8 state-default-nodes.lua.
    package var forgotten: SinkRanking {
        var ranking = self
        ranking.configured = nil
        ranking.stored =
            rules == .wirePlumber04 ? [configured].compactMap(\.self) + stored.filter { $0 != configured } : []
        return ranking
    }
}
