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
        hold.reasons.contains(where: \.isIdle) ? LossRule.idleEnd(since: hold.since) : nil
    }

    /// Whether the program of a stream that ended during this hold may still resume.
    func keepsEnded(_ hold: Hold, _ scene: HoldScene) -> Bool {
        hold.reasons.contains { reason in
            switch reason {
            case .lost(let uid, _): loss.mayResume(uid: uid, since: hold.since, scene)
            case .call, .newer, .focus: true
            case .returnedLate, .idle, .switched: false
            }
        }
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

    var nature: Nature {
        switch self {
        case .lost, .returnedLate, .call, .newer, .focus(.claim, _, _): .lasting
        case .focus(.bus, _, _): Nature(outlivesConnection: true, outlivesGuard: false)
        // Streams are reported from the beginning after a reconnection.
        case .focus(.capture, _, _), .focus(.alert, _, _): Nature(outlivesConnection: false, outlivesGuard: false)
        case .idle, .switched: .brief
        }
    }

    /// The reason in words, printable.
    package var words: String {
        switch self {
        case .lost(_, let name), .idle(_, let name): "\(name.printable) left"
        case .returnedLate(_, let name): "\(name.printable) left and is back"
        case .call(_, let name): "\(name.printable) began a call"
        case .newer(let program): "\(program.name.printable) began to play"
        case .focus(_, let name, let text): "\(name.printable) asked for it\(text.map { " (\($0.printable))" } ?? "")"
        case .switched: "its card is switched"
        }
    }

    package var isFocus: Bool { if case .focus = self { true } else { false } }
    fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
}
