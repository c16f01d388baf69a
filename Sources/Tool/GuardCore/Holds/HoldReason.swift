internal import AudioModel

extension Hold {
    /// Why a stream is held; it travels to the next guard with the hold.
    package enum Reason: Hashable, Sendable, Codable {
        /// The output on which the stream sounded has left.
        case lost(uid: String, name: String)
        /// That output came back too late for an automatic resume.
        case returnedLate(uid: String, name: String)
        /// A call is active on this stream.
        case call(stream: UInt64, name: String)
        /// This program started later (`--one-at-a-time`).
        case newer(Program)
        /// A program has the focus.
        case focus(FocusHolder.ID, name: String, reason: String?)
        /// The card of the stream's sink is switched to another port for a moment.
        case switched(sink: String)
        /// The output to which the stream was linked left during a short pause: the stream may be about to play. If it plays, its
        /// reason becomes `lost`.
        case idle(uid: String, name: String)
    }
}

/// The rules of holds, one for each cause, and the facts that they own.
struct HoldRules: Hashable, Sendable {
    var loss = LossRule()
    var focus = FocusRule()

    /// In the order in which they are asked whether a hold begins.
    var all: [any HoldRule] { [loss, CallRule(), NewerRule(), focus, SwitchRule()] }

    /// The rule of this reason.
    subscript(reason: Hold.Reason) -> any HoldRule {
        switch reason {
        case .lost, .returnedLate, .idle: loss
        case .call: CallRule()
        case .newer: NewerRule()
        case .focus: focus
        case .switched: SwitchRule()
        }
    }

    /// When the first reason of the hold ends by itself; nil if none does.
    func deadline(of hold: Hold) -> HostTime? {
        hold.reasons.compactMap { self[$0].deadline(of: $0, since: hold.since) }.min()
    }

    /// Whether the program of a stream that ended during this hold may still resume.
    func keepsEnded(_ hold: Hold, _ scene: HoldScene) -> Bool {
        hold.reasons.contains { self[$0].keepsEnded($0, since: hold.since, scene) }
    }
}

extension Hold.Reason {
    /// What a reason means for a hold.
    struct Nature: Hashable, Sendable {
        /// The cause may still exist when the guard is connected again.
        var outlivesConnection: Bool
        /// The cause continues after the guard's end.
        var outlivesGuard: Bool
        /// A hold for this reason alone is not reported to the user.
        var isBrief = false

        static let lasting = Self(outlivesConnection: true, outlivesGuard: true)
        static let brief = Self(outlivesConnection: false, outlivesGuard: false, isBrief: true)
    }

    var nature: Nature { HoldRules()[self].nature(of: self) }

    /// The reason in words, printable.
    package var words: String { HoldRules()[self].words(for: self) }

    package var isFocus: Bool { if case .focus = self { true } else { false } }
}
