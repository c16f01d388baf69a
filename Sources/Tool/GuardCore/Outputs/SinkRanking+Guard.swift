package import AudioModel

extension SinkRanking.Rules {
    /// From then on, what is set of a port that is not available is not stored, and an output that its user has chosen is
    /// above every priority.
    ///
    /// Source: WirePlumber 0.5.11, scripts/device/state-routes.lua and scripts/default-nodes/*.lua.
    package var are0511OrLater: Bool { self == .wirePlumber0511 || self == .wirePlumber0518 }
}

/// What only a guard asks of a ranking.
extension SinkRanking {
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
